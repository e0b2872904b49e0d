// Shadow roots on the way of `host >>> inner`. The document does not tell when one is attached: mostly that is when the element is
// defined, by a module that runs when all has been parsed.

import { all, quietly } from "../world";

// What is made later: by then a page may have redefined it.
const NewSet = Set;
const registry = customElements;

/** Elements whose root is not attached: they have a method of their own that tells of it. */
const hosts = new NewSet<Element>();

/** Names of elements whose definition is waited for. */
const names = new NewSet<string>();

/** Leaves the hosts that are gone as they were, or all of them. */
export function release(isAll?: boolean): void {
  for (const host of hosts) {
    if (isAll || !host.isConnected) {
      hosts.delete(host);
      delete (host as Partial<Element>).attachShadow;
    }
  }
}

/** Calls `found` with each open root on the way, now or when it is attached, and `defined` when roots may be there that were attached otherwise. */
export function reach(selector: string, found: (root: ShadowRoot) => void, defined: () => void): void {
  for (let at = 0; (at = selector.indexOf(">>>", at + 1)) > 0; ) {
    for (const host of all(selector.slice(0, at))) {
      if (host.shadowRoot) found(host.shadowRoot);
      else if (!hosts.has(host)) {
        hosts.add(host);
        const attach = (given: ShadowRootInit): ShadowRoot => {
          // Its own, as if there were none of ours; which may refuse.
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
        // Its class may attach the root by the method of its prototype.
        const { localName } = host;
        if (!names.has(localName) && host.matches(":not(:defined)")) {
          names.add(localName);
          registry.whenDefined(localName).then(defined, () => {});
        }
      }
    }
  }
}
