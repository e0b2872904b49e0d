import { doc, floor, listen, min, quietly, win } from "../world";

/** What scrolls when the page does: the document, or where that has nothing to scroll, the box that fills most of the window. */
function scroller(page: Element): Element {
  const height = page.clientHeight;
  if (page.scrollHeight > height + 1) return page;
  let box = doc.elementFromPoint(win.innerWidth / 2, height / 2);
  while (
    box &&
    !(box.scrollHeight > box.clientHeight + 1 && box.clientHeight * 2 >= height && /auto|scroll/.test(getComputedStyle(box).overflowY))
  ) {
    box = box.parentElement;
  }
  return box ?? page;
}

/**
 * Tells `reached` how many percent of the page's height have been in the window, whenever it scrolls or the visitor does
 * something: a page that shows all of itself has been read by nobody before that.
 *
 * What comes back measures now; with true, it begins anew and waits.
 */
export function watchDepth(reached: (percent: number) => void): (anew?: boolean) => void {
  let frame = 0;
  const measure = (): void => {
    // Heights are known for free in a frame, and once a frame is enough.
    frame ||= win.requestAnimationFrame(() => {
      frame = 0;
      quietly(() => {
        if (doc.readyState === "loading") return;
        const { scrollTop, clientHeight, scrollHeight } = scroller(doc.scrollingElement ?? doc.documentElement);
        // Browsers round each of them.
        reached(min(100, floor((100 * (scrollTop + clientHeight + 2)) / scrollHeight)));
      });
    });
  };
  for (const type of ["scroll", "pointerdown", "keydown"]) listen(win, type, measure);
  return (anew) => {
    if (!anew) return measure();
    win.cancelAnimationFrame(frame);
    frame = 0;
    reached(0);
  };
}
