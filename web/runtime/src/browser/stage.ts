// What the visitor's arms tell the page's run of: that they are met, how showing went, and that they lead to another page.

import { type Armed, named, numbered } from "./armed";
import type { Properties } from "./events";
import { expose } from "./exposure";
import { announce } from "./listeners";
import { hiddenMs } from "./locate";
import { part } from "./parts";
import { isPreview, record, sendAll, who } from "./recorder";
import { settings } from "./settings";
import { tracked } from "./values";
import { random } from "./world";

const isSampled = random() * 100 < settings.health;

/** Whether an arm leads to another page: the visitor meets nothing else on this one. */
export let isLeaving = false;

/** Announces an event of an arm to the page's listeners. */
export const tell = (what: string, armed: Armed, more?: object): void => announce(what, { ...named(armed), ...more });

/** `track` of the page API, which the code of arms has as well. */
export const track = (name: string, given?: Properties | null): void => record(tracked(name, given));

/** The visitor meets the arm now. */
export function meet(armed: Armed): void {
  // As of before: a listener may change it.
  const visitor = who();
  armed._isMet = true;
  if (!armed._counted) return;
  tell("exposure", armed);
  expose(armed, visitor);
}

/** The page is left for another one. */
export function leave(): void {
  isLeaving = true;
  sendAll();
}

/**
 * How it went: milliseconds that applying took, whether it was too late, selectors without a match, how many scripts failed, and
 * of each of the arm's changes whether it found something: `1`, `0`, or `-` where it is not for this page.
 */
export function went(
  armed: Armed,
  apply_ms: number,
  late: number,
  missing: string[],
  errors: number,
  changes?: string,
): void {
  const hidden_ms = hiddenMs() || part("changes")?.hiddenMs() || 0;
  const failed_selectors = missing.length;
  // Who looks at a preview wants to know; on other pages it may be as it should.
  if (isPreview && missing[0]) tell("error", armed, { message: "matches nothing: " + missing.join(", ") });
  if (isSampled || late || errors || (armed._isFirst && changes))
    record({ type: "health", ...numbered(armed), apply_ms, hidden_ms, late, failed_selectors, errors, changes });
}
