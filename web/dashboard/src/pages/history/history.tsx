// History of an experiment: a tab of its pages.

import { useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { outdateExperiment, useExperiment, useLocked } from "~/experiment/open";
import { Revisions } from "~/experiment/history/revisions";

export function HistoryPage() {
  const cache = useQueryClient();
  const { projectKey, experiment } = useExperiment();
  const { revision } = useSearch({ from: "/app/p/$projectKey/experiments/$testId/history" });
  const locked = useLocked();
  return (
    <Revisions
      subject={{ kind: "experiment", projectKey, id: experiment.test_id }}
      chosen={revision}
      canRestore={locked === undefined}
      onRestored={() => outdateExperiment(cache)}
    />
  );
}
