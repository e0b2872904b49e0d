// When an arm is due: at the decision, unless the experiment waits for something. Every arm waits for the same.

import { all, doc, later, listen, win } from "./world";

/**
 * Calls `due` once, when `word` says; what comes back stops the waiting.
 *
 * `load`: once the page has loaded and the frameworks on it have had their turn. `event:NAME`: when the page dispatches that
 * event at `window`. `element:SELECTOR`: when an element is there. Anything else: now.
 */
export function when(word: string | null | undefined, due: () => void): () => void {
  let waiting = true;
  const once = (): void => {
    if (waiting) {
      waiting = false;
      due();
    }
  };
  const [, kind, of = ""] = /^(\w+):?(.*)/s.exec(word ?? "") ?? [];
  if (kind === "load") {
    const idle = (): void => void (win.requestIdleCallback ? win.requestIdleCallback(once, { timeout: 500 }) : later(once, 50));
    if (doc.readyState === "complete") idle();
    else listen(win, "load", idle);
  } else if (kind === "event") {
    listen(win, of, once);
    return () => {
      waiting = false;
      win.removeEventListener(of, once, true);
    };
  } else if (kind === "element" && !all(of)[0]) {
    const observer = new MutationObserver(() => {
      if (!waiting || all(of)[0]) {
        observer.disconnect();
        once();
      }
    });
    observer.observe(doc, { childList: true, subtree: true });
  } else {
    once();
  }
  return () => {
    waiting = false;
  };
}
