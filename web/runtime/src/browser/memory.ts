// What the visitor did before, as far as rules of this ruleset ask for it.

import type { Occurrence } from "../assign/visitor";
import type { Ruleset } from "../ruleset";
import type { Properties } from "./events";
import { EVENTS_MAX } from "./limits";
import { keep, kept } from "./storage";
import { now, parse, quietly, stringify } from "./world";

type Kept = [name: string, at: number, properties: Properties];

export interface Memory {
  recall(): Occurrence[];
  add(name: string, properties: Properties): void;
}

export function memory(ruleset: Ruleset): Memory {
  const asked = new Set(
    ruleset.experiments
      .flatMap((experiment) => [experiment, ...experiment.variants])
      .flatMap(({ targeting }) => targeting?.event_rule ?? [])
      .map(({ name }) => name),
  );
  const events = (): Kept[] => (asked.size && quietly(() => parse(kept("e")!) as Kept[])) || [];
  return {
    recall: () =>
      events().map(([name, at, properties]) => ({ name, at, attributes: new Map(Object.entries(properties)) })),
    add(name, properties) {
      if (asked.has(name)) keep("e", stringify([...events(), [name, now(), properties]].slice(-EVENTS_MAX)));
    },
  };
}
