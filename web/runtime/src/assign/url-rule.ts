// Matches all kinds of page rules: docs/assignment-pages.md. The core does not import this file, as only targeting has them.

import type { PageRule } from "../ruleset";
import { type Address, isOn, partsOf } from "./page";
import { isPath, plainRule, withEqualEscapes } from "./plain";
import { asciiLowercase } from "./text";

/**
 * Returns whether an entry of `url_rule` matches a page. Throws when the engine does not accept its regular expression.
 */
export function isPage({ rule, url }: Pick<PageRule, "rule" | "url">, page: Address): boolean {
  if (rule === "regex") return RegExp(url).test(page.url);
  const text = plainRule(url);
  if (rule === "contain") return asciiLowercase(page.url).includes(asciiLowercase(text));
  if (rule !== "exact") return isOn(rule === "wildcard", url, page);

  const named = partsOf(text);
  // The text that has to be equal, with spaces so that adjacent parts stay distinct.
  const compared = ({ _scheme, host, _port, _path, _query, _fragment }: Address): string =>
    withEqualEscapes(
      `${named._scheme && _scheme} ${isPath(text) || `${host} ${_port}`} ${_path}${_query}${named._fragment && _fragment}`,
    );
  return compared(named) === compared(page);
}
