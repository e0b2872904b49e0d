// Rules that depend on the server's configuration. If the server cannot evaluate such a rule, nobody matches, and the
// rule's form says so.

import { useQuery } from "@tanstack/react-query";
import { query, type Schemas } from "~/api/query";
import { Note } from "~/ui/layout";
import { useExperiment } from "~/experiment/open";

type Install = Pick<Schemas["Install"], "knows_places" | "knows_regions">;

const PLACES = ["allowed_country", "allowed_region", "allowed_city"];

/** Reason why nobody matches this kind of rule on this server, and what to do; undefined if visitors can match. */
export function whyUnjudged(kind: string, install: Install | undefined): string | undefined {
  if (kind === "ga4_rule")
    return "Visitors match this rule only if your site passes their audiences to identify, in the field audiences. The server cannot check whether it does.";
  if (!PLACES.includes(kind) || install === undefined) return undefined;
  if (!install.knows_places)
    return "This server has no geographic database, so nobody matches this rule, and nobody enters. Ask the operator of the server to add one, or remove the rule.";
  if (!install.knows_regions && kind !== "allowed_country")
    return "The geographic database of this server has countries only, so nobody matches this rule, and nobody enters. Ask the operator of the server for one with cities, or remove the rule.";
  return undefined;
}

export function Unjudged({ kind }: { kind: string }) {
  const { projectKey } = useExperiment();
  const install = useQuery({
    ...query("/v2/project/{project_key}/install", { path: { project_key: projectKey } }),
    enabled: PLACES.includes(kind),
    staleTime: 60_000,
  }).data;
  const why = whyUnjudged(kind, install);
  return why === undefined ? null : <Note tone="caution">{why}</Note>;
}
