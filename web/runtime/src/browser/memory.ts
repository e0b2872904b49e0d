// Stores the visitor's past events that rules of this ruleset refer to.

import type { PastEvent } from "../assign/visitor";
import type { Ruleset } from "../ruleset";
import type { Properties } from "./events";
import { REMEMBERED_EVENTS_MAX } from "./limits";
import { storeLocal, readLocal } from "./storage";
import { now, parse, quietly, stringify } from "./world";

type StoredEvent = [name: string, at: number, properties: Properties];

export interface EventMemory {
  recall(): PastEvent[];
  add(name: string, properties: Properties): void;
}

export function memory(ruleset: Ruleset): EventMemory {
  const asked = new Set(
    ruleset.experiments
      .flatMap((experiment) => [experiment, ...experiment.variants])
      .flatMap(({ targeting }) => targeting?.event_rule ?? [])
      .map(({ name }) => name),
  );
  const events = (): StoredEvent[] => (asked.size && quietly(() => parse(readLocal("e")!) as StoredEvent[])) || [];
  return {
    recall: () =>
      events().map(([name, at, properties]) => ({ name, at, attributes: new Map(Object.entries(properties)) })),
    add(name, properties) {
      if (asked.has(name))
        storeLocal("e", stringify([...events(), [name, now(), properties]].slice(-REMEMBERED_EVENTS_MAX)));
    },
  };
}
