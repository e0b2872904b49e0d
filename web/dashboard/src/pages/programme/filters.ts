// The filters of the programme, as they stand in the address and as the operation takes them.

import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { read, type Schemas } from "~/api/query";
import { day } from "~/lib/format";
import { isDay, list, text, words } from "~/lib/search";
import { OUTCOME } from "~/lib/words";

export type Programme = Schemas["Programme"];
/** With the filters that it was read by, so that it is never taken for the answer to others. */
export type FilteredProgramme = Programme & { filters: ProgrammeFilters };
export type Concluded = Schemas["ProgrammeItem"];
export type Outcome = Schemas["ConclusionOutcome"];

export const OUTCOMES: readonly Outcome[] = ["won", "lost", "inconclusive", "stopped_early", "invalid"];

export interface ProgrammeFilters {
  /** These three are of the whole page. */
  project?: string[];
  /** Days in UTC: the first one, and the one after the last one. */
  from?: string;
  to?: string;
  /** These two are of the list alone. */
  outcome?: Outcome[];
  search?: string;
}

export type ChangeFilters = (changes: Partial<ProgrammeFilters>, replace?: boolean) => void;

export function readProgrammeFilters(search: Record<string, unknown>): ProgrammeFilters {
  const day = (value: unknown) => (isDay(value) ? value : undefined);
  return {
    project: list(search.project),
    from: day(search.from),
    to: day(search.to),
    outcome: words(search.outcome, OUTCOMES),
    search: text(search.search),
  };
}

/** Whether something narrows the numbers of the page. */
export function narrowsAll({ project, from, to }: ProgrammeFilters): boolean {
  return project !== undefined || from !== undefined || to !== undefined;
}

/** Whether something narrows the list further. */
export function narrowsList({ outcome, search }: ProgrammeFilters): boolean {
  return outcome !== undefined || search !== undefined;
}

/** What is filtered, in words: `Shop, concluded from 5 Nov 2026 on, won or lost`. */
export function filterWords(
  { project, from, to, outcome, search }: ProgrammeFilters,
  projects: readonly { project_key: string; name: string }[],
): string {
  const nameOf = (key: string) => projects.find((one) => one.project_key === key)?.name ?? key;
  const parts = [project?.map(nameOf).join(" and ") ?? "all projects"];
  if (from !== undefined && to !== undefined) parts.push(`concluded from ${day(from)} on and before ${day(to)}`);
  else if (from !== undefined) parts.push(`concluded from ${day(from)} on`);
  else if (to !== undefined) parts.push(`concluded before ${day(to)}`);
  if (outcome !== undefined) parts.push(outcome.map((one) => OUTCOME[one].text.toLowerCase()).join(" or "));
  if (search !== undefined) parts.push(`“${search}”`);
  return parts.join(", ");
}

/** The parameters of the operation. */
export function asked({ project, from, to, outcome, search }: ProgrammeFilters) {
  return { project: project?.join(","), from, to, outcome: outcome?.join(","), search };
}

const PAGE = 50;

/** The programme, with its list page by page. */
export function programmeQuery(filters: ProgrammeFilters) {
  const query = asked(filters);
  return infiniteQueryOptions({
    queryKey: ["/v2/programme", query, "pages"] as const,
    queryFn: async ({ pageParam, signal }): Promise<FilteredProgramme> => {
      const page = { limit: PAGE, ...(pageParam !== "" && { cursor: pageParam }) };
      return { ...(await read("/v2/programme", { query: { ...query, ...page } }, signal)), filters };
    },
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}
