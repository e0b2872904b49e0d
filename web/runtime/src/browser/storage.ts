// Stores values about the visitor: in a cookie, which subdomains and the server can read, and in local storage, so that each
// restores the other. Callers check consent before they write.

import { COOKIE_MAX_AGE_S, COOKIE_CACHE_MS } from "./limits";
import { nameOf, settings } from "./settings";
import { doc, now, pageLocation, quietly, random, win } from "./world";

let cookieCache: string | undefined;
let cookieCacheAt = 0;

/** Clears the cache, as other code may have changed cookies. */
export function clearCookieCache(): void {
  cookieCache = undefined;
}

/** The cookie header. It is slow to read, so it is cached for a second. */
export function cookies(): string {
  if (cookieCache == null || now() - cookieCacheAt > COOKIE_CACHE_MS) {
    cookieCacheAt = now();
    // A form with the name `cookie` shadows `document.cookie`.
    cookieCache = quietly(() => doc.cookie + "") ?? "";
  }
  return cookieCache;
}

/** The value of a cookie of the script. If there are several, the first one, which is the most specific. */
function cookie(what: string): string | undefined {
  const value = ("; " + cookies()).split("; " + nameOf(what) + "=")[1]?.split(";")[0];
  return value && (quietly(() => decodeURIComponent(value)) ?? value);
}

/** Writes a cookie. With `isTaken` the browser is known to accept it, so the cache is updated instead of cleared. */
function writeCookie(name: string, value: string, rest: string, isTaken?: unknown): void {
  doc.cookie = `${name}=${value}; ${rest}`;
  // If several cookies have the same name, the first counts.
  if (isTaken && cookieCache != null) cookieCache = `${name}=${value}; ${cookieCache}`;
  else clearCookieCache();
}

/** The widest domain for which the browser accepts cookies, as it refuses `com` and `co.uk`; empty if it accepts host cookies only. */
export const domain = (): string => (cookieDomain ??= probeDomain());

let cookieDomain: string | undefined;

/** Finds the domain by writing cookies. The result is stored as `.` and the domain. */
function probeDomain(): string {
  const before = readLocal("d");
  if (before) return before.slice(1);
  const labels = pageLocation.hostname.split(".");
  const value = `${random()}`;
  for (let from = labels.length - 2; from >= 0; from--) {
    const wide = labels.slice(from).join(".");
    writeCookie(nameOf("t"), value, "domain=" + wide);
    const isTaken = cookie("t") === value;
    writeCookie(nameOf("t"), "", "max-age=0; domain=" + wide, isTaken);
    if (isTaken) {
      storeLocal("d", "." + wide);
      return wide;
    }
  }
  storeLocal("d", ".");
  return "";
}

function writeWide(name: string, value: string): void {
  const wide = domain();
  const isSecure = /^https/.test(pageLocation.protocol) ? "; secure" : "";
  const rest = `path=/; samesite=lax; max-age=${value ? COOKIE_MAX_AGE_S : 0}${isSecure}`;
  writeCookie(name, encodeURIComponent(value), rest + (wide && "; domain=" + wide), wide && value);
  // The server writes a host cookie if the request names no domain.
  if (!value) writeCookie(name, "", rest);
}

/** Reads a stored value. */
export function recall(what: string): string | undefined {
  const local = readLocal(what);
  // Another page may have written since.
  if (local !== cookie(what)) clearCookieCache();
  return cookie(what) || local;
}

/** Returns whether both cookie and local storage have this value. */
export const isRemembered = (what: string, value: string): boolean =>
  cookie(what) === value && readLocal(what) === value;

/** Stores a value in both places; the empty string removes it. */
export function remember(what: string, value: string): void {
  quietly(() => writeWide(nameOf(what), value));
  storeLocal(what, value);
}

/** Removes what the script has stored about the visitor for any project, except the visitor's consent. */
export function erase(): void {
  const items = quietly(() => Object.keys(win.localStorage));
  for (const item of (items + "; " + cookies()).split(/[,;] ?/)) {
    const [, what] = item.split("=")[0]!.split(settings.global + "_");
    if (/^(id|[adeqstv])(_|$)/.test(what!)) remember(what!, "");
  }
}

// Local storage only. Items are accessed as properties, as a page can redefine `getItem` and `setItem`.

export const storeLocal = (what: string, value: string): unknown =>
  quietly(() => (value ? (win.localStorage[nameOf(what)] = value) : delete win.localStorage[nameOf(what)]));

export const readLocal = (what: string): string | undefined =>
  quietly(() => win.localStorage[nameOf(what)] as string | undefined);
