// Hiding, for as short as can be: only what a decision that is waited for will change, and never longer than a second.

import { applyCss } from "./changes/sheet";
import { HIDDEN_MAX_MS } from "./limits";
import { later, now } from "./world";

export interface Hidden {
  /** Shows it again. */
  show(): void;
  /** For how long it was hidden, in milliseconds; not known before it is shown. */
  ms?: number;
  /** Whether it was shown because time was up. */
  over?: boolean;
}

/** Hides the matches of the selectors; the page keeps its layout. */
export function hide(selectors: string[]): Hidden {
  const since = now();
  // One rule each: an unknown selector spoils its own rule only.
  const undo = applyCss([...selectors, ""].join("{visibility:hidden!important}"));
  const hidden: Hidden = {
    show() {
      hidden.ms ??= now() - since;
      undo();
    },
  };
  later(() => {
    hidden.over = hidden.ms == null;
    hidden.show();
  }, HIDDEN_MAX_MS);
  return hidden;
}
