// Sets the attribute `data-settled` on `#app` while nothing that the page waits for is in flight: no request, chunk or
// navigation. Tests wait for it. Streams do not count, because they do not end.

import type { AnyRouter } from "@tanstack/react-router";

const ATTRIBUTE = "data-settled";

let underWay = 0;
let frame = 0;

function changed(): void {
  const app = document.getElementById("app");
  cancelAnimationFrame(frame);
  app?.removeAttribute(ATTRIBUTE);
  if (underWay > 0) return;
  // An answer may lead to another request: React renders and runs effects within two frames.
  frame = requestAnimationFrame(() => {
    frame = requestAnimationFrame(() => app?.setAttribute(ATTRIBUTE, ""));
  });
}

/** Counts `work` as in flight until it ends. Returns it. */
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

/** Counts navigations of the router as in flight, with the chunks that they load. */
export function trackNavigations(router: AnyRouter): void {
  // A navigation that is replaced by another does not end.
  let end: (() => void) | undefined;
  router.subscribe("onBeforeNavigate", () => {
    if (end === undefined) void track(new Promise<void>((resolve) => (end = resolve)));
  });
  router.subscribe("onResolved", () => {
    end?.();
    end = undefined;
  });
}
