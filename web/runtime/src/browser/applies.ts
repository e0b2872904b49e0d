// Whether an experiment applies to a page, and which of its changes do.

import type { Reason } from "../assign/decide";
import { type Address, isPage } from "../assign/page";
import type { Change, Experiment, Variant } from "../ruleset";
import { stringify } from "./world";

/** Whether the page matches an address or a wildcard pattern. */
const isOn = (page: Address | null | undefined, url: string): boolean =>
  !!page && isPage({ rule: /\*/.test(url) ? "wildcard" : "simple", url }, page);

/** Whether the experiment applies to the page: by its `url_rule`, else by the page that it was created for. */
export const isHere = ({ targeting, variants_data_key }: Experiment, page: Address | null | undefined): boolean =>
  !!targeting?.url_rule?.[0] || isOn(page, variants_data_key);

/** The changes of an arm that apply to the page. */
export const changesOn = (version: Variant | undefined, page: Address | null | undefined): Change[] =>
  (version?.data ?? []).filter(({ pageUrl, sitewide }) => !pageUrl || sitewide !== false || isOn(page, pageUrl));

/** The selectors that an experiment changes. Their elements are hidden while the arm is not decided. */
export const selectorsOf = ({ variants }: Experiment): string[] =>
  variants.flatMap(({ data }) => (data ?? []).flatMap((item) => item.target ?? item.rm ?? item.oriEl ?? []));

/** Whether the decision could differ if the visitor's location were known. */
export const dependsOnLocation = (experiment: Experiment, reason: Reason): boolean =>
  (reason === "unknown" ||
    (experiment.test_type === "personalization" && ["audience", "split", "sticky"].includes(reason))) &&
  // The experiment or one of its variants has a location rule. Quotes within JSON strings are escaped, so only keys match.
  /"allowed_\w+":\[{/.test(stringify(experiment));
