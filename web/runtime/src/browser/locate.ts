// Where the visitor is. Only the server can tell, and only a page with rules about places asks it.

import type { Experiment } from "../ruleset";
import { selectorsOf } from "./applies";
import { hide, type Hidden } from "./hide";
import type { Geography } from "./identity";
import { HIDDEN_MAX_MS } from "./limits";
import { settings } from "./settings";
import { fetching, now } from "./world";

let isAsked = false;
let hidden: Hidden | undefined;
let snippet: Hidden | undefined;
let found: (geo: Geography, late: boolean) => void;

/** `found` takes the answer, and whether the visitor would see what follows from it; `snippet` is what was hidden before. */
export function onLocated(before: Hidden | undefined, listener: typeof found): void {
  snippet = before;
  found = listener;
}

/** Where this fails the place stays unknown, and rules about it hold for nobody. */
async function locate(): Promise<void> {
  try {
    const answer = await fetching(settings.base + settings.geo);
    const geo = (await answer.json()) as Geography;
    if (answer.ok) found(geo, !hidden || !!hidden.over);
  } catch {
    // Nothing changes.
  }
  hidden?.show();
}

/** Asks, once on a page, and hides meanwhile what the experiments may change, unless the visitor has seen it. */
export function askPlace(unknown: Experiment[], late: boolean): void {
  if (isAsked || !unknown[0]) return;
  isAsked = true;
  // Hidden once, and for a second with all that was hidden before.
  hidden ??= late
    ? undefined
    : hide(unknown.flatMap(selectorsOf), HIDDEN_MAX_MS - (snippet ? now() - snippet.since! : 0));
  void locate();
}

/** Another page may ask again. */
export function askAgain(): void {
  isAsked = false;
}

/** For how long something was hidden, in milliseconds; not known before it is shown. */
export const hiddenMs = (): number | undefined => (hidden ?? snippet)?.ms;
