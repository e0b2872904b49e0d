// What the page's code hears of experiments: `muriel.on`.

import { TOLD_MAX } from "./limits";
import { quietly } from "./world";

export type Listener = (detail: object) => void;

const listeners: [string, Listener][] = [];
/** The first events of the page, as arms are shown before any call of the page is heard. */
const announced: [string, object][] = [];

/** Calls the listeners for events of this name. */
export function announce(what: string, detail: object): void {
  if (announced.length < TOLD_MAX) announced.push([what, detail]);
  for (const [wanted, listener] of listeners) if (wanted === what) quietly(() => listener(detail));
}

/** Adds a listener, which hears at once what was announced before. */
export function on(wanted: string, listener: Listener): void {
  listeners.push([wanted, listener]);
  for (const [what, detail] of announced) if (what === wanted) quietly(() => listener(detail));
}
