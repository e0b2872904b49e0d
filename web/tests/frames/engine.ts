// The engine of changes alone, with what it is given by the rest of the script, for cases that try it in frames.

import "./settings";
import { changes } from "../../runtime/src/browser/changes";
import type { Change } from "../../runtime/src/ruleset";

export { applyCss } from "../../runtime/src/browser/changes/sheet";

/** What was told of changes that failed. */
export const said: string[] = [];

/** Gives it the nonce of a page with a policy. */
export { setNonce } from "../../runtime/src/browser/changes/trust";

export const change = (items: Change[], keep = true) => changes.apply(items, keep, (what) => said.push(what));
export const runCode = changes.run;
