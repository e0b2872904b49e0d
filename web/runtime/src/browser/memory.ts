// Stores the past events of the visitor that rules of this ruleset refer to.

import type { PastEvent } from "../assign/visitor";
import type { Ruleset } from "../ruleset";
import type { EventFields, Properties } from "./events";
import { REMEMBERED_EVENTS_MAX } from "./limits";
import { storeLocal, readLocal } from "./storage";
import { now, parse, quietly, stringify } from "./world";

type StoredEvent = [name: string, at: number, properties: Properties];

export interface EventMemory {
  recall(): PastEvent[];
  /** Stores an event if a rule refers to its name. */
  add(event: EventFields): void;
}

export function memory(ruleset: Ruleset): EventMemory {
  const asked = new Set(
    ruleset.experiments
      .flatMap((experiment) => [experiment, ...experiment.variants])
      .flatMap(({ targeting }) => targeting?.event_rule ?? [])
      .map(({ name }) => name),
  );
  const events = (): StoredEvent[] => (asked.size && quietly(() => parse(readLocal("e_")!) as StoredEvent[])) || [];
  return {
    recall: () =>
      events().map(([name, at, properties]) => ({ name, at, attributes: new Map(Object.entries(properties)) })),
    add({ name, value, currency, order_id, refund_of, quantity, properties }) {
      if (!asked.has(name as string)) return;
      // Fields that an event does not have are not stored, as JSON has no `undefined`. An unread amount is a property.
      const fields = { value, currency, order_id, refund_of, quantity, ...(properties as Properties) };
      storeLocal("e_", stringify([...events(), [name, now(), fields]].slice(-REMEMBERED_EVENTS_MAX)));
    },
  };
}
