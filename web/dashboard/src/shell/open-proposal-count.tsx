// Number of open proposals of a project, next to the name in the navigation.

import { useQuery } from "@tanstack/react-query";
import { query } from "~/api/query";
import { Badge } from "~/ui/badge";

/** The server compares each open proposal with its experiment, so only as many are requested as a badge needs. */
const COUNTED = 10;

export function openProposalsQuery(projectKey: string) {
  return {
    ...query("/v2/project/{project_key}/proposals", {
      path: { project_key: projectKey },
      query: { state: "open", limit: COUNTED },
    }),
    staleTime: 60_000,
    refetchInterval: 60_000,
    // A failure is not shown here: the page shows the error.
    retry: false,
  };
}

export function OpenProposalCount({ projectKey }: { projectKey: string }) {
  const { data } = useQuery(openProposalsQuery(projectKey));
  const open = data?.proposals.length ?? 0;
  if (open === 0) return null;
  return (
    <Badge tone="accent" className="num ml-auto">
      {data?.next_cursor ? `${COUNTED}+` : open}
      <span className="sr-only"> open</span>
    </Badge>
  );
}
