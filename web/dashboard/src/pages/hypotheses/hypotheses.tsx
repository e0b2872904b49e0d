// Hypotheses of a project, and which of them are being tested.

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { read } from "~/api/query";
import { may, useSession } from "~/api/session";
import { count, integer } from "~/lib/format";
import { names } from "~/lib/names";
import { usePageTitle } from "~/lib/page";
import { Button, ButtonLink } from "~/ui/button";
import { Choice } from "~/ui/field";
import { Empty, Page, PageHeader } from "~/ui/layout";
import { ErrorPanel, Lines } from "~/ui/loaded";
import { SearchBox } from "~/ui/search-box";
import { Segments } from "~/ui/segments";
import { Board } from "./board";
import type { HypothesisFilters } from "./filters";
import { HypothesisTable } from "./hypothesis-table";
import { useLinked } from "./linked";

const VIEWS = [
  [undefined, "Board"],
  ["table", "Table"],
] as const;

const PAGE = 100;

function usePages(projectKey: string, { search, archived }: HypothesisFilters) {
  const path = { project_key: projectKey };
  const query = { search, include_archived: archived === "include" || undefined, limit: PAGE };
  return useInfiniteQuery({
    queryKey: ["/v2/project/{project_key}/hypotheses", { path, query }, "pages"] as const,
    queryFn: ({ pageParam, signal }) =>
      read("/v2/project/{project_key}/hypotheses", { path, query: { ...query, offset: pageParam } }, signal),
    initialPageParam: 0,
    getNextPageParam: (last) => (last.has_more ? last.next_offset : undefined),
    placeholderData: keepPreviousData,
  });
}

export function HypothesesPage() {
  usePageTitle("Hypotheses");
  const { projectKey } = useParams({ from: "/app/p/$projectKey/hypotheses" });
  const filters = useSearch({ from: "/app/p/$projectKey/hypotheses" });
  const pages = usePages(projectKey, filters);
  // The list is sorted by last change, so an item that changes meanwhile can be on two pages.
  const hypotheses = useMemo(
    () => [
      ...new Map(
        pages.data?.pages.flatMap((page) => page.hypotheses.map((one) => [one.hypothesis_id, one] as const)),
      ).values(),
    ],
    [pages.data],
  );
  const total = pages.data?.pages.at(-1)?.total;
  const linked = useLinked(
    projectKey,
    useMemo(() => hypotheses.flatMap((one) => one.linked_test_ids), [hypotheses]),
  );
  const canWrite = may(useSession(), projectKey, "write");
  const isAny = hypotheses.length > 0;
  const add = canWrite && (
    <ButtonLink kind="primary" icon="plus" to="/p/$projectKey/hypotheses/new" params={{ projectKey }}>
      New hypothesis
    </ButtonLink>
  );
  const shown = { projectKey, hypotheses, linked, isWhole: !pages.hasNextPage };
  return (
    <Page>
      <PageHeader
        title="Hypotheses"
        about="Each hypothesis says what you have seen, why it is a problem, and which change may solve it."
        actions={(isAny || filters.search !== undefined || filters.archived) && add}
      />
      <Toolbar filters={filters} />
      {pages.isError && <ErrorPanel error={pages.error} retry={() => pages.refetch()} isOutdated={isAny} />}
      {linked.error !== undefined && <ErrorPanel error={linked.error} retry={linked.retry} />}
      <p role="status" className="sr-only">
        {total === undefined ? "Loading" : count(total, "hypothesis", "hypotheses")}
      </p>
      {pages.isPending ? (
        <Skeleton />
      ) : isAny ? (
        <div className={names("flex flex-col gap-4", pages.isPlaceholderData && "opacity-60")}>
          {filters.view === "table" ? <HypothesisTable {...shown} /> : <Board {...shown} />}
          {pages.hasNextPage && (
            <div className="flex flex-wrap items-center gap-3">
              <Button isBusy={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
                Show more
              </Button>
              <span className="text-soft">
                {integer(hypotheses.length)} of {count(total ?? 0, "hypothesis", "hypotheses")} are shown, the last
                changed first.
              </span>
            </div>
          )}
        </div>
      ) : (
        pages.isSuccess && <Nothing filters={filters} add={add} />
      )}
    </Page>
  );
}

function Toolbar({ filters }: { filters: HypothesisFilters }) {
  const navigate = useNavigate({ from: "/p/$projectKey/hypotheses" });
  const change = (changes: Partial<HypothesisFilters>, replace = false) =>
    navigate({ search: (before) => ({ ...before, ...changes }), replace, resetScroll: false });
  return (
    <div role="search" aria-label="Hypotheses" className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <SearchBox
        label="Search in observation, problem and solution"
        value={filters.search ?? ""}
        change={(search) => change({ search: search || undefined }, true)}
      />
      <Choice
        label="Include archived"
        checked={filters.archived === "include"}
        onChange={({ target }) => change({ archived: target.checked ? "include" : undefined })}
      />
      <span className="flex-1" />
      <Segments label="View" of={VIEWS} value={filters.view} change={(view) => change({ view })} />
    </div>
  );
}

function Nothing({ filters, add }: { filters: HypothesisFilters; add: React.ReactNode }) {
  const navigate = useNavigate({ from: "/p/$projectKey/hypotheses" });
  if (filters.search !== undefined)
    return (
      <Empty
        icon="search"
        title="No hypothesis has this text"
        action={
          <Button onClick={() => navigate({ search: (before) => ({ ...before, search: undefined }) })}>
            Show all hypotheses
          </Button>
        }
      >
        Observation, problem and solution are searched.
        {filters.archived === undefined && " Archived hypotheses are left out unless you include them."}
      </Empty>
    );
  return (
    <Empty icon="lightbulb" title="No hypotheses yet" action={add}>
      A hypothesis says what you have seen, why it is a problem, and which change may solve it. Write them down as they
      come, rate them, and create experiments from the best ones.
    </Empty>
  );
}

function Skeleton() {
  return (
    <div aria-busy="true" className="rounded-lg border border-line bg-panel">
      <Lines count={9} />
    </div>
  );
}
