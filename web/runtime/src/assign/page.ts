// Normalises page addresses and matches them against rules: docs/assignment-pages.md. Everything is ASCII text, so the
// browser's own URL parser is not involved.

import { ascii, isPath, plainRule, withEqualEscapes } from "./plain";
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

/**
 * Scheme, host, port, path, query and fragment of an address. Every ASCII text matches, as every part may be missing. The
 * text outside the capturing groups is dropped: user information, a dot after the host, default ports, a `?` or `#`
 * without content.
 */
const PAGE =
  /^(?:(?:(https?):)?\/\/)?(?:[^/?#]*@)?([^/?#]*?)\.?(?::(?:80|443)?|(:\d+))?(\/[^?#]*)?(\?[^#]+)?\??(#.+)?#?$/i;

export function partsOf(text: string): Address {
  const [, scheme = "", host = "", port = "", path = "/", query = "", fragment = ""] = PAGE.exec(text)!;
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
export function addressOf(text: string): Address | null {
  const parts = partsOf(ascii(text).slice(0, 2048));
  return parts._scheme && parts.host ? parts : null;
}

/** A host without a leading `www.`. */
export const withoutWww = (host: string): string => host.replace(/^www\./, "");

/** The route that a fragment names, without parameters and one `/` at its end; undefined if it names none. */
const routeOf = (fragment: string): string | undefined => /^#!?\/[^?]*/.exec(fragment)?.[0].replace(/\/$/, "");

/**
 * Returns whether a page has an address (`simple`), or matches a pattern (`wildcard`). Other rules are in url-rule.ts.
 */
export function isOn(isPattern: boolean, url: string, page: Address): boolean {
  const text = plainRule(url);

  if (isPattern) {
    const { _scheme: scheme, host, _port: port, _path: path, _query: query, _fragment: fragment } = page;
    const start = isPath(text) ? "" : (/^[^/]*:\/\//.test(text) ? `${scheme}://` : "") + host + port;
    // Normalised addresses contain no line feeds. One at each end anchors the first and the last piece. Taking the first
    // occurrence of each piece leaves most room for the others, so no backtracking is needed.
    const pieces = `\n${asciiLowercase(text.replace(/^\/\//, ""))}\n`.split("*");
    return [path + query, path, path === "/" ? "" : path].some((end) => {
      const whole = `\n${asciiLowercase(start + end + (text.includes("#") ? fragment : ""))}\n`;
      let at = 0;
      return pieces.every((piece) => (at = whole.indexOf(piece, at) + piece.length) >= piece.length);
    });
  }

  const named = partsOf(text);
  // The text that has to be equal, with spaces so that adjacent parts stay distinct.
  const compared = ({ host, _port: port, _path: path, _fragment: fragment }: Address): string =>
    withEqualEscapes(
      `${isPath(text) || `${withoutWww(host)} ${port}`} ${path.replace(/\/$/, "")} ${routeOf(named._fragment) && routeOf(fragment)}`,
    );
  return compared(named) === compared(page);
}
