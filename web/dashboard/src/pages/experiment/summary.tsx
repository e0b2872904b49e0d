// Summary of an experiment and its state, with comments.

import { useSession } from "~/api/session";
import { Comments } from "~/experiment/comments/comments";
import { ConclusionCard } from "./conclusion";
import { AboutCard, GoalsCard, HypothesisCard, IntegrationsCard } from "./about";
import { ArmsCard } from "./arms";
import { ClockCard } from "~/experiment/clock";
import { EpochsCard } from "~/experiment/epochs";
import { useExperiment, useLocked } from "~/experiment/open";
import { StandingCard } from "./standing-card";

export function SummaryPage() {
  const { projectKey, experiment } = useExperiment();
  const locked = useLocked();
  const { person } = useSession();
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_21rem] lg:grid-rows-[auto_1fr]">
      <div className="flex min-w-0 flex-col gap-5">
        {experiment.is_completed === 1 && <ConclusionCard />}
        <StandingCard />
        <HypothesisCard />
        <ArmsCard />
        {experiment.epochs.length > 0 && <EpochsCard />}
      </div>
      <div className="flex min-w-0 flex-col gap-5 lg:row-span-2">
        <ClockCard />
        <GoalsCard />
        <AboutCard />
        <IntegrationsCard />
      </div>
      <div className="min-w-0">
        <Comments
          key={person.person_id}
          kind="experiment"
          projectKey={projectKey}
          id={experiment.test_id}
          canWrite={locked === undefined}
        />
      </div>
    </div>
  );
}
