import type { Take } from "../events";
import { WAIT_MS } from "../limits";
import { all, doc, later, quietly } from "../world";
import { isNamed } from "./selector";

/**
 * Watches for elements that come to be visible: half of one, or as much of it as covers half the window, is in view, takes
 * up room, and is neither transparent nor hidden. Each selector is told of once, until what comes back is called.
 */
export function watchAppearances(selectors: string[], take: Take): () => void {
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
          // No observer says when it fades in, or is filled.
          later(() => observer.observe(target), WAIT_MS);
        }
      }),
    // So close that one is reached while an element that is taller than the window covers half of it.
    { threshold: [...Array(40)].map((_, step) => 0.5 * 0.8 ** step) },
  );

  const plan = (): void => {
    waiting ||= later(() => {
      waiting = 0;
      for (const selector of left) for (const element of all(selector)) observer.observe(element);
    }, WAIT_MS);
  };
  if (selectors[0]) new MutationObserver(plan).observe(doc, { childList: true, subtree: true, attributes: true });
  plan();
  return () => {
    left = new Set(selectors);
    observer.disconnect();
    plan();
  };
}
