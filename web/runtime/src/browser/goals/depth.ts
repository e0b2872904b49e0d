import { doc, floor, listen, min, quietly, win } from "../world";

const isLong = (box: Element): boolean => box.scrollHeight > box.clientHeight + 1;

/** What scrolls when the page does: the document, or where that has nothing to scroll, the box that fills most of the window. */
function scroller(page: Element): Element {
  if (isLong(page)) return page;
  const height = page.clientHeight / 2;
  let box = doc.elementFromPoint(innerWidth / 2, height);
  const scrolls = (at: Element): boolean =>
    isLong(at) && at.clientHeight >= height && /auto|scroll/.test(getComputedStyle(at).overflowY);
  while (box && !scrolls(box)) box = box.parentElement;
  return box ?? page;
}

/**
 * Tells `reached` how many percent of the page's height have been in the window, whenever it scrolls or the visitor does
 * something: a page that shows all of itself has been read by nobody before that. `measure` does it now, and `anew` tells 0
 * and waits.
 */
export function watchDepth(reached: (percent: number) => void): { measure(): void; anew(): void } {
  let frame = 0;
  const measure = (): void => {
    // Heights are known for free in a frame, and once a frame is enough.
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      quietly(() => {
        const { scrollTop, clientHeight, scrollHeight } = scroller(doc.scrollingElement!);
        // Browsers round each of them.
        if (doc.readyState !== "loading")
          reached(min(100, floor((100 * (scrollTop + clientHeight + 2)) / scrollHeight)));
      });
    });
  };
  for (const type of ["scroll", "pointerdown", "keydown"]) listen(win, type, measure);
  return {
    measure,
    anew() {
      cancelAnimationFrame(frame);
      reached((frame = 0));
    },
  };
}
