// Link to the page on which an experiment is concluded.

import { ButtonLink } from "~/ui/button";
import { useExperiment, useLocked } from "../open";

/** Shown once the experiment has run, to users who may conclude it. */
export function ConcludeLink({ isPrimary = false }: { isPrimary?: boolean }) {
  const { projectKey, experiment } = useExperiment();
  const locked = useLocked();
  if (locked !== undefined || experiment.is_completed === 1 || experiment.epochs.length === 0) return null;
  return (
    <ButtonLink
      kind={isPrimary ? "primary" : "plain"}
      to="/p/$projectKey/experiments/$testId/conclude"
      params={{ projectKey, testId: String(experiment.test_id) }}
    >
      Conclude
    </ButtonLink>
  );
}
