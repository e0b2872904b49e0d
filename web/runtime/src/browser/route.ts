// When there is a new page to look at, whoever brought it: the browser, the page's router, or the way back.

import { doc, listen, place, quietly, win } from "./world";

/** What makes a page: all of its address but the fragment. */
const page = (): string => place.pathname + place.search;

/**
 * Calls `listener` after the page's address has changed, once for the changes that one piece of code makes, and when the
 * browser brings a page back as it was left. `isNext` is whether a page follows that is not shown yet. Neither a new state nor a new fragment alone is a new page.
 */
export function onRoute(listener: (isNext: boolean) => void): void {
  let at = page();
  const look = async (): Promise<void> => {
    // First let those finish who called, and those who wrapped what they called.
    await 0;
    if (at !== (at = page())) quietly(() => listener(true));
  };
  const { navigation } = win as { navigation?: EventTarget };
  if (navigation) listen(navigation, "currententrychange", look);
  else {
    listen(win, "popstate", look);
    const { history } = win;
    for (const name of ["pushState", "replaceState"] as const) {
      const original = history[name];
      quietly(() => {
        history[name] = function (this: History, ...given) {
          const answer = original.apply(this, given);
          look();
          return answer;
        };
      });
    }
  }
  listen(win, "pageshow", (event: PageTransitionEvent) => {
    if (event.persisted) {
      at = page();
      quietly(() => listener(false));
    }
  });
}

/** Whether the page is really opened: the browser may only prepare it. */
export const isActive = (): boolean => !(doc as { prerendering?: boolean }).prerendering;

/** Calls `listener` once the page is really opened. */
export function whenActive(listener: () => void): void {
  if (isActive()) listener();
  else listen(doc, "prerenderingchange", () => quietly(listener));
}
