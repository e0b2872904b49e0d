// History of a bandit: how its weights moved, and its loss compared with an even split.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { query, type Schemas } from "~/api/query";
import { IntervalPlot, type IntervalRow } from "~/ui/interval-plot";
import { Card } from "~/ui/layout";
import { ErrorPanel, Lines, Loaded } from "~/ui/loaded";
import { useReadAgain } from "../as-of";
import type { TimeArm } from "~/experiment/result/time/panels";
import type { WeightEpoch } from "./weights";
import { LossesPlot } from "./losses-plot";
import { WeightsPlot } from "./weights-plot";

interface BanditViewProps {
  /** Undefined if the experiment was never live as a bandit, or no longer is one. */
  bandit: Schemas["Bandit"] | undefined;
  /** Losses by day; undefined until every variant has data. */
  losses: Schemas["TimeseriesAnswer"]["bandit"];
  /** Message if losses are outdated, or missing. */
  lossesProblem?: ReactNode;
  epochs: readonly WeightEpoch[];
  arms: readonly TimeArm[];
  asOf: string;
  /** End of the experiment; undefined while it is live. */
  endedAt: string | undefined;
  /** Unit of losses: `conversions`, or the currency of the goal's value. */
  unit: string;
  of: string;
}

export function BanditView({ bandit, losses, lossesProblem, epochs, arms, asOf, endedAt, unit, of }: BanditViewProps) {
  return (
    <div className="flex flex-col gap-6">
      {bandit && <p>{bandit.reason}</p>}
      {epochs.length > 0 && <WeightsPlot epochs={epochs} arms={arms} asOf={asOf} endedAt={endedAt} of={of} />}
      {bandit && bandit.regret !== null && (
        <div className="flex flex-col gap-3">
          <h3 className="font-semibold">Cost of learning</h3>
          <IntervalPlot
            label="Lost so far, compared with an even split"
            rows={lostRows(bandit)}
            unit={unit}
            isAmount
            estimateName="Lost"
            of={of}
            asOf={asOf}
            caption="Lost is how much more the visitors of other variants would have brought with the best one. The dot is the estimate, the line is its interval at the experiment's confidence."
          />
          {losses && losses.length > 1 && <LossesPlot losses={losses} unit={unit} of={of} asOf={asOf} />}
          {lossesProblem}
        </div>
      )}
      {bandit && bandit.regret === null && (
        <p className="text-soft">The loss from showing variants other than the best is not known yet.</p>
      )}
    </div>
  );
}

function lostRows(bandit: Schemas["Bandit"]): IntervalRow[] {
  const row = (name: string, { regret, regret_interval: interval }: Schemas["EvenSplit"]): IntervalRow => ({
    name,
    estimate: regret,
    low: interval?.[0] ?? null,
    high: interval?.[1] ?? null,
  });
  return [
    { ...row("This bandit", bandit), tone: "accent" },
    row("An even split of the same visitors", bandit.even_split),
  ];
}

type BanditSectionProps = Omit<BanditViewProps, "bandit" | "losses" | "lossesProblem"> & {
  projectKey: string;
  testId: number;
};

export function BanditSection({ projectKey, testId, ...view }: BanditSectionProps) {
  const path = { project_key: projectKey, test_id: testId };
  const distribution = useQuery(query("/v2/project/{project_key}/experiment/{test_id}/distribution", { path }));
  const series = useQuery(query("/v2/project/{project_key}/experiment/{test_id}/timeseries", { path }));
  useReadAgain(distribution, view.asOf);
  useReadAgain(series, view.asOf);
  return (
    <Card title="Bandit" about="The weights follow the result of the primary goal.">
      <Loaded query={distribution} skeleton={<Lines count={8} />}>
        {({ bandit }) => (
          <BanditView
            {...view}
            bandit={bandit}
            losses={series.data?.bandit}
            lossesProblem={
              series.isError && (
                <div className="flex flex-col gap-2">
                  <p>The losses by day could not be read{series.data && " again"}.</p>
                  <ErrorPanel error={series.error} retry={() => series.refetch()} />
                </div>
              )
            }
          />
        )}
      </Loaded>
    </Card>
  );
}
