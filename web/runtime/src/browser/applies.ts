// Where an experiment applies, and what of it a page has.

import type { Reason } from "../assign/decide";
import { type Address, isPage } from "../assign/page";
import type { Change, Experiment, Variant } from "../ruleset";
import { stringify } from "./world";

/** Whether the page is the one of an address, or one of a pattern. */
const isOn = (page: Address | null | undefined, url: string): boolean =>
  !!page && isPage({ rule: /\*/.test(url) ? "wildcard" : "simple", url }, page);

/** Whether the page is one of the experiment's. Rules about pages say so; without any, it is the page that it was made for. */
export const isHere = ({ targeting, variants_data_key }: Experiment, page: Address | null | undefined): boolean =>
  !!targeting?.url_rule?.[0] || isOn(page, variants_data_key);

/** The changes of an arm that are for the page. */
export const changesOn = (version: Variant | undefined, page: Address | null | undefined): Change[] =>
  (version?.data ?? []).filter(({ pageUrl, sitewide }) => !pageUrl || sitewide !== false || isOn(page, pageUrl));

/** What an experiment changes: hidden while it is not known which arm it will be. */
export const selectorsOf = ({ variants }: Experiment): string[] =>
  variants.flatMap(({ data }) => (data ?? []).flatMap((item) => item.target ?? item.rm ?? item.oriEl ?? []));

/** Whether the decision could be another one if it were known where the visitor is. */
export const dependsOnPlace = (experiment: Experiment, reason: Reason): boolean =>
  (reason === "unknown" ||
    (experiment.test_type === "personalization" && ["audience", "split", "sticky"].includes(reason))) &&
  // It, or one of its variants, has a rule about places: quotes within a text are escaped.
  /"allowed_\w+":\[{/.test(stringify(experiment));
