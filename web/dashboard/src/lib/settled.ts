// Says on `#app`, by the attribute `data-settled`, that nothing the page waits for is under way: no request, no chunk, no navigation.
// Tests wait for it. Streams do not count, as they do not end.

import type { AnyRouter } from "@tanstack/react-router";

const ATTRIBUTE = "data-settled";

let underWay = 0;
let frame = 0;

function changed(): void {
  const app = document.getElementById("app");
  cancelAnimationFrame(frame);
  app?.removeAttribute(ATTRIBUTE);
  if (underWay > 0) return;
  // An answer may lead to another request: React renders it, and runs effects, before two frames are over.
  frame = requestAnimationFrame(() => {
    frame = requestAnimationFrame(() => app?.setAttribute(ATTRIBUTE, ""));
  });
}

/** Counts `work` as under way until it has ended. Returns it. */
export function track<T>(work: Promise<T>): Promise<T> {
  underWay += 1;
  changed();
  const end = () => {
    underWay -= 1;
    changed();
  };
  work.then(end, end);
  return work;
}

/** Counts navigations of the router as under way, with the chunks that they load. */
export function trackNavigations(router: AnyRouter): void {
  // A navigation that another one replaces does not end.
  let end: (() => void) | undefined;
  router.subscribe("onBeforeNavigate", () => {
    if (end === undefined) track(new Promise<void>((resolve) => (end = resolve)));
  });
  router.subscribe("onResolved", () => {
    end?.();
    end = undefined;
  });
}
