// Takes globals once, before the page's own scripts can redefine them.

import { URL_CHARS_MAX } from "./limits";

export const win = window;
export const doc = document;
export const pageLocation = location;
export const browser = navigator;

/** The page's address, truncated to the length that the server accepts in a field of an event. */
export const pageUrl = (): string => pageLocation.href.slice(0, URL_CHARS_MAX);

const toJson = JSON.stringify;

/**
 * Converts a value to JSON. `Array.prototype.toJSON` of old libraries is disabled meanwhile, as it would turn lists
 * into strings. NUL and unpaired surrogates, for example of a string that was cut within an emoji, become U+FFFD: the
 * server does not accept them.
 */
export const stringify = (value: unknown): string => {
  const lists = Array.prototype as { toJSON?: unknown };
  const { toJSON } = lists;
  delete lists.toJSON;
  try {
    return toJson(value)?.replace(/\\(\\|u(0000|d[89a-f]..))/g, (escaped, _, odd) => (odd ? "\ufffd" : escaped));
  } finally {
    if (toJSON) lists.toJSON = toJSON;
  }
};

// One constant each, so that the bundler can drop unused ones.
export const parse = JSON.parse;
export const now = Date.now;
export const floor = Math.floor;
export const random = Math.random;
export const startTimer = /* @__PURE__ */ win.setTimeout.bind(win);
export const clearTimer = /* @__PURE__ */ win.clearTimeout.bind(win);
export const inMicrotask = /* @__PURE__ */ win.queueMicrotask.bind(win);
export const fetchNow = /* @__PURE__ */ win.fetch.bind(win);

/** Adds a capturing listener, which is called before most listeners of the page. */
export const listen = (target: EventTarget, type: string, listener: (event: never) => void): void =>
  target.addEventListener(type, listener as EventListener, true);

/** Returns what `work` returns, or undefined if it throws. The page never sees an error of the script. */
export function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {}
}

/** The matches of a selector; none if it is not valid. `host >>> inner` searches open shadow roots. */
export const queryAll = (selector: string, root: ParentNode = doc): Element[] =>
  (quietly(() =>
    selector
      .split(">>>")
      .reduce<ParentNode[]>(
        (roots, part, depth) =>
          roots.flatMap((each) => [...((depth ? (each as Element).shadowRoot : each)?.querySelectorAll(part) ?? [])]),
        [root],
      ),
  ) as Element[] | undefined) ?? [];
