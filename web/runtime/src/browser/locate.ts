// The visitor's location. Only the server knows it, and only pages with location rules ask for it.

import type { Experiment } from "../ruleset";
import { selectorsOf } from "./applies";
import { hide, type HiddenElements } from "./hide";
import type { GeoLocation } from "./identity";
import { HIDING_TIMEOUT_MS } from "./limits";
import { endpoint } from "./settings";
import { fetchNow, now } from "./world";

let isRequested = false;
let hidden: HiddenElements | undefined;
let snippet: HiddenElements | undefined;
let locationListener: (geo: GeoLocation, late: boolean) => void;

/** Sets the listener, which gets the location and whether the answer is late, so that changes would be visible. `before` is what the snippet has hidden. */
export function onLocated(before: HiddenElements | undefined, listener: typeof locationListener): void {
  snippet = before;
  locationListener = listener;
}

/** Fetches the location. If that fails, the location stays unknown and location rules hold for nobody. */
async function fetchLocation(): Promise<void> {
  try {
    const answer = await fetchNow(endpoint("geo"));
    const geo = (await answer.json()) as GeoLocation;
    if (answer.ok) locationListener(geo, !hidden || !!hidden.over);
  } catch {
    // The location stays unknown.
  }
  hidden?.show();
}

/** Requests the location once per page. Meanwhile hides what the experiments may change, unless the visitor has seen it. */
export function requestLocation(unknown: Experiment[], late: boolean): void {
  if (isRequested || !unknown[0]) return;
  isRequested = true;
  // Hidden once per page, for one second at most in total with the snippet.
  hidden ??= late
    ? undefined
    : hide(unknown.flatMap(selectorsOf), HIDING_TIMEOUT_MS - (snippet ? now() - snippet.since! : 0));
  void fetchLocation();
}

/** Allows another request, on a new page. */
export function allowNewRequest(): void {
  isRequested = false;
}

/** How long elements were hidden, in milliseconds; undefined until they are shown. */
export const hiddenMs = (): number | undefined => (hidden ?? snippet)?.ms;
