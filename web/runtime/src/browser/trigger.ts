// When an arm is due: at the decision, unless the experiment waits for something. Every arm waits for the same.

import { all, doc, later, listen, now, quietly, win } from "./world";

const parsed: (() => void)[] = [];

/** Calls `then` when the document is parsed. */
export function whenParsed(then: () => void): void {
  if (doc.readyState !== "loading") return then();
  if (parsed.push(then) < 2) {
    listen(doc, "DOMContentLoaded", () => {
      for (const each of parsed.splice(0)) quietly(each);
    });
  }
}

/**
 * Calls `due` once, when `word` says; what comes back stops the waiting.
 *
 * `load`: once the page has loaded and the frameworks on it have had their turn. `event:NAME`: when the page dispatches that
 * event at `window`. `element:SELECTOR`: when an element is there. Anything else: now.
 */
export function when(word: string | null | undefined, due: () => void): () => void {
  if (!word) {
    due();
    return () => {};
  }
  let waiting = true;
  const once = (): void => {
    if (waiting) {
      waiting = false;
      due();
    }
  };
  const [, kind, of = ""] = /^(\w+):?(.*)/s.exec(word) ?? [];
  if (kind === "load") {
    const idle = idling(once);
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
    observer.observe(doc, { childList: true, subtree: true, attributes: true });
  } else {
    once();
  }
  return () => {
    waiting = false;
  };
}

/** What waits until the page is idle, for half a second at most, and calls `due`. */
function idling(due: () => void): () => void {
  if (win.requestIdleCallback) return () => void win.requestIdleCallback(due, { timeout: 500 });
  // Safari has no such thing. Frameworks work in slices there, too, and have their next one by a message: while they do, messages of
  // ours come late.
  const { port1, port2 } = new MessageChannel();
  let since = 0;
  let last = 0;
  let quick = 0;
  port1.onmessage = () => {
    const at = now();
    quick = at - last < 3 ? quick + 1 : 0;
    last = at;
    if (quick < 50 && at - since < 500) return port2.postMessage(0);
    port1.close();
    due();
  };
  return () => {
    since = now();
    later(() => port2.postMessage(0), 50);
  };
}
