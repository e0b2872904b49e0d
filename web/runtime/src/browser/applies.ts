// Selects the experiments, and their changes, that apply to a page.

import { type Address, isOn } from "../assign/page";
import type { Change, Experiment, Variant } from "../ruleset";

/** Returns whether the page matches an address or a wildcard pattern. */
const isAt = (page: Address | null | undefined, url: string): boolean => !!page && isOn(/\*/.test(url), url, page);

/** Returns whether the experiment applies to the page: by its `url_rule`, else by the page that it was created for. */
export const isHere = ({ targeting, variants_data_key }: Experiment, page: Address | null | undefined): boolean =>
  !!targeting?.url_rule?.[0] || isAt(page, variants_data_key);

/** The changes of an arm that apply to the page. */
export const changesOn = (version: Variant | undefined, page: Address | null | undefined): Change[] =>
  (version?.data ?? []).filter(({ pageUrl, sitewide }) => !pageUrl || sitewide !== false || isAt(page, pageUrl));
