import { doc, floor, later, listen, min, never } from "../world";

/**
 * Calls `reached` with the whole seconds that the page has been visible: when those of `wanted` have passed, perhaps at other
 * times too, and with 0 when it begins. What comes back begins anew. A page that is hidden, frozen or prepared is not visible.
 */
export function watchTime(wanted: (string | number)[], reached: (seconds: number) => void): () => void {
  let spent = 0;
  /** Since when it is visible; 0 while it is not. */
  let since = 0;
  let timer = 0;
  const look = (): void => {
    const at = performance.now();
    never(timer);
    if (since) spent += at - since;
    since = doc.visibilityState === "visible" ? at : 0;
    reached(floor(spent / 1e3));
    // Timers may come late, and too early by a fraction.
    const next = min(...wanted.map((seconds) => +seconds * 1e3 - spent).filter((wait) => wait > 0));
    if (since && next < Infinity) timer = later(look, next);
  };
  listen(doc, "visibilitychange", look);
  look();
  return () => {
    spent = since = 0;
    look();
  };
}
