// Experiments that were created from a hypothesis, and their outcomes.

import { Link } from "@tanstack/react-router";
import { count } from "~/lib/format";
import { WordBadge } from "~/ui/badge";
import { Card } from "~/ui/layout";
import { ErrorPanel, Lines } from "~/ui/loaded";
import type { Hypothesis } from "~/experiment/hypothesis-words";
import { endOf, experimentsOf, type Item, useLinked } from "./linked";

export function MadeFrom({ projectKey, hypothesis }: { projectKey: string; hypothesis: Hypothesis }) {
  const linked = useLinked(projectKey, hypothesis.linked_test_ids);
  const experiments = experimentsOf(hypothesis, linked);
  return (
    <Card title="Its experiments" flush>
      {linked.error !== undefined && <ErrorPanel error={linked.error} retry={linked.retry} />}
      {experiments.length > 0 ? (
        <ul>
          {experiments.map((one) => (
            <MadeExperiment key={one.test_id} projectKey={projectKey} experiment={one} />
          ))}
        </ul>
      ) : linked.isComplete ? (
        <p className="px-4 pb-4 text-soft md:px-5">
          None yet. A new experiment shows its hypothesis, so that everybody sees why it runs.
        </p>
      ) : (
        linked.error === undefined && (
          <div aria-busy="true">
            <Lines count={2} />
          </div>
        )
      )}
    </Card>
  );
}

function MadeExperiment({ projectKey, experiment }: { projectKey: string; experiment: Item }) {
  const { test_id, test_name, sentence, visitors } = experiment;
  return (
    <li className="flex flex-col gap-1 border-t border-line px-4 py-2.5 first:border-0 md:px-5">
      <div className="flex items-start justify-between gap-2">
        <Link
          to="/p/$projectKey/experiments/$testId"
          params={{ projectKey, testId: String(test_id) }}
          className="link min-w-0 font-medium break-words"
        >
          {test_name}
        </Link>
        <WordBadge word={endOf(experiment)} />
      </div>
      <p className="text-sm text-soft">{sentence}</p>
      {visitors !== null && visitors > 0 && <p className="text-sm text-soft">{count(visitors, "visitor")}</p>}
    </li>
  );
}
