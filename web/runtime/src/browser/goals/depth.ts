import { doc, floor, listen, quietly, win } from "../world";

const { min } = Math;

const isLong = (box: Element): boolean => box.scrollHeight > box.clientHeight + 1;

/** The element that scrolls: the document, or if that does not scroll, the box that fills most of the window. */
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
 * Calls `reached` with the percentage of the page's height that has been in view, on scrolling and on input: a page
 * that needs no scrolling does not count as read before that. `measure` measures now; `anew` resets the percentage to
 * 0.
 */
export function watchDepth(reached: (percent: number) => void): { measure(): void; anew(): void } {
  let frame = 0;
  const measure = (): void => {
    // Within a frame the layout is up to date, so reading heights is cheap.
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      quietly(() => {
        const { scrollTop, clientHeight, scrollHeight } = scroller(doc.scrollingElement!);
        // Browsers round each value; 2 pixels compensate for that.
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
