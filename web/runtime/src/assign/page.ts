// Addresses of pages, and whether rules mean them: docs/assignment-pages.md. All of it is about ASCII text, so nothing here asks the
// browser what it makes of an address.

import type { PageRule } from "../ruleset";
import { folded } from "./condition";

/** The plain form of an address, taken apart. */
export interface Address {
  /** All of it, from the scheme to the fragment. */
  url: string;
  /** Small letters; empty in a rule that names none. */
  scheme: string;
  /** Small letters; not empty in a page's address. */
  host: string;
  /** With its colon, or empty. */
  port: string;
  /** Begins with `/`. */
  path: string;
  /** With its `?`, or empty. */
  query: string;
  /** With its `#`, or empty. */
  fragment: string;
}

/** Where a visitor came from; only what is an address has a host. */
export type Referrer = Pick<Address, "url"> & Partial<Address>;

// Taken early: a page may later put something else under this name.
const Parameters = URLSearchParams;

/** A text with every character outside `!` to `~` as percent-escapes. */
const ascii = (text: string): string => text.replace(/[^!-~]+/gu, encodeURIComponent);

/**
 * The form of an address: scheme, host, port, path, query, fragment. Every ASCII text has it, as every part may be missing. What
 * is matched outside the counted brackets is dropped: a user's name, a dot after the host, usual ports, a `?` or `#` alone.
 */
const formOf = (schemes: string): RegExp =>
  RegExp(
    `^(?:(?:(${schemes}):)?//)?(?:[^/?#]*@)?([^/?#]*?)\\.?(?::(?:80|443)?|(:\\d+))?(/[^?#]*)?(\\?[^#]+)?\\??(#.+)?#?$`,
    "i",
  );
const PAGE = formOf("https?");
const REFERRER = formOf("https?|android-app");

function partsOf(text: string, form: RegExp): Address {
  const [, scheme = "", host = "", port = "", path = "/", query = "", fragment = ""] = form.exec(text) ?? [];
  const start = folded(`${scheme}://${host}`);
  return {
    url: start + port + path + query + fragment,
    scheme: folded(scheme),
    host: folded(host),
    port,
    path,
    query,
    fragment,
  };
}

/** The plain form of an http or https address; null when the text is none. */
export function addressOf(text: string, form = PAGE): Address | null {
  const parts = partsOf(ascii(text).slice(0, 2048), form);
  return parts.scheme && parts.host ? parts : null;
}

/** A referrer as rules see it: also an app's, and any other text. */
export const referrerOf = (text: string): Referrer => addressOf(text, REFERRER) ?? { url: ascii(text).slice(0, 2048) };

/** The first value of a parameter; null when there is none. */
export const parameterOf = (page: Address, name: string): string | null => new Parameters(page.query).get(name);

/** A host without one `www.` at its beginning. */
export const bare = (host: string): string => host.replace(/^www\./, "");

/** Whether an entry of `url_rule` matches a page. Throws when the engine does not know its regular expression. */
export function isPage({ rule, url }: PageRule, page: Address): boolean {
  if (rule === "regex") return RegExp(url).test(page.url);
  // `trim` drops more than these.
  const text = ascii(url.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, ""));
  const isPath = /^\/(?!\/)/.test(text);
  if (rule === "contain") return folded(page.url).includes(folded(text));
  return rule === "wildcard" ? isWildcardOf(text, isPath, page) : isAddressOf(text, isPath, rule === "exact", page);
}

function isAddressOf(text: string, isPath: boolean, exactly: boolean, page: Address): boolean {
  const named = partsOf(text, PAGE);
  // What has to be the same, with blanks where one part could be taken for the next.
  const compared = ({ scheme, host, port, path, query, fragment }: Address): string =>
    (
      (isPath ? "" : exactly ? `${named.scheme && scheme} ${host} ${port}` : `${bare(host)} ${port}`) +
      (exactly ? path + query + (named.fragment && fragment) : path.replace(/\/$/, ""))
    ).replace(/%[\da-f]{2}/gi, (escape) => escape.toUpperCase());
  return compared(named) === compared(page);
}

function isWildcardOf(pattern: string, isPath: boolean, page: Address): boolean {
  const { scheme, host, port, path, query, fragment } = page;
  const start = /^[^/]*:\/\//.test(pattern) ? `${scheme}://${host}${port}` : isPath ? "" : host + port;
  // Line ends are in no plain form. With one at both ends, the first and the last piece are found only where they have to be; each
  // piece at its first place leaves most room for the others, so there is no going back.
  const pieces = `\n${folded(pattern.replace(/^\/\//, ""))}\n`.split("*");
  return [path + query, path, path === "/" ? "" : path].some((end) => {
    const text = `\n${folded(start + end + (pattern.includes("#") ? fragment : ""))}\n`;
    let at = 0;
    return pieces.every((piece) => (at = text.indexOf(piece, at) + piece.length) >= piece.length);
  });
}
