// Events of shown arms: exposures, reports of how they were shown, and redirects.

import { type AssignedArm, armDetail, armFields } from "./armed";
import { expose } from "./exposure";
import { announce } from "./listeners";
import type { HiddenElements } from "./hide";
import { part } from "./parts";
import { forcedArm, record, reportLost, sendAll, currentVisitor } from "./recorder";
import { ERROR_CHARS_MAX } from "./limits";
import { settings } from "./settings";
import { trackEvent } from "./values";
import { random } from "./world";

const isSampled = random() * 100 < settings.health;

/** True when an arm redirects: the visitor is then exposed to no other arm on this page. */
export let isLeaving = false;

/** The elements that were last hidden while a decision was pending. */
let hidden: HiddenElements | undefined;

/** Records which elements are hidden, for reports. */
export const noteHidden = (elements: HiddenElements): void => {
  hidden = elements;
};

/** Announces an event of an arm to the page's listeners. */
export const announceArm = (what: string, armed: AssignedArm, more?: object): void =>
  announce(what, { ...armDetail(armed), ...more });

/**
 * The method `track` of the page API, which the code of arms has as well. An order that cannot be read is recorded as
 * far as possible, and reported.
 */
export function track(name: string, given?: object | null): void {
  const [order, problem] = part("orders")?._read(name, given) ?? [given];
  const event = trackEvent(name, order);
  record(event);
  if (problem) reportLost([[event, problem]]);
}

/** Records that the visitor is exposed to the arm now, if the visitor is counted. */
export function enterArm(armed: AssignedArm): void {
  // Read before the listeners are called: they may change it.
  const visitor = currentVisitor();
  armed._isMet = true;
  if (!armed._counted) return;
  announceArm("exposure", armed);
  expose(armed, visitor);
  if (isSampled) part("vitals")?.(armFields(armed), record);
}

/** Records that the page is left by a redirect, and sends the queue. */
export function leavePage(): void {
  isLeaving = true;
  sendAll();
}

/**
 * Reports how an arm was shown: the milliseconds that applying it took, whether it was too late, the selectors without
 * a match, the number of errors, the message of the first one, and for each of its changes whether it matched: `1`,
 * `0`, or `-` if it is not for this page.
 */
export function reportShown(
  armed: AssignedArm,
  apply_ms: number,
  late: number,
  missing: string[],
  errors: number,
  error?: string,
  changes?: string,
): void {
  const hidden_ms = hidden?.ms || part("changes")?.hiddenMs() || 0;
  const failed_selectors = missing.length;
  // In a preview a missing match is shown; on other pages it may be intended.
  if (!late) forcedArm?.shown?.(missing);
  if (isSampled || late || errors || (armed._isFirst && changes))
    record({
      type: "health",
      ...armFields(armed),
      apply_ms,
      hidden_ms,
      late,
      failed_selectors,
      errors,
      error_message: error?.slice(0, ERROR_CHARS_MAX) || undefined,
      changes,
    });
}
