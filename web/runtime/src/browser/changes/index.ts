// The part that changes pages, for rulesets with changes or code.

import { runCode } from "./code";
import { hiddenMs } from "./hydration";
import { applyChanges } from "./mutate";

export const changes = { apply: applyChanges, run: runCode, hiddenMs };

export type Changes = typeof changes;
