// Hiding, for as short as can be: only what a decision that is waited for will change, and never longer than a second.

import { applyCss } from "./changes/sheet";
import { HIDDEN_MAX_MS } from "./limits";
import { doc, later, now, quietly } from "./world";

export interface Hidden {
  /** Shows it again. */
  show(): void;
  /** Since when it is hidden. */
  since?: number;
  /** For how long it was hidden, in milliseconds; not known before it is shown. */
  ms?: number;
  /** Whether it was shown because time was up. */
  over?: boolean;
}

/** Hides the matches of the selectors; the page keeps its layout. */
export function hide(selectors: string[], limit = HIDDEN_MAX_MS): Hidden {
  const since = now();
  // One rule each, and only of what is a selector: anything else might hide the page.
  const known = selectors.filter((selector) => quietly(() => doc.querySelector(selector)) !== undefined);
  const undo = applyCss([...known, ""].join("{visibility:hidden!important}"));
  const hidden: Hidden = {
    since,
    show() {
      hidden.ms ??= now() - since;
      undo();
    },
  };
  later(() => {
    hidden.over = hidden.ms == null;
    hidden.show();
  }, limit);
  return hidden;
}
