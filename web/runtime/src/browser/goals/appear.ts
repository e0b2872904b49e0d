import type { RecordEvent } from "../events";
import { APPEARANCE_POLL_MS } from "../limits";
import { queryAll, doc, startTimer, quietly } from "../world";
import { isNamed } from "./selector";

/**
 * Watches for elements that become visible: half of the element, or as much of it as covers half the window, is in
 * view, has a size, and is neither transparent nor hidden. Each selector is recorded once. Returns a function that
 * resets this.
 */
export function watchAppearances(selectors: string[], take: RecordEvent): () => void {
  let left = new Set(selectors);
  // biome-ignore lint/correctness/noUnusedVariables: `waiting ||= later(…)` is a use.
  let waiting = 0;

  const observer = new IntersectionObserver(
    (entries) =>
      entries.forEach(({ target, intersectionRatio, intersectionRect: part, boundingClientRect: box }) => {
        if (intersectionRatio < 0.5 && part.width * part.height * 2 < innerWidth * innerHeight) return;
        observer.unobserve(target);
        const look = { opacityProperty: true, visibilityProperty: true };
        if (box.width && box.height && quietly(() => target.checkVisibility(look)) !== false) {
          for (const trigger of left) {
            if (isNamed(target, trigger) && left.delete(trigger)) take({ type: "appear", trigger });
          }
        } else {
          // No observer reports that an element fades in or gets content.
          startTimer(() => observer.observe(target), APPEARANCE_POLL_MS);
        }
      }),
    // Close thresholds, so that an element taller than the window reaches one while it covers half of the window.
    { threshold: [...Array(40)].map((_, step) => 0.5 * 0.8 ** step) },
  );

  const plan = (): void => {
    waiting ||= startTimer(() => {
      waiting = 0;
      for (const selector of left) for (const element of queryAll(selector)) observer.observe(element);
    }, APPEARANCE_POLL_MS);
  };
  if (selectors[0]) new MutationObserver(plan).observe(doc, { childList: true, subtree: true, attributes: true });
  plan();
  return () => {
    left = new Set(selectors);
    observer.disconnect();
    plan();
  };
}
