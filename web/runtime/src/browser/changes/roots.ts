// Shadow roots of `host >>> inner`. No event reports that a root is attached. Usually that happens when the element is
// defined, by a module that runs when the document has been parsed.

import { queryAll, quietly } from "../world";

// Taken now, as a page may redefine them before they are used.
const NewSet = Set;
const registry = customElements;

/** Hosts without a root. Each has its own `attachShadow` that reports the root. */
const hosts = new NewSet<Element>();

/** Names of custom elements whose definition is awaited. */
const awaitedNames = new NewSet<string>();

/** Removes our `attachShadow` from hosts that are no longer in the page, or from all. */
export function releaseHosts(isAll?: boolean): void {
  for (const host of hosts) {
    if (isAll || !host.isConnected) {
      hosts.delete(host);
      delete (host as Partial<Element>).attachShadow;
    }
  }
}

/**
 * Calls `found` with each open root of the selector, now or when it is attached. Calls `defined` when an element was
 * defined that may have attached its root by another method.
 */
export function watchRoots(selector: string, found: (root: ShadowRoot) => void, defined: () => void): void {
  for (let at = 0; (at = selector.indexOf(">>>", at + 1)) > 0; ) {
    for (const host of queryAll(selector.slice(0, at))) {
      if (host.shadowRoot) found(host.shadowRoot);
      else if (!hosts.has(host)) {
        hosts.add(host);
        const attach = (given: ShadowRootInit): ShadowRoot => {
          // Call the original method, which may throw.
          delete (host as Partial<Element>).attachShadow;
          let root: ShadowRoot | undefined;
          try {
            root = host.attachShadow(given);
          } finally {
            if (root) hosts.delete(host);
            else host.attachShadow = attach;
          }
          if (root.mode === "open") quietly(() => found(root));
          return root;
        };
        host.attachShadow = attach;
        // The element's class may attach the root by the method of the prototype.
        const { localName } = host;
        if (!awaitedNames.has(localName) && host.matches(":not(:defined)")) {
          awaitedNames.add(localName);
          registry.whenDefined(localName).then(defined, () => {});
        }
      }
    }
  }
}
