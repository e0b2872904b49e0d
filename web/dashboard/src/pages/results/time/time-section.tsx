// The result day by day: reads the series and the history of the experiment, and shows them.

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { warnedQuery } from "~/api/query";
import { Card, Note } from "~/ui/layout";
import { Lines, Loaded } from "~/ui/loaded";
import { historyQuery } from "~/experiment/history/history-query";
import { useReadAgain } from "../as-of";
import { TimeView, type TimeViewProps } from "~/experiment/result/time/time-view";

/** Parameters of a result that a series accepts, too. */
export interface SeriesQuestion {
  start_date?: string | undefined;
  end_date?: string | undefined;
  tz?: string | undefined;
  goal_key?: string | undefined;
  filter_by?: string | undefined;
  epoch?: string | undefined;
  report_phase?: string | undefined;
}

interface TimeSectionProps extends Omit<TimeViewProps, "points" | "tz" | "changes"> {
  projectKey: string;
  testId: number;
  question: SeriesQuestion;
}

/** Changes that are read for the marks: page size, and maximum number of pages. */
const PAGE = 100;
const PAGES = 5;

export function TimeSection({ projectKey, testId, question, ...view }: TimeSectionProps) {
  const path = { project_key: projectKey, test_id: testId };
  const series = useQuery(
    warnedQuery("/v2/project/{project_key}/experiment/{test_id}/timeseries", { path, query: question as object }),
  );
  useReadAgain(series, view.asOf);
  const { changes, isWhole, isError } = useChanges(projectKey, testId);
  return (
    <Card title="Day by day" about="The result at the end of each day: all visitors until then.">
      <Loaded query={series} skeleton={<Lines count={10} />}>
        {({ data, warnings }) => (
          <div className="flex flex-col gap-4">
            {warnings.length > 0 && (
              <Note tone="caution">
                {warnings.map((warning) => (
                  <p key={warning}>{sentenceOf(warning)}</p>
                ))}
              </Note>
            )}
            <TimeView {...view} points={data.timeseries} tz={data.tz} changes={changes} />
            {isError && (
              <p className="text-sm text-soft">The history could not be read: only epochs are marked, not changes.</p>
            )}
            {!isWhole && (
              <p className="text-sm text-soft">Only the latest {PAGE * PAGES} changes of the experiment are marked.</p>
            )}
          </div>
        )}
      </Loaded>
    </Card>
  );
}

/** A warning without the name of its check, such as `health.currency: `. */
function sentenceOf(warning: string): string {
  return warning.replace(/^health\.\w+: /, "");
}

/** Reads pages of the history, up to `PAGES`. If the history cannot be read, only the marks of changes are missing. */
function useChanges(projectKey: string, testId: number) {
  const history = useInfiniteQuery(historyQuery({ kind: "experiment", projectKey, id: testId }, PAGE));
  const { hasNextPage, isFetching, isError, fetchNextPage, data } = history;
  const pages = data?.pages.length ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError && pages < PAGES) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, pages, fetchNextPage]);
  const changes = useMemo(() => data?.pages.flatMap(({ revisions }) => revisions) ?? [], [data]);
  return { changes, isWhole: !hasNextPage || pages < PAGES, isError };
}
