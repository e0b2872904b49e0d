// Hides elements that a pending decision will change, for one second at most.

import { applyCss } from "./changes/sheet";
import { HIDING_TIMEOUT_MS } from "./limits";
import { doc, startTimer, now, quietly } from "./world";

export interface HiddenElements {
  /** Shows the elements again. */
  show(): void;
  /** Start of hiding, in milliseconds since 1970. */
  since?: number;
  /** Time for which the elements were hidden, in milliseconds; undefined until they are shown. */
  ms?: number;
  /** True when the elements were shown because of the timeout. */
  over?: boolean;
}

/** Hides the matches of the selectors and keeps the layout of the page. */
export function hide(selectors: string[], limit = HIDING_TIMEOUT_MS): HiddenElements {
  const since = now();
  // One rule for each valid selector: anything else could hide the page.
  const known = selectors.filter((selector) => quietly(() => doc.querySelector(selector)) !== undefined);
  const undo = applyCss([...known, ""].join("{visibility:hidden!important}"));
  const hidden: HiddenElements = {
    since,
    show() {
      hidden.ms ??= now() - since;
      undo();
    },
  };
  startTimer(() => {
    hidden.over = hidden.ms == null;
    hidden.show();
  }, limit);
  return hidden;
}
