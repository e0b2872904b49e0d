// Step "Traffic": the share of visitors who enter, their variants, what the clock does, and the earlier splits.

import { useQuery } from "@tanstack/react-query";
import { query } from "~/api/query";
import { Loaded } from "~/ui/loaded";
import { EpochsCard } from "~/experiment/epochs";
import { useExperiment } from "~/experiment/open";
import { BanditCard } from "./bandit";
import { MovesCard } from "./moves";
import { PlacesCard } from "./places";
import { SplitForm } from "./split-form";

export function TrafficStep() {
  const { projectKey, experiment } = useExperiment();
  const distribution = useQuery(
    query("/v2/project/{project_key}/experiment/{test_id}/distribution", {
      path: { project_key: projectKey, test_id: experiment.test_id },
    }),
  );
  return (
    <>
      <SplitForm />
      <Loaded query={distribution}>{({ bandit }) => bandit !== undefined && <BanditCard bandit={bandit} />}</Loaded>
      <PlacesCard />
      <EpochsCard />
      <MovesCard />
    </>
  );
}
