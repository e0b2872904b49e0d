// The engine of changes on its own, for cases that test it in frames.

import "./settings";
import { changes } from "../../runtime/src/browser/changes";
import type { Change } from "../../runtime/src/ruleset";

export { applyCss } from "../../runtime/src/browser/changes/sheet";

/** Reported problems of changes. */
export const said: string[] = [];

/** Sets the nonce, for pages with a policy. */
export { setNonce } from "../../runtime/src/browser/changes/trust";

export const change = (items: Change[], keep = true) => changes.apply(items, keep, (what) => said.push(what));
export const runCode = changes.run;
