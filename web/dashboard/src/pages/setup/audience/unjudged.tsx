// Rules that depend on how the server is run: where it cannot judge them nobody matches, and the rule says so where it is set.

import { useQuery } from "@tanstack/react-query";
import { query, type Schemas } from "~/api/query";
import { Note } from "~/ui/layout";
import { useExperiment } from "../../experiment/open";

/** What servers tell of later versions; absent, nothing is known to be missing. */
type Install = Schemas["Install"] & { knows_places?: boolean };

const PLACES = ["allowed_country", "allowed_region", "allowed_city"];

/** Whether the server is known to be unable to judge a kind of rule. */
export function isUnjudged(kind: string, install: Install | undefined): boolean {
  return PLACES.includes(kind) && install?.knows_places === false;
}

export function Unjudged({ kind }: { kind: string }) {
  const { projectKey } = useExperiment();
  const install = useQuery({
    ...query("/v2/project/{project_key}/install", { path: { project_key: projectKey } }),
    enabled: PLACES.includes(kind),
    staleTime: 60_000,
  }).data;
  if (!isUnjudged(kind, install)) return null;
  return (
    <Note tone="caution">
      This server knows no places, so nobody matches this rule, and nobody enters. Ask whoever runs it for a geographic
      database, or remove the rule.
    </Note>
  );
}
