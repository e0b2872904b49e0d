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
    return "Visitors match this only where your site hands over their audiences, by identify with audiences. The server cannot see whether it does.";
  if (!PLACES.includes(kind) || install === undefined) return undefined;
  if (!install.knows_places)
    return "This server knows no places, so nobody matches this rule, and nobody enters. Ask whoever runs it for a geographic database, or remove the rule.";
  if (!install.knows_regions && kind !== "allowed_country")
    return "This server knows countries only, so nobody matches this rule, and nobody enters. Ask whoever runs it for a geographic database with cities, or remove the rule.";
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
