// The time at which an arm is shown: at the decision, unless the experiment has a trigger, which is the same for all
// arms.

import { queryAll, doc, startTimer, listen, now, quietly, win } from "./world";

const whenParsedListeners: (() => void)[] = [];

/** Calls `then` when the document is parsed. */
export function whenParsed(then: () => void): void {
  if (doc.readyState !== "loading") return then();
  if (whenParsedListeners.push(then) < 2) {
    listen(doc, "DOMContentLoaded", () => {
      for (const each of whenParsedListeners.splice(0)) quietly(each);
    });
  }
}

/**
 * Calls `due` once, when the trigger `word` fires. Returns a function that cancels it.
 *
 * `load`: once the page has loaded and is idle, so that frameworks have started. `event:NAME`: when the page dispatches that
 * event at `window`. `element:SELECTOR`: when an element matches. Anything else: now.
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
    const idle = whenIdle(once);
    if (doc.readyState === "complete") idle();
    else listen(win, "load", idle);
  } else if (kind === "event") {
    listen(win, of, once);
    return () => {
      waiting = false;
      win.removeEventListener(of, once, true);
    };
  } else if (kind === "element" && !queryAll(of)[0]) {
    const observer = new MutationObserver(() => {
      if (!waiting || queryAll(of)[0]) {
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

/** Returns a function that waits until the page is idle, for half a second at most, and then calls `due`. */
function whenIdle(due: () => void): () => void {
  if (win.requestIdleCallback) return () => void win.requestIdleCallback(due, { timeout: 500 });
  // Safari has no `requestIdleCallback`. Frameworks schedule slices of work by messages: while they do, messages of this channel
  // are delayed.
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
    startTimer(() => port2.postMessage(0), 50);
  };
}
