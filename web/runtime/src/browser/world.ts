// What the page may redefine later is taken here once, before its own scripts run.

import { ADDRESS_MAX } from "./limits";

export const win = window;
export const doc = document;
export const place = location;
export const agent = navigator;

/** The page's address, as much of it as the server takes in each place of an event. */
export const here = (): string => place.href.slice(0, ADDRESS_MAX);

const write = JSON.stringify;

/**
 * A value as JSON. Libraries of old have lists write themselves as texts, which nobody could read. NUL and halves of surrogate
 * pairs, as in a text that was cut within an emoji, become U+FFFD: no server takes them.
 */
export const stringify = (value: unknown): string => {
  const lists = Array.prototype as { toJSON?: unknown };
  const { toJSON } = lists;
  delete lists.toJSON;
  try {
    return write(value)?.replace(/\\(\\|u(0000|d[89a-f]..))/g, (escaped, _, odd) => (odd ? "\ufffd" : escaped));
  } finally {
    if (toJSON) lists.toJSON = toJSON;
  }
};

// One by one, so that the bundler drops what nobody uses.
export const parse = JSON.parse;
export const now = Date.now;
export const floor = Math.floor;
export const min = Math.min;
export const random = Math.random;
export const later = /* @__PURE__ */ win.setTimeout.bind(win);
export const never = /* @__PURE__ */ win.clearTimeout.bind(win);
export const soon = /* @__PURE__ */ win.queueMicrotask.bind(win);
export const fetching = /* @__PURE__ */ win.fetch.bind(win);

/** Calls `listener` for an event, before the page's own listeners get it. */
export const listen = (target: EventTarget, type: string, listener: (event: never) => void): void =>
  target.addEventListener(type, listener as EventListener, true);

/** What `work` gives; where it throws, nothing. The page never sees an error of ours. */
export function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {}
}

/** The matches of a selector; none for one that the browser does not know. `host >>> inner` looks into open shadow roots. */
export const all = (selector: string, root: ParentNode = doc): Element[] =>
  (quietly(() =>
    selector
      .split(">>>")
      .reduce<ParentNode[]>(
        (roots, part, depth) =>
          roots.flatMap((each) => [...((depth ? (each as Element).shadowRoot : each)?.querySelectorAll(part) ?? [])]),
        [root],
      ),
  ) as Element[] | undefined) ?? [];
