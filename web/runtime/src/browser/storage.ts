// What is remembered of a visitor: in a cookie, so that subdomains and our own server see it, and in local storage, so that
// either heals the other. Nothing is written before it may be.

import { doc, place, quietly, win } from "./world";

const YEAR_S = 34_560_000; // 400 days, the most that browsers keep.

/** All cookies by name; of two with one name the first, which is the most specific. */
export function cookies(): Map<string, string> {
  const found = new Map<string, string>();
  for (const pair of (quietly(() => doc.cookie) ?? "").split(/; */)) {
    const at = pair.indexOf("=");
    const name = pair.slice(0, at);
    if (at > 0 && !found.has(name)) found.set(name, quietly(() => decodeURIComponent(pair.slice(at + 1))) ?? pair.slice(at + 1));
  }
  return found;
}

/** Writes a cookie for the widest domain that the browser allows: it refuses `com` and `co.uk`, and takes the next. */
function write(name: string, value: string, age: number): void {
  const labels = place.hostname.split(".");
  const end = `; path=/; max-age=${age}; samesite=lax${place.protocol === "https:" ? "; secure" : ""}`;
  for (let from = labels.length - 2; from >= -1; from--) {
    // The last try names no domain: a host without dots, an address.
    const domain = from < 0 ? "" : `; domain=${labels.slice(from).join(".")}`;
    doc.cookie = name + "=" + encodeURIComponent(value) + domain + end;
    if (age > 0 && cookies().get(name) === value) return;
  }
}

/** What is remembered under a name. */
export const recall = (name: string): string | undefined =>
  cookies().get(name) || quietly(() => win.localStorage.getItem(name)) || undefined;

export function remember(name: string, value: string): void {
  quietly(() => write(name, value, YEAR_S));
  keep(name, value);
}

/** Only in local storage. */
export const keep = (name: string, value: string): void => void quietly(() => win.localStorage.setItem(name, value));

export const kept = (name: string): string | null => quietly(() => win.localStorage.getItem(name)) ?? null;

/** Removes it everywhere. */
export function forget(name: string): void {
  quietly(() => write(name, "", 0));
  quietly(() => win.localStorage.removeItem(name));
}
