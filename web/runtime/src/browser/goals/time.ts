import { doc, floor, startTimer, listen, clearTimer } from "../world";

const { min } = Math;

/**
 * Calls `reached` with the whole seconds for which the page has been visible: with 0 at the start, when those of
 * `wanted` have passed, and possibly at other times. Returns a function that starts again at 0. A hidden, frozen or
 * prerendered page is not visible.
 */
export function watchTime(wanted: (string | number)[], reached: (seconds: number) => void): () => void {
  let spent = 0;
  /** The time since which the page is visible; 0 while it is not. */
  let since = 0;
  let timer = 0;
  const look = (): void => {
    const at = performance.now();
    clearTimer(timer);
    if (since) spent += at - since;
    since = doc.visibilityState === "visible" ? at : 0;
    reached(floor(spent / 1e3));
    // Timers may fire late, or early by a fraction of a millisecond.
    const next = min(...wanted.map((seconds) => +seconds * 1e3 - spent).filter((wait) => wait > 0));
    if (since && next < Infinity) timer = startTimer(look, next);
  };
  listen(doc, "visibilitychange", look);
  look();
  return () => {
    spent = since = 0;
    look();
  };
}
