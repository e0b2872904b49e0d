// What changes pages: a part of the script, for rulesets with changes or code.

import { runCode } from "./code";
import { applyChanges } from "./mutate";
import { setNonce } from "./trust";

export interface Changes {
  apply: typeof applyChanges;
  run: typeof runCode;
}

/** The engine, with the nonce of our own script for what it adds to the page. */
export function changes(nonce: string): Changes {
  setNonce(nonce);
  return { apply: applyChanges, run: runCode };
}
