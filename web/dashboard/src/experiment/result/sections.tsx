// A whole result: first the verdict, then its numbers. It does not depend on routes, because shared results use it,
// too. Parts that depend on the page are passed as `places`.

import type { ReactNode } from "react";
import type { Schemas } from "~/api/query";
import { HowToRead } from "~/ui/how-to-read";
import { Card, FoldedCard } from "~/ui/layout";
import { ArmsHelp, ArmsTable } from "./tables/arms-table";
import { BeliefsHelp, BeliefsTable } from "./tables/beliefs-table";
import { HealthCard } from "./cards/health-card";
import { LiftCard } from "./cards/lift-card";
import { MetricsTable } from "./tables/metrics-table";
import { hasNoBelief, hasNoLift, hasNoNumbers, hasNoPages } from "./nothing-yet";
import { PagesCard } from "./cards/pages-card";
import { PlanCard } from "./cards/plan-card";
import { ProgressCard } from "./cards/progress-card";
import { Method } from "./method";
import { goalName, type Metric, type Result } from "./reading";
import { ToKnow } from "./to-know";
import { VerdictCard } from "./verdict";

/** Parts that a page inserts into the result. */
export interface Places {
  /** Actions next to the verdict. */
  actions?: ReactNode;
  /** Shown instead of numbers if no visitors entered. */
  nobody: ReactNode;
  overTime?: ReactNode;
  breakdown?: ReactNode;
  bandit?: ReactNode;
  /** Action for changes that the clock does not follow yet. */
  heldBack?: ReactNode;
  /** Action below the health checks. */
  health?: ReactNode;
  /** Content at the end. */
  more?: ReactNode;
}

interface SectionsProps {
  result: Result;
  /** Filters of visitors, in words. */
  about: string[];
  plan?: Schemas["PlanAnswer"] | undefined;
  ending?: string[];
  /** Whole days since the start, as in the list of experiments. */
  wholeDays?: number | null | undefined;
  /** True for a shared result, whose readers cannot act on it. */
  isShared?: boolean;
  places: Places;
}

export function ResultSections({ result, about, plan, ending, wholeDays, isShared, places }: SectionsProps) {
  if (result.total_visitors === 0)
    return (
      <>
        {places.nobody}
        <HealthCard result={result} isShared={isShared} action={places.health} />
        <PlanCard result={result} heldBack={places.heldBack} />
      </>
    );
  const beliefs = result.goal_key !== null && <Beliefs result={result} />;
  const isBayesian = result.stats_engine === "bayesian";
  const guardrails = result.metrics.filter(({ role }) => role === "guardrail");
  const others = result.metrics.filter(({ role }) => role !== "guardrail");
  return (
    <>
      <VerdictCard result={result} about={about} actions={places.actions} />
      {/* The weights of a bandit are first, because its owner looks for them. */}
      {places.bandit}
      <ToKnow result={result} />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_21rem]">
        <HealthCard result={result} isShared={isShared} action={places.health} />
        <ProgressCard result={result} plan={plan} ending={ending ?? []} wholeDays={wholeDays} />
      </div>
      {result.goal_key !== null && !hasNoLift(result) && <LiftCard result={result} />}
      <Card
        flush
        title="Numbers"
        about="The counts, the observed difference (change), and the difference that can be concluded (lift)."
      >
        <Below>
          <HowToRead>
            <ArmsHelp result={result} />
          </HowToRead>
          <Method arms={result.variants} family="goal" of={goalName(result) ?? "the goal"} />
        </Below>
        <ArmsTable result={result} />
      </Card>
      {isBayesian && beliefs}
      <Metrics
        title="Other metrics"
        about="All of them form one family: few of the wins and losses here are due to chance."
        result={result}
        metrics={others}
      />
      <Metrics
        title="Guardrails"
        about="Metrics that must not get worse. A guardrail raises an alarm when it is known to have got worse."
        result={result}
        metrics={guardrails}
      />
      {hasNoPages(result) ? null : <PagesCard result={result} />}
      {places.overTime}
      {places.breakdown}
      {!isBayesian && beliefs}
      <PlanCard result={result} heldBack={places.heldBack} />
      {places.more}
    </>
  );
}

function Below({ children }: { children: ReactNode }) {
  return <div className="px-4 pb-3 md:px-5">{children}</div>;
}

interface MetricsProps {
  title: string;
  about: string;
  result: Result;
  metrics: Metric[];
}

function Metrics({ title, about, result, metrics }: MetricsProps) {
  if (metrics.length === 0) return null;
  if (hasNoNumbers(metrics))
    return (
      <FoldedCard title={title} why="Nothing was counted yet.">
        <MetricsTable label={title} result={result} metrics={metrics} />
      </FoldedCard>
    );
  return (
    <Card flush title={title} about={about}>
      <MetricsTable label={title} result={result} metrics={metrics} />
    </Card>
  );
}

function Beliefs({ result }: { result: Result }) {
  if (hasNoBelief(result))
    return (
      <FoldedCard title="The Bayesian view" why="There is too little data for it yet.">
        <BeliefsTable result={result} />
      </FoldedCard>
    );
  return (
    <Card
      flush
      title="The Bayesian view"
      about="Probabilities for each variant. Use them to weigh a decision, not to decide when to stop."
    >
      <Below>
        <HowToRead>
          <BeliefsHelp />
        </HowToRead>
      </Below>
      <BeliefsTable result={result} />
    </Card>
  );
}
