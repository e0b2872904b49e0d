// Actions of the clock on the experiment, from its history.

import { capital } from "~/lib/capital";
import { infiniteQueryOptions, useInfiniteQuery } from "@tanstack/react-query";
import { read, type Schemas } from "~/api/query";
import { count, moment } from "~/lib/format";
import { Button } from "~/ui/button";
import { Card } from "~/ui/layout";
import { ErrorPanel, Lines } from "~/ui/loaded";
import { type Column, Table } from "~/ui/table";
import { useExperiment } from "~/experiment/open";
import { withoutRepeat } from "~/experiment/history/acts";

type Revision = Schemas["RevisionView"];

const PATH = "/v2/project/{project_key}/experiment/{test_id}/history";
/** Page size of the history. The server has no filter for the clock's entries. */
const PAGE = 100;

function historyQuery(path: { project_key: string; test_id: number }) {
  return infiniteQueryOptions({
    queryKey: [PATH, path, "clock"] as const,
    queryFn: ({ pageParam, signal }) =>
      read(PATH, { path, query: { limit: PAGE, ...(pageParam !== "" && { cursor: pageParam }) } }, signal),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  });
}

const ACTIONS: Record<string, string> = {
  start: "Started",
  stop: "Ended",
  reweight: "Weights moved",
  "serve winner": "Winner served",
  "serving rollout": "Winner served to more visitors",
  "stop serving": "Winner no longer served",
};

const COLUMNS: Column<Revision>[] = [
  {
    name: "Action",
    isName: true,
    cell: ({ action }) => <span className="font-medium">{ACTIONS[action] ?? action}</span>,
  },
  { name: "When", cell: ({ at }) => <span className="num">{moment(at)}</span> },
  { name: "Why", cell: ({ detail }) => sentence(detail?.detail) },
];

function sentence(detail: unknown): string {
  const text = typeof detail === "string" ? withoutRepeat(detail) : "";
  return capital(text);
}

export function MovesCard() {
  const { projectKey, experiment } = useExperiment();
  const history = useInfiniteQuery(historyQuery({ project_key: projectKey, test_id: experiment.test_id }));
  const read = history.data?.pages.flatMap(({ revisions }) => revisions) ?? [];
  const moves = read.filter(({ actor }) => actor.kind === "system" && actor.id === "clock");
  return (
    <Card
      flush={moves.length > 0}
      title="Automatic actions"
      about="By the dates and rules of the schedule, by the bandit, and by autopilot."
    >
      {history.isError && (
        <ErrorPanel error={history.error} retry={() => history.refetch()} isOutdated={read.length > 0} />
      )}
      {history.isPending && <Lines count={2} />}
      {moves.length > 0 && (
        <Table label="Automatic actions" columns={COLUMNS} rows={moves} keyOf={({ revision }) => revision} />
      )}
      {history.isSuccess && moves.length === 0 && (
        <p className="text-soft">
          {history.hasNextPage ? `Nothing among the last ${count(read.length, "change")}.` : "Nothing so far."}
        </p>
      )}
      {history.hasNextPage && (
        <div className={moves.length > 0 ? "border-t border-line px-4 py-3 md:px-5" : "mt-3"}>
          <Button small isBusy={history.isFetchingNextPage} onClick={() => history.fetchNextPage()}>
            Look further back
          </Button>
        </div>
      )}
    </Card>
  );
}
