// One experiment's item in the overview: verdict, health, visitors, and the sentence on what to do.

import { queryOptions } from "@tanstack/react-query";
import { read, type Schemas } from "~/api/query";

export type Standing = Schemas["OverviewItem"];

const OVERVIEW = "/v2/overview";

/** The server checks running experiments about once a minute. */
const LOOKS_MS = 60_000;

/**
 * Reads the item of one experiment. The overview has no filter for one, so this uses its search, which matches the id
 * as text: `#1` also finds `#12`. Sorted by creation, the wanted one is first, because ids ascend.
 */
export function standingQuery(projectKey: string, testId: number) {
  return queryOptions({
    queryKey: [OVERVIEW, { project: projectKey, testId }, "one"] as const,
    queryFn: async ({ signal }): Promise<Standing | null> => {
      const query = { search: `#${testId}`, project: projectKey, archived: "include", sort: "created_at", limit: 100 };
      const { items } = await read(OVERVIEW, { query } as Parameters<typeof read<typeof OVERVIEW>>[1], signal);
      return items.find((item) => item.test_id === testId && item.project_key === projectKey) ?? null;
    },
    refetchInterval: LOOKS_MS,
  });
}
