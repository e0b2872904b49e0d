// Normalises page addresses and matches them against rules: docs/assignment-pages.md. Everything is ASCII text, so the
// browser's own URL parser is not involved.

import type { PageRule } from "../ruleset";
import { asciiLowercase } from "./text";

/** The normalised form of an address, in parts. */
export interface Address {
  /** The whole address, from the scheme to the fragment. */
  url: string;
  /** Lower case; empty in a rule without a scheme. */
  _scheme: string;
  /** Lower case; not empty in a page's address. */
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

/** The page that a visitor came from; it has a host only if it is an address. */
export type Referrer = Pick<Address, "url"> & Partial<Address>;

// Taken before the page's scripts run: a page may replace the global later.
const Parameters = URLSearchParams;

/**
 * Percent-encodes every character outside `!` to `~`. Throws on an unpaired surrogate, which neither rulesets nor
 * locations contain.
 */
const ascii = (text: string): string => text.replace(/[^!-~]+/gu, encodeURIComponent);

/**
 * Scheme, host, port, path, query and fragment of an address. Every ASCII text matches, as every part may be missing. The
 * text outside the capturing groups is dropped: user information, a dot after the host, default ports, a `?` or `#`
 * without content.
 */
const PAGE =
  /^(?:(?:(https?):)?\/\/)?(?:[^/?#]*@)?([^/?#]*?)\.?(?::(?:80|443)?|(:\d+))?(\/[^?#]*)?(\?[^#]+)?\??(#.+)?#?$/i;
const REFERRER = RegExp(PAGE.source.replace("ps?", "ps?|android-app"), "i");

function partsOf(text: string, form: RegExp): Address {
  const [, scheme = "", host = "", port = "", path = "/", query = "", fragment = ""] = form.exec(text)!;
  const url = asciiLowercase(`${scheme}://${host}`) + port + path + query + fragment;
  return {
    url,
    _scheme: asciiLowercase(scheme),
    host: asciiLowercase(host),
    _port: port,
    _path: path,
    _query: query,
    _fragment: fragment,
  };
}

/** Normalises an http or https address; null when the text is not such an address. */
export function addressOf(text: string, form = PAGE): Address | null {
  const parts = partsOf(ascii(text).slice(0, 2048), form);
  return parts._scheme && parts.host ? parts : null;
}

/** Normalises a referrer: an address, that of an Android app, or any other text. */
export const referrerOf = (text: string): Referrer => addressOf(text, REFERRER) ?? { url: ascii(text).slice(0, 2048) };

/** The first value of a query parameter; null without one. */
export const parameterOf = (page: Address, name: string): string | null => new Parameters(page._query).get(name);

/** A host without a leading `www.`. */
export const withoutWww = (host: string): string => host.replace(/^www\./, "");

/** Whether an entry of `url_rule` matches a page. Throws when the engine does not accept its regular expression. */
export function isPage({ rule, url }: Pick<PageRule, "rule" | "url">, page: Address): boolean {
  if (rule === "regex") return RegExp(url).test(page.url);
  // `trim` would remove further characters.
  const text = ascii(url.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, ""));
  const isPath = /^\/(?!\/)/.test(text);
  if (rule === "contain") return asciiLowercase(page.url).includes(asciiLowercase(text));

  if (rule === "wildcard") {
    const { _scheme: scheme, host, _port: port, _path: path, _query: query, _fragment: fragment } = page;
    const start = isPath ? "" : (/^[^/]*:\/\//.test(text) ? `${scheme}://` : "") + host + port;
    // Normalised addresses contain no line feeds. One at each end anchors the first and the last piece. Taking the first
    // occurrence of each piece leaves most room for the others, so no backtracking is needed.
    const pieces = `\n${asciiLowercase(text.replace(/^\/\//, ""))}\n`.split("*");
    return [path + query, path, path === "/" ? "" : path].some((end) => {
      const whole = `\n${asciiLowercase(start + end + (text.includes("#") ? fragment : ""))}\n`;
      let at = 0;
      return pieces.every((piece) => (at = whole.indexOf(piece, at) + piece.length) >= piece.length);
    });
  }

  const named = partsOf(text, PAGE);
  const exactly = rule === "exact";
  // The text that has to be equal, with spaces so that adjacent parts stay distinct.
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
      : `${isPath || `${withoutWww(host)} ${port}`} ${path.replace(/\/$/, "")}`
    ).replace(/%[\da-f]{2}/gi, (escaped) => escaped.toUpperCase());
  return compared(named) === compared(page);
}
