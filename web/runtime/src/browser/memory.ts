// What the visitor did before, as far as rules of this ruleset ask for it.

import type { Occurrence } from "../assign/visitor";
import type { Ruleset } from "../ruleset";
import type { Properties } from "./events";
import { keep, kept } from "./storage";
import { now, parse, quietly, stringify } from "./world";

const EVENTS_MAX = 100;

type Kept = [name: string, at: number, properties: Properties];

export interface Memory {
  recall(): Occurrence[];
  add(name: string, properties: Properties): void;
}

export function memory(ruleset: Ruleset, where: string): Memory {
  const asked = new Set(ruleset.experiments.flatMap(({ targeting }) => targeting?.event_rule ?? []).map(({ name }) => name));
  const events = (): Kept[] => (asked.size > 0 && quietly(() => parse(kept(where) as string) as Kept[])) || [];
  return {
    recall: () => events().map(([name, at, properties]) => ({ name, at, attributes: new Map(Object.entries(properties)) })),
    add(name, properties) {
      if (asked.has(name)) keep(where, stringify([...events(), [name, now(), properties]].slice(-EVENTS_MAX)));
    },
  };
}
