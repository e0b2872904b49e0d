// Detects new pages: loads, changes of address by the page's router, and returns from the back-forward cache.

import { doc, listen, pageLocation, quietly, win } from "./world";

/** The identity of a page: its address, with the fragment only if that is a route (`#/…` or `#!/…`). */
const page = (): string => pageLocation.href.replace(/#(?!!?\/).*/, "");

/**
 * Calls `listener` after the address has changed, once for all changes in one task, and when the browser restores the page from
 * the back-forward cache. `isNext` is true for a change of address, whose view may not be shown yet. A new history state alone
 * is not a new page, nor is a new fragment, unless it is a route of the application.
 */
export function onRoute(listener: (isNext: boolean) => void): void {
  let at = page();
  const look = async (): Promise<void> => {
    // Let the caller finish first, and other code that wraps the same method.
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
          void look();
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

/** Returns whether the page is open, and not only prerendered. */
export const isActive = (): boolean => !(doc as { prerendering?: boolean }).prerendering;

/** Calls `listener` once the page is open: now, or after prerendering. */
export function whenActive(listener: () => void): void {
  if (isActive()) listener();
  else listen(doc, "prerenderingchange", () => quietly(listener));
}
