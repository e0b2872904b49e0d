// What the page may redefine later is taken here once, before its own scripts run.

export const win = window;
export const doc = document;
export const place = location;
export const agent = navigator;

export const { parse, stringify } = JSON;
export const { now } = Date;
export const { floor, min, max, random } = Math;
export const later = win.setTimeout.bind(win);
export const never = win.clearTimeout.bind(win);
export const fetching = win.fetch && win.fetch.bind(win);

/** Calls `listener` for an event, before the page's own listeners get it. */
export const listen = (target: EventTarget, type: string, listener: (event: never) => void): void =>
  target.addEventListener(type, listener as EventListener, { capture: true, passive: true });

/** What `work` gives; where it throws, nothing. The page never sees an error of ours. */
export function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The matches of a selector; none for one that the browser does not know. `host >>> inner` looks into open shadow roots. */
export function all(selector: string, root: ParentNode = doc): Element[] {
  const [outer, ...inner] = selector.split(">>>");
  const found = quietly(() => [...root.querySelectorAll(outer as string)]) ?? [];
  return inner.length > 0
    ? found.flatMap((host) => (host.shadowRoot ? all(inner.join(">>>"), host.shadowRoot) : []))
    : found;
}
