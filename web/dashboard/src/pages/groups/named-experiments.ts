// Experiments that groups refer to by id.

import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { query, type Schemas } from "~/api/query";

export type Item = Schemas["OverviewItem"];

/** Maximum page size of the overview. */
const PAGE = 500;

/**
 * Experiments with these ids, as far as they are loaded. One request reads those that changed last. If the project has
 * more than one page, each missing one is a separate request.
 */
export function useExperiments(projectKey: string, ids: readonly number[]): ReadonlyMap<number, Item> {
  const of = { project: projectKey, archived: "include" };
  const recent = useQuery({
    ...query("/v2/overview", { query: { ...of, sort: "-last_change", limit: PAGE } }),
    enabled: ids.length > 0,
  });
  const found = useMemo(() => new Map(recent.data?.items.map((item) => [item.test_id, item])), [recent.data]);
  const others = recent.data?.next_cursor ? [...new Set(ids)].filter((id) => !found.has(id)) : [];
  return useQueries({
    queries: others.map((id) => query("/v2/overview", { query: { ...of, search: `#${id}` } })),
    combine: (answers) => new Map([...found, ...answers.flatMap(({ data }) => data?.items.map(pair) ?? [])]),
  });
}

function pair(item: Item): [number, Item] {
  return [item.test_id, item];
}
