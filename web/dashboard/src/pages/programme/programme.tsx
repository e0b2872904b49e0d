// The programme: the outcomes of all concluded experiments, what was learned from each, and whether the team's ratings
// were right.

import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useSession } from "~/api/session";
import { count } from "~/lib/format";
import { usePageTitle } from "~/lib/page";
import { Button, ButtonLink } from "~/ui/button";
import { Card, Empty, Note, Page, PageHeader } from "~/ui/layout";
import { ErrorPanel, Lines } from "~/ui/loaded";
import { Replaced, StillFormer } from "~/experiment/result/freshness";
import { Calibration } from "./calibration";
import { ConcludedList } from "./concluded-list";
import {
  type ChangeFilters,
  filterWords,
  narrowsAll,
  narrowsList,
  type Programme,
  type ProgrammeFilters,
  programmeQuery,
} from "./filters";
import { Scope } from "./scope";
import { Sums } from "./sums";
import { Totals } from "./totals";

export function ProgrammePage() {
  usePageTitle("Learnings");
  const filters = useSearch({ from: "/app/programme" });
  const navigate = useNavigate({ from: "/programme" });
  // Typing replaces the entry in the browser's history. For other changes, the back button works.
  const change: ChangeFilters = (changes, replace = false) =>
    navigate({ search: (before) => ({ ...before, ...changes }), replace, resetScroll: false });
  const programme = useInfiniteQuery(programmeQuery(filters));
  // Every page contains the numbers. Those of the last page are the newest.
  const newest = programme.data?.pages.at(-1);
  const { projects } = useSession();
  const isFormer = newest !== undefined && programme.isPlaceholderData;
  const isNarrowed = narrowsAll(filters) || narrowsList(filters);
  // The filters stay while numbers are read, and after a failure, so that they can still be changed.
  const hasScope = isNarrowed || isFormer || programme.isError || (newest?.totals.concluded ?? 0) > 0;
  const hasList = newest === undefined ? programme.isError && isNarrowed : newest.totals.concluded > 0;
  return (
    <Page>
      <PageHeader title="Learnings" about="Outcomes of concluded experiments, and what the team learned from them." />
      {hasScope && (
        <Scope
          filters={filters}
          change={change}
          aside={isFormer && <StillFormer former={filterWords(newest.filters, projects)} />}
        />
      )}
      {programme.isError && (
        <ErrorPanel error={programme.error} retry={() => programme.refetch()} isOutdated={newest !== undefined} />
      )}
      {hasList ? (
        <Replaced isFormer={isFormer}>
          {newest && <Numbers programme={newest} />}
          <ConcludedList programme={programme} shown={newest} filters={filters} change={change} />
          {newest && <Calibration calibration={newest.calibration} />}
        </Replaced>
      ) : newest === undefined ? (
        programme.isPending && <Skeleton />
      ) : (
        <Nothing filters={newest.filters} change={change} />
      )}
    </Page>
  );
}

function Numbers({ programme }: { programme: Programme }) {
  return (
    <>
      {programme.truncated && (
        <Note>More than 10,000 experiments were concluded. This page leaves out the oldest ones.</Note>
      )}
      <p role="status" className="sr-only">
        {count(programme.totals.concluded, "concluded experiment")}
      </p>
      <Totals totals={programme.totals} />
      <Sums programme={programme} />
    </>
  );
}

function Nothing({ filters, change }: { filters: ProgrammeFilters; change: ChangeFilters }) {
  const { projects } = useSession();
  if (narrowsAll(filters)) {
    return (
      <Card>
        <Empty
          icon="search"
          title="No concluded experiments here"
          action={
            <Button
              onClick={() => {
                change({ project: undefined, from: undefined, to: undefined });
                // The button disappears, and would take the focus with it.
                document.querySelector<HTMLElement>("#content h1")?.focus();
              }}
            >
              Show all projects and times
            </Button>
          }
        >
          No experiment of these projects was concluded in this time.
        </Empty>
      </Card>
    );
  }
  return (
    <Card>
      <Empty
        icon="trend"
        title="Nothing was concluded yet"
        action={projects.length > 0 && <ButtonLink to="/experiments">Go to the experiments</ButtonLink>}
      >
        <p>
          When an experiment is over, open it, choose “Conclude”, and say how it ended and what was learned. It is then
          listed here, whatever its outcome: lost and undecided experiments teach as much as those that won.
        </p>
        <p className="mt-2">This page then also shows the win rate, the pace and the expected effect of the winners.</p>
      </Empty>
    </Card>
  );
}

/** As high as the numbers and the first experiments. */
function Skeleton() {
  return (
    <div aria-busy="true" className="flex flex-col gap-5">
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(15rem,100%),1fr))] gap-5" aria-hidden="true">
        {[0, 1, 2].map((at) => (
          <div key={at} className="skeleton h-40 rounded-lg" />
        ))}
      </div>
      <Card flush>
        <Lines count={8} />
      </Card>
      <span className="sr-only" role="status">
        Loading
      </span>
    </div>
  );
}
