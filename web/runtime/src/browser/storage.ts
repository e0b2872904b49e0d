// What is remembered of a visitor: in a cookie, so that subdomains and our own server see it, and in local storage, so that
// either heals the other. Nothing is written before it may be.

import { YEAR_S } from "./limits";
import { nameOf } from "./settings";
import { doc, place, quietly, win } from "./world";

/** All cookies by name; of two with one name the first, which is the most specific. */
export const cookies = (): Map<string, string> =>
  new Map(
    [...(quietly(() => doc.cookie) ?? "").matchAll(/(?:^|; *)([^=;]+)=([^;]*)/g)]
      .reverse()
      .map(([, name, value]) => [name!, quietly(() => decodeURIComponent(value!)) ?? value!]),
  );

/** The domain that cookies are written for; empty where they are the host's own. */
export let domain = "";

/** Writes a cookie for the widest domain that the browser allows: it refuses `com` and `co.uk`, and takes the next. */
function write(name: string, value: string): void {
  const labels = place.hostname.split(".");
  for (let from = labels.length - 2; from >= -1; from--) {
    // The last try names no domain: a host without dots, an address.
    domain = from < 0 ? "" : labels.slice(from).join(".");
    doc.cookie = `${name}=${encodeURIComponent(value)}; path=/; samesite=lax; max-age=${value ? YEAR_S : 0}${domain && "; domain=" + domain}${/^https/.test(place.protocol) ? "; secure" : ""}`;
    if (value && cookies().get(name) === value) return;
  }
}

/** What is remembered. */
export const recall = (what: string): string | undefined => cookies().get(nameOf(what)) || kept(what);

/** Remembers it; the empty text removes it everywhere. */
export function remember(what: string, value: string): void {
  quietly(() => write(nameOf(what), value));
  keep(what, value);
}

// Only in local storage, by property: a page cannot redefine that.

export const keep = (what: string, value: string): unknown =>
  quietly(() => (value ? (win.localStorage[nameOf(what)] = value) : delete win.localStorage[nameOf(what)]));

export const kept = (what: string): string | undefined => quietly(() => win.localStorage[nameOf(what)] as string | undefined);
