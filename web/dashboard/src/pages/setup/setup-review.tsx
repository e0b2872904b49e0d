// Last step: all settings in words on one page, the expected duration, and a simulation.

import { useState } from "react";
import { ButtonLink } from "~/ui/button";
import { Card } from "~/ui/layout";
import { useExperiment } from "~/experiment/open";
import { ReviewParts } from "./review-parts";
import { type Assumed, SampleSize } from "./sample-size";
import { SimulationCard } from "./simulation";

export function ReviewStep() {
  const { projectKey, experiment } = useExperiment();
  const [assumed, setAssumed] = useState<Assumed>({ daily_visitors: null, baseline_rate: null });
  return (
    <>
      <ReviewParts />
      <SampleSize assumed={assumed} assume={setAssumed} />
      <SimulationCard assumed={assumed} />
      <Card>
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="min-w-0 flex-1 basis-60">
            {experiment.status === 9
              ? "Launch checks everything once more, shows you each variant, and starts the experiment."
              : "Launch shows what visitors get now, and starts or stops the experiment."}
          </p>
          <ButtonLink
            kind="primary"
            to={"/p/$projectKey/experiments/$testId/launch" as "/"}
            params={{ projectKey, testId: String(experiment.test_id) } as never}
          >
            Go to Launch
          </ButtonLink>
        </div>
      </Card>
    </>
  );
}
