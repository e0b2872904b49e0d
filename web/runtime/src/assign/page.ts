// Addresses of pages, and whether rules mean them: docs/assignment-pages.md. All of it is about ASCII text, so nothing
// here asks the browser what it makes of an address.

import type { PageRule } from "../ruleset";
import { folded } from "./text";

/** The plain form of an address, taken apart. */
export interface Address {
  /** All of it, from the scheme to the fragment. */
  url: string;
  /** Small letters; empty in a rule that names none. */
  _scheme: string;
  /** Small letters; not empty in a page's address. */
  host: string;
  /** With its colon, or empty. */
  _port: string;
  /** Begins with `/`. */
  _path: string;
  /** With its `?`, or empty. */
  _query: string;
  /** With its `#`, or empty. */
  _fragment: string;
}

/** Where a visitor came from; only what is an address has a host. */
export type Referrer = Pick<Address, "url"> & Partial<Address>;

// Taken early: a page may later put something else under this name.
const Parameters = URLSearchParams;

/**
 * A text with every character outside `!` to `~` as percent-escapes. Half a surrogate pair, which neither rulesets nor
 * locations have, throws.
 */
const ascii = (text: string): string => text.replace(/[^!-~]+/gu, encodeURIComponent);

/**
 * The form of an address: scheme, host, port, path, query, fragment. Every ASCII text has it, as every part may be
 * missing. What is matched outside the counted brackets is dropped: a user's name, a dot after the host, usual ports, a
 * `?` or `#` alone.
 */
const PAGE =
  /^(?:(?:(https?):)?\/\/)?(?:[^/?#]*@)?([^/?#]*?)\.?(?::(?:80|443)?|(:\d+))?(\/[^?#]*)?(\?[^#]+)?\??(#.+)?#?$/i;
const REFERRER = RegExp(PAGE.source.replace("ps?", "ps?|android-app"), "i");

function partsOf(text: string, form: RegExp): Address {
  const [, scheme = "", host = "", port = "", path = "/", query = "", fragment = ""] = form.exec(text)!;
  const url = folded(`${scheme}://${host}`) + port + path + query + fragment;
  return {
    url,
    _scheme: folded(scheme),
    host: folded(host),
    _port: port,
    _path: path,
    _query: query,
    _fragment: fragment,
  };
}

/** The plain form of an http or https address; null when the text is none. */
export function addressOf(text: string, form = PAGE): Address | null {
  const parts = partsOf(ascii(text).slice(0, 2048), form);
  return parts._scheme && parts.host ? parts : null;
}

/** A referrer as rules see it: also an app's, and any other text. */
export const referrerOf = (text: string): Referrer => addressOf(text, REFERRER) ?? { url: ascii(text).slice(0, 2048) };

/** The first value of a parameter; null when there is none. */
export const parameterOf = (page: Address, name: string): string | null => new Parameters(page._query).get(name);

/** A host without one `www.` at its beginning. */
export const bare = (host: string): string => host.replace(/^www\./, "");

/** Whether an entry of `url_rule` matches a page. Throws when the engine does not know its regular expression. */
export function isPage({ rule, url }: Pick<PageRule, "rule" | "url">, page: Address): boolean {
  if (rule === "regex") return RegExp(url).test(page.url);
  // `trim` drops more than these.
  const text = ascii(url.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, ""));
  const isPath = /^\/(?!\/)/.test(text);
  if (rule === "contain") return folded(page.url).includes(folded(text));

  if (rule === "wildcard") {
    const { _scheme: scheme, host, _port: port, _path: path, _query: query, _fragment: fragment } = page;
    const start = isPath ? "" : (/^[^/]*:\/\//.test(text) ? `${scheme}://` : "") + host + port;
    // No plain form has line ends. With one at both ends, the first and the last piece are found only where they have
    // to be; each piece at its first place leaves most room for the others, so there is no going back.
    const pieces = `\n${folded(text.replace(/^\/\//, ""))}\n`.split("*");
    return [path + query, path, path === "/" ? "" : path].some((end) => {
      const whole = `\n${folded(start + end + (text.includes("#") ? fragment : ""))}\n`;
      let at = 0;
      return pieces.every((piece) => (at = whole.indexOf(piece, at) + piece.length) >= piece.length);
    });
  }

  const named = partsOf(text, PAGE);
  const exactly = rule === "exact";
  // What has to be the same, with blanks where one part could be taken for the next.
  const compared = ({
    _scheme: scheme,
    host,
    _port: port,
    _path: path,
    _query: query,
    _fragment: fragment,
  }: Address): string =>
    (exactly
      ? `${named._scheme && scheme} ${isPath || `${host} ${port}`} ${path}${query}${named._fragment && fragment}`
      : `${isPath || `${bare(host)} ${port}`} ${path.replace(/\/$/, "")}`
    ).replace(/%[\da-f]{2}/gi, (escaped) => escaped.toUpperCase());
  return compared(named) === compared(page);
}
