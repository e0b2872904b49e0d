// What is remembered of a visitor: in a cookie, so that subdomains and our own server see it, and in local storage, so that
// either heals the other. Nothing is written before it may be.

import { COOKIE_S, REREAD_MS } from "./limits";
import { nameOf } from "./settings";
import { doc, now, place, quietly, random, win } from "./world";

let read: string | undefined;
let readAt = 0;

/** Cookies may have changed: the page's own code has run. */
export function reread(): void {
  read = undefined;
}

/** All cookies, as the browser writes them down. They are slow to read, and so read once a second. */
export function cookies(): string {
  if (read == null || now() - readAt > REREAD_MS) {
    readAt = now();
    // A form of the page may be called cookie.
    read = quietly(() => doc.cookie + "") ?? "";
  }
  return read;
}

/** A cookie of ours; of two the first, which is the most specific. */
function cookie(what: string): string | undefined {
  const value = ("; " + cookies()).split("; " + nameOf(what) + "=")[1]?.split(";")[0];
  return value && (quietly(() => decodeURIComponent(value)) ?? value);
}

/** Writes a cookie down; with a `value` that the browser takes it need not be asked what it has. */
function put(name: string, value: string, rest: string, isTaken?: unknown): void {
  doc.cookie = `${name}=${value}; ${rest}`;
  // Of two with one name the first counts.
  if (isTaken && read != null) read = `${name}=${value}; ${read}`;
  else reread();
}

/** The widest domain that the browser takes cookies for, for it refuses `com` and `co.uk`; empty where they are the host's own. */
export const domain = (): string => (found ??= probe());

let found: string | undefined;

/** Asked once, and remembered as `.` and the domain. */
function probe(): string {
  const before = kept("d");
  if (before) return before.slice(1);
  const labels = place.hostname.split(".");
  const value = `${random()}`;
  for (let from = labels.length - 2; from >= 0; from--) {
    const wide = labels.slice(from).join(".");
    put(nameOf("t"), value, "domain=" + wide);
    const isTaken = cookie("t") === value;
    put(nameOf("t"), "", "max-age=0; domain=" + wide, isTaken);
    if (isTaken) {
      keep("d", "." + wide);
      return wide;
    }
  }
  keep("d", ".");
  return "";
}

function write(name: string, value: string): void {
  const wide = domain();
  const isSecure = /^https/.test(place.protocol) ? "; secure" : "";
  const rest = `path=/; samesite=lax; max-age=${value ? COOKIE_S : 0}${isSecure}`;
  put(name, encodeURIComponent(value), rest + (wide && "; domain=" + wide), wide && value);
  // A server that was told of no domain has written the host's own.
  if (!value) put(name, "", rest);
}

/** What is remembered. */
export function recall(what: string): string | undefined {
  const local = kept(what);
  // Another page has written since.
  if (local !== cookie(what)) reread();
  return cookie(what) || local;
}

/** Whether it is remembered so, in both places. */
export const isKept = (what: string, value: string): boolean => cookie(what) === value && kept(what) === value;

/** Remembers it; the empty text removes it everywhere. */
export function remember(what: string, value: string): void {
  quietly(() => write(nameOf(what), value));
  keep(what, value);
}

// Only in local storage, by property: a page cannot redefine that.

export const keep = (what: string, value: string): unknown =>
  quietly(() => (value ? (win.localStorage[nameOf(what)] = value) : delete win.localStorage[nameOf(what)]));

export const kept = (what: string): string | undefined =>
  quietly(() => win.localStorage[nameOf(what)] as string | undefined);
