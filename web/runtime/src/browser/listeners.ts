// Listeners of the page: `muriel.on`.

import { EXPOSURES_MAX } from "./limits";
import { quietly } from "./world";

export type Listener = (detail: object) => void;

const listeners: [string, Listener][] = [];
/** The first announcements, for listeners that are added later: arms are shown before the page's calls are processed. */
const announced: [string, object][] = [];

/** Calls the listeners for events of this name. */
export function announce(what: string, detail: object): void {
  if (announced.length < EXPOSURES_MAX) announced.push([what, detail]);
  for (const [wanted, listener] of listeners) if (wanted === what) quietly(() => listener(detail));
}

/** Adds a listener and calls it at once with the earlier announcements. */
export function on(wanted: string, listener: Listener): void {
  listeners.push([wanted, listener]);
  for (const [what, detail] of announced) if (what === wanted) quietly(() => listener(detail));
}
