// Filters of the list, in the address and as parameters of the operation.

import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { read, type Schemas } from "~/api/query";
import { list, text, word, words } from "~/lib/search";

export const STATUSES = ["live", "draft", "inactive"] as const;
export const VERDICTS = ["win", "loss", "no_difference", "keep_running", "do_not_trust", "unknown"] as const;
export const HEALTHS = ["fail", "warn", "ok", "unknown"] as const;
export const OUTCOMES = ["won", "lost", "inconclusive", "stopped_early", "invalid", "none"] as const;
export const ARCHIVED = ["include", "only"] as const;
/** Values of boolean filters in the address. */
export const FLAGS = ["true", "false"] as const;
export const SORTS = [
  "need",
  "last_change",
  "created_at",
  "test_name",
  "status",
  "verdict",
  "health",
  "visitors",
  "days",
  "days_left",
] as const;

export type SortKey = (typeof SORTS)[number];
type Sort = SortKey | `-${SortKey}`;

export interface Filters {
  search?: string;
  status?: (typeof STATUSES)[number][];
  verdict?: (typeof VERDICTS)[number][];
  health?: (typeof HEALTHS)[number][];
  outcome?: (typeof OUTCOMES)[number][];
  project?: string[];
  tag?: string;
  owner?: string;
  archived?: (typeof ARCHIVED)[number];
  /** True when a winner is served. */
  served?: (typeof FLAGS)[number];
  /** True when the experiment has ended, or its planned visitors have entered, and it is not concluded. */
  complete?: (typeof FLAGS)[number];
  /** True when a change waits for a second person. */
  waiting?: (typeof FLAGS)[number];
  sort?: Sort;
}

const ALL_SORTS: Sort[] = SORTS.flatMap((key) => [key, `-${key}` as const]);
/** Sort keys that begin with the greatest value: numbers and times. Words begin with the first. */
export const BEGINS_DOWN: readonly SortKey[] = ["visitors", "days", "last_change", "created_at"];
export const DEFAULT_SORT: Sort = "need";

export function readFilters(search: Record<string, unknown>): Filters {
  return {
    search: text(search.search),
    status: words(search.status, STATUSES),
    verdict: words(search.verdict, VERDICTS),
    health: words(search.health, HEALTHS),
    outcome: words(search.outcome, OUTCOMES),
    project: list(search.project),
    tag: text(search.tag)?.slice(0, 64),
    owner: text(search.owner)?.slice(0, 64),
    archived: word(search.archived, ARCHIVED),
    served: word(search.served, FLAGS),
    complete: word(search.complete, FLAGS),
    waiting: word(search.waiting, FLAGS),
    sort: word(search.sort, ALL_SORTS),
  };
}

/** Returns whether any filter is set. */
export function narrows({ sort: _, ...filters }: Filters): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

const PAGE = 200;

export type Item = Schemas["OverviewItem"];

/** Converts the filters to parameters of the operation. */
export function parametersOf(filters: Filters) {
  const flag = (one?: (typeof FLAGS)[number]) => (one === undefined ? undefined : one === "true");
  return {
    search: filters.search,
    status: filters.status?.join(","),
    verdict: filters.verdict?.join(","),
    health: filters.health?.join(","),
    outcome: filters.outcome?.join(","),
    project: filters.project?.join(","),
    tag: filters.tag,
    owner: filters.owner,
    archived: filters.archived,
    served: flag(filters.served),
    complete: flag(filters.complete),
    waiting: flag(filters.waiting),
    sort: filters.sort ?? DEFAULT_SORT,
  };
}

/** Returns whether two filters select the same experiments, in any order. */
export function isSameFilter({ sort: _, ...one }: Filters, { sort: __, ...other }: Filters): boolean {
  const text = (filters: Filters) =>
    JSON.stringify(
      Object.entries(parametersOf(filters)).filter(([name, value]) => name !== "sort" && value !== undefined),
    );
  return text(one) === text(other);
}

/** Query of the list, page by page, in the order of the server. */
export function overviewQuery(filters: Filters) {
  const query = parametersOf(filters);
  return infiniteQueryOptions({
    queryKey: ["/v2/overview", query, "pages"] as const,
    queryFn: ({ pageParam, signal }) =>
      read(
        "/v2/overview",
        { query: { ...query, limit: PAGE, ...(pageParam !== "" && { cursor: pageParam }) } },
        signal,
      ),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
}
