import type { Take } from "../events";
import { all, later, quietly, win } from "../world";
import { isNamed } from "./selector";

/** How long changes of the page are gathered, and how often is looked whether what is in view is still not to be seen. */
const WAIT_MS = 250;

/** Shares of an element that lie so close that one of them is reached while a taller one than the window covers half of it. */
const STEPS = [...Array(40)].map((_, step) => 0.5 * 0.8 ** step);

/**
 * Watches for elements that come to be visible: half of one, or as much of it as covers half the window, is in view, takes
 * up room, and is neither transparent nor hidden. Each selector is told of once, until what comes back is called.
 */
export function watchAppearances(selectors: string[], take: Take): () => void {
  const seen = new Set<string>();
  let waiting = 0;

  const observer = new IntersectionObserver(
    (entries) =>
      entries.forEach(({ target, isIntersecting, intersectionRatio, intersectionRect: part, boundingClientRect: box }) => {
        if (!isIntersecting || (intersectionRatio < 0.5 && part.width * part.height * 2 < win.innerWidth * win.innerHeight)) return;
        const look = { opacityProperty: true, visibilityProperty: true };
        observer.unobserve(target);
        if (box.width * box.height > 0 && quietly(() => target.checkVisibility(look)) !== false) {
          for (const trigger of selectors) {
            if (isNamed(target, trigger) && !seen.has(trigger)) {
              seen.add(trigger);
              quietly(() => take({ type: "appear", trigger }));
            }
          }
        } else {
          // No observer says when it fades in, or is filled.
          later(() => observer.observe(target), WAIT_MS);
        }
      }),
    { threshold: STEPS },
  );

  const sweep = (): void => {
    waiting = 0;
    for (const selector of selectors) if (!seen.has(selector)) all(selector).forEach((element) => observer.observe(element));
  };
  const plan = (): void => {
    waiting ||= later(sweep, WAIT_MS);
  };
  if (selectors[0]) {
    plan();
    new MutationObserver(plan).observe(document, { childList: true, subtree: true, attributes: true });
  }
  return () => {
    seen.clear();
    observer.disconnect();
    plan();
  };
}
