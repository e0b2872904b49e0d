// Filters of the programme, in the address and as parameters of the operation.

import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { read, type Schemas } from "~/api/query";
import { day } from "~/lib/format";
import { isDay, list, text, words } from "~/lib/search";
import { OUTCOME } from "~/lib/words";

export type Programme = Schemas["Programme"];
/** A programme with its filters, so that it is not mistaken for the answer to other filters. */
export type FilteredProgramme = Programme & { filters: ProgrammeFilters };
export type Concluded = Schemas["ProgrammeItem"];
export type Outcome = Schemas["ConclusionOutcome"];

export const OUTCOMES: readonly Outcome[] = ["won", "lost", "inconclusive", "stopped_early", "invalid"];

export interface ProgrammeFilters {
  /** These three apply to the whole page. */
  project?: string[];
  /** Days in UTC: the first one, and the day after the last one. */
  from?: string;
  to?: string;
  /** These two apply only to the list. */
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

/** Returns whether a filter applies to the numbers of the page. */
export function narrowsAll({ project, from, to }: ProgrammeFilters): boolean {
  return project !== undefined || from !== undefined || to !== undefined;
}

/** Returns whether a filter applies only to the list. */
export function narrowsList({ outcome, search }: ProgrammeFilters): boolean {
  return outcome !== undefined || search !== undefined;
}

/** Filters in words: `Shop, concluded from 5 Nov 2026 on, won or lost`. */
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

/** Parameters of the operation. */
export function asked({ project, from, to, outcome, search }: ProgrammeFilters) {
  return { project: project?.join(","), from, to, outcome: outcome?.join(","), search };
}

const PAGE = 50;

/** Query of the programme, with its list page by page. */
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
