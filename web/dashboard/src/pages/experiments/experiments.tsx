// All experiments: what is running, what is wrong, what to do next.

import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useSession } from "~/api/session";
import { count } from "~/lib/format";
import { usePageTitle } from "~/lib/page";
import { Button } from "~/ui/button";
import { Empty, Page, PageHeader } from "~/ui/layout";
import { ErrorPanel } from "~/ui/loaded";
import { BulkBar } from "./bulk";
import { type Filters, type Item, narrows, overviewQuery } from "./filters";
import { FirstSteps, GettingStarted } from "./first-steps";
import { List, ListSkeleton } from "./list";
import { Needs } from "./needs";
import { NewExperimentButton } from "./new-button";
import { Toolbar } from "./toolbar";

export function ExperimentsPage() {
  usePageTitle("Experiments");
  const filters = useSearch({ from: "/app/experiments" });
  const navigate = useNavigate({ from: "/experiments" });
  // Typing replaces the entry in the browser's history. For other changes, the back button works.
  const change = (changes: Partial<Filters>, replace = false) =>
    navigate({ search: (before) => ({ ...before, ...changes }), replace, resetScroll: false });

  const overview = useInfiniteQuery(overviewQuery(filters));
  const items = useMemo(() => overview.data?.pages.flatMap((page) => page.items) ?? [], [overview.data]);
  const total = overview.data?.pages.at(-1)?.total;
  const [selected, setSelected] = useState<ReadonlyMap<number, Item>>(new Map());
  const { projects } = useSession();
  // Without a project or an experiment, filters are useless.
  const hasList = projects.length > 0 && (items.length > 0 || narrows(filters) || !overview.isSuccess);

  return (
    <Page>
      <PageHeader
        title="Experiments"
        about="Every experiment that you can see, and what to do next."
        actions={(items.length > 0 || narrows(filters)) && <NewExperimentButton project={onlyOf(filters)} />}
      />
      {hasList && <Needs filters={filters} />}
      {hasList && <Toolbar filters={filters} items={items} change={change} />}
      {items.length > 0 && !narrows(filters) && <GettingStarted items={items} total={total ?? items.length} />}
      {overview.isError && (
        <ErrorPanel error={overview.error} retry={() => overview.refetch()} isOutdated={items.length > 0} />
      )}
      <p role="status" className="sr-only">
        {total === undefined ? "Loading" : count(total, "experiment")}
      </p>
      {overview.isPending ? (
        <ListSkeleton />
      ) : items.length > 0 ? (
        <List
          items={items}
          total={total ?? items.length}
          sort={filters.sort}
          showsProject={projects.length > 1 && filters.project?.length !== 1}
          isStale={overview.isPlaceholderData}
          change={change}
          selected={selected}
          select={setSelected}
          more={
            overview.hasNextPage && !overview.isFetchingNextPage && !overview.isFetchNextPageError
              ? overview.fetchNextPage
              : undefined
          }
        />
      ) : (
        overview.isSuccess && <Nothing filters={filters} />
      )}
      <BulkBar selected={selected} clear={() => setSelected(new Map())} />
    </Page>
  );
}

function Nothing({ filters }: { filters: Filters }) {
  const navigate = useNavigate({ from: "/experiments" });
  if (narrows(filters)) {
    return (
      <Empty
        icon="search"
        title="No experiment matches"
        action={<Button onClick={() => navigate({ search: { sort: filters.sort } })}>Show all experiments</Button>}
      >
        Remove filters to find more. Archived experiments are left out unless you include them.
      </Empty>
    );
  }
  return <FirstSteps />;
}

/** The project by which the list is filtered, if it is exactly one. */
function onlyOf({ project }: Filters): string | undefined {
  return project?.length === 1 ? project[0] : undefined;
}
