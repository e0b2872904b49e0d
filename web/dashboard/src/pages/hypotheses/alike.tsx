// Outcomes of hypotheses with the same ratings, which show whether the team's ratings are useful. Shown for all of them
// or not at all.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { read } from "~/api/query";
import { count, integer } from "~/lib/format";
import { OUTCOME } from "~/lib/words";
import { WordBadge } from "~/ui/badge";
import { Card } from "~/ui/layout";
import { ErrorPanel, Lines } from "~/ui/loaded";
import { type Hypothesis, RATINGS, titleOf } from "~/experiment/hypothesis-words";
import { endOf, experimentsOf, type Item, useLinked } from "./linked";

const PAGE = 200;
/** The list has no filter for ratings, so all of it is read, up to this number. */
const READ_MAX = 1_000;
const SHOWN_MAX = 10;

/** Reads every hypothesis of a project, including the archive. `hypotheses` is undefined if there are too many. */
async function readAll(projectKey: string, signal: AbortSignal) {
  const all = new Map<number, Hypothesis>();
  for (let offset = 0; ; ) {
    const page = await read(
      "/v2/project/{project_key}/hypotheses",
      { path: { project_key: projectKey }, query: { include_archived: true, limit: PAGE, offset } },
      signal,
    );
    if (page.total > READ_MAX) return { total: page.total, hypotheses: undefined };
    for (const one of page.hypotheses) all.set(one.hypothesis_id, one);
    if (!page.has_more) return { total: page.total, hypotheses: [...all.values()] };
    offset = page.next_offset;
  }
}

export function Alike({ projectKey, hypothesis }: { projectKey: string; hypothesis: Hypothesis }) {
  const isRated = RATINGS.some(({ name }) => hypothesis[name] !== null);
  const all = useQuery({
    queryKey: ["/v2/project/{project_key}/hypotheses", { path: { project_key: projectKey } }, "all"] as const,
    queryFn: ({ signal }) => readAll(projectKey, signal),
    enabled: isRated,
    staleTime: 60_000,
  });
  const alike = useMemo(
    () =>
      (all.data?.hypotheses ?? []).filter(
        (one) =>
          one.hypothesis_id !== hypothesis.hypothesis_id &&
          one.linked_test_ids.length > 0 &&
          RATINGS.every(({ name }) => one[name] === hypothesis[name]),
      ),
    [all.data, hypothesis],
  );
  const linked = useLinked(
    projectKey,
    useMemo(() => alike.flatMap((one) => one.linked_test_ids), [alike]),
  );
  const tested = alike
    .map((one) => ({ one, experiments: experimentsOf(one, linked).filter(({ outcome }) => outcome !== null) }))
    .filter(({ experiments }) => experiments.length > 0);
  return (
    <Card title="Others with the same ratings" flush>
      <div className="flex flex-col gap-3 px-4 pb-4 md:px-5">
        {!isRated ? (
          <p className="text-soft">Rate this hypothesis to see the outcomes of others with the same ratings.</p>
        ) : all.isError ? (
          <ErrorPanel error={all.error} retry={() => all.refetch()} />
        ) : linked.error !== undefined ? (
          <ErrorPanel error={linked.error} retry={linked.retry} />
        ) : all.data === undefined || !linked.isComplete ? (
          <div aria-busy="true" className="-m-4">
            <Lines count={2} />
          </div>
        ) : all.data.hypotheses === undefined ? (
          <p className="text-soft">
            This project has {integer(all.data.total)} hypotheses: too many to compare on this page.
          </p>
        ) : tested.length === 0 ? (
          <p className="text-soft">No other hypothesis with the same ratings has a concluded experiment.</p>
        ) : (
          <Found projectKey={projectKey} tested={tested} />
        )}
      </div>
    </Card>
  );
}

function Found({ projectKey, tested }: { projectKey: string; tested: { one: Hypothesis; experiments: Item[] }[] }) {
  const outcomes = tested.flatMap(({ experiments }) => experiments.map(({ outcome }) => outcome));
  const told = (Object.keys(OUTCOME) as (keyof typeof OUTCOME)[])
    .map((word) => [OUTCOME[word].text.toLowerCase(), outcomes.filter((one) => one === word).length] as const)
    .filter(([, number]) => number > 0)
    .map(([text, number]) => `${integer(number)} ${text}`);
  return (
    <>
      <p>
        {count(outcomes.length, "experiment")} from {count(tested.length, "such hypothesis", "such hypotheses")}{" "}
        {outcomes.length === 1 ? "was" : "were"} concluded: {told.join(", ")}.
      </p>
      <ul className="flex flex-col gap-2">
        {tested.slice(0, SHOWN_MAX).map(({ one, experiments }) => (
          <li key={one.hypothesis_id} className="flex items-start justify-between gap-2">
            <Link
              to="/p/$projectKey/hypotheses/$hypothesisId"
              params={{ projectKey, hypothesisId: String(one.hypothesis_id) }}
              className="link min-w-0 text-sm break-words"
            >
              {titleOf(one)}
            </Link>
            <span className="flex flex-col items-end gap-1">
              {experiments.map((experiment) => (
                <WordBadge key={experiment.test_id} word={endOf(experiment)} />
              ))}
            </span>
          </li>
        ))}
        {tested.length > SHOWN_MAX && (
          <li className="text-sm text-soft">and {integer(tested.length - SHOWN_MAX)} more</li>
        )}
      </ul>
    </>
  );
}
