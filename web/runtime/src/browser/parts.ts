// Parts: functions that the script contains only if the ruleset needs them.

import type { isEligible } from "../assign/audience";
import type { sourceOf } from "../assign/source";
import type { changes } from "./changes";
import type { factsOf } from "./facts";
import type { watch } from "./goals";
import { kit } from "./kit";
import type { watchLayer } from "./layer";
import type { locator } from "./locate";
import type { memory } from "./memory";
import type { readOrder } from "./order";
import type { split } from "./split";
import type { watchArms } from "./telling";
import type { vitals } from "./vitals";

export interface Parts {
  changes: typeof changes;
  split: typeof split;
  rules: { _isEligible: typeof isEligible; _factsOf: typeof factsOf; memory: typeof memory; _locator: typeof locator };
  source: typeof sourceOf;
  goals: typeof watch;
  orders: { _read: typeof readOrder; _watch: typeof watchLayer };
  tools: typeof watchArms;
  vitals: typeof vitals;
}

declare const PARTS: { [Name in keyof Parts]?: (...given: typeof kit) => Parts[Name] };

const made: { [Name in keyof Parts]?: Parts[Name] | undefined } = {};

/** A part, instantiated on first use; undefined if the script does not contain it. */
export const part = <Name extends keyof Parts>(name: Name): Parts[Name] | undefined =>
  (made[name] ??= PARTS[name]?.(...kit) as (typeof made)[Name]);
