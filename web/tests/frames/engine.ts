// The engine of changes alone, with what it is given by the rest of the script, for cases that try it in frames.

import { changes } from "../../runtime/src/browser/changes";
import type { Change } from "../../runtime/src/ruleset";

export { applyCss } from "../../runtime/src/browser/changes/sheet";

/** What was told of changes that failed. */
export const said: string[] = [];

let { apply, run } = changes("");

/** Gives it the nonce of a page with a policy. */
export function setNonce(nonce: string): void {
  ({ apply, run } = changes(nonce));
}

export const change = (items: Change[], keep = true) => apply(items, keep, (what) => said.push(what));
export const runCode = (...given: Parameters<typeof run>) => run(...given);
