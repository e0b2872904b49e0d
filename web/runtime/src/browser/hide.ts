// Hiding, for as short as can be: only what a decision that is waited for will change, and never longer than a second.

import { applyCss } from "./changes/sheet";
import { later, now } from "./world";

export const HIDDEN_MAX_MS = 1_000;

export interface Hidden {
  /** Shows it again. */
  show(): void;
  /** For how long it was hidden, in milliseconds. */
  ms: number;
  /** Whether it was shown because time was up. */
  over: boolean;
}

/** Hides the matches of the selectors; the page keeps its layout. */
export function hide(selectors: string[]): Hidden {
  const since = now();
  // One rule each: an unknown selector spoils its own rule only.
  let undo: (() => void) | undefined = applyCss(selectors.map((selector) => selector + "{visibility:hidden!important}").join(""));
  const hidden: Hidden = {
    ms: 0,
    over: false,
    show() {
      if (undo) hidden.ms = now() - since;
      undo?.();
      undo = undefined;
    },
  };
  later(() => {
    hidden.over = !!undo;
    hidden.show();
  }, HIDDEN_MAX_MS);
  return hidden;
}
