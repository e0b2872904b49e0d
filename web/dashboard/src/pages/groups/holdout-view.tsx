// Result of a holdout, with the server's numbers and words. It depends only on data.

import type { Schemas } from "~/api/query";
import { averageMoney, change, day, integer, percent, percentage } from "~/lib/format";
import { liftEnds } from "~/lib/lift-ends";
import { VERDICT, wordOf } from "~/lib/words";
import { Badge, WordBadge } from "~/ui/badge";
import { HowToRead } from "~/ui/how-to-read";
import { Note } from "~/ui/layout";
import { type Column, Table } from "~/ui/table";

type Result = Schemas["HoldoutResult"];
type Arm = Schemas["VariantResult"];
type Metric = Schemas["MetricResult"];

const ARMS: Column<Arm>[] = [
  { name: "Who", isName: true, cell: ({ name }) => <span className="font-medium">{name}</span> },
  { name: "Share", isNumber: true, cell: ({ traffic_weight: share }) => percentage(share) },
  { name: "Visitors", isNumber: true, cell: ({ visitors }) => integer(visitors) },
  { name: "Conversions", isNumber: true, cell: ({ conversions }) => integer(conversions) },
  { name: "Rate", isNumber: true, cell: ({ conversion_rate: rate }) => inPercent(rate) },
];

/** As in results: the observed change, which is not a finding. */
const SEEN: Column<Arm> = {
  name: "Change, seen",
  isNumber: true,
  cell: ({ improvement }) => (improvement == null ? null : change(improvement / 100)),
};

const METRICS: Column<Metric>[] = [
  { name: "Metric", isName: true, cell: (metric) => <MetricName metric={metric} /> },
  { name: "Held out", isNumber: true, cell: ({ variants }) => inPercent(variants[0]?.conversion_rate) },
  { name: "Everybody else", isNumber: true, cell: ({ variants }) => inPercent(variants[1]?.conversion_rate) },
  { name: "Difference", isNumber: true, cell: ({ variants }) => <Lift of={variants[1]?.analysis} /> },
];

export function HoldoutMetrics({ metrics }: { metrics: Metric[] }) {
  return <Table label="Other metrics" columns={METRICS} rows={metrics} keyOf={({ kind, key }) => `${kind} ${key}`} />;
}

/** Adds the direction and the verdict, which a difference does not show by itself. */
function MetricName({ metric: { name, lower_is_better: isLess, variants } }: { metric: Metric }) {
  return (
    <span className="flex flex-col items-start gap-0.5">
      <span className="break-words">{name}</span>
      {isLess && <span className="text-sm text-soft">Less is better</span>}
      {variants.some(({ harmed }) => harmed === true) && <Badge tone="bad">Got worse</Badge>}
    </span>
  );
}

export function HoldoutView({ result }: { result: Result }) {
  const analysis = result.variants[1]?.analysis;
  // The sentence of a verdict already reports too little data.
  const { minimum_data, ...others } = result.health;
  const problems = Object.values(analysis ? others : { minimum_data, ...others }).filter(
    (check): check is Schemas["HealthCheck"] =>
      typeof check === "object" && check !== null && ["fail", "warn"].includes(check.status),
  );
  return (
    <>
      {analysis && (
        <div className="flex flex-col gap-3 border-t border-line px-4 py-4 md:px-5">
          <p className="flex flex-wrap items-baseline gap-x-2.5 gap-y-1">
            <WordBadge word={wordOf(VERDICT, analysis.verdict)} />
            <span className="min-w-0 flex-1 basis-60">{analysis.reason}</span>
          </p>
          <p>
            Inferred lift of everybody else, compared with those who are held out: <Lift of={analysis} />
          </p>
          <HowToRead>
            <p>
              <b className="font-semibold">Change</b>, in the table, is the observed difference, over everybody who was
              counted. It is not a finding: chance alone produces a difference.
            </p>
            <p>
              <b className="font-semibold">Lift</b> is what can be concluded. It counts only visitors whose time to
              convert is over, adjusts for what was known before they entered, and cuts the few largest buyers, so that
              one order does not decide. So the two may differ much while few visitors are held out. Decide by the lift
              and its interval.
            </p>
          </HowToRead>
        </div>
      )}
      {problems.length > 0 && (
        <div className="flex flex-col gap-3 border-t border-line px-4 py-4 md:px-5">
          {problems.map(({ status, message }) => (
            <Note key={message} tone={status === "fail" ? "bad" : "caution"}>
              {message}
            </Note>
          ))}
        </div>
      )}
      <div className="border-t border-line">
        <Table label="Result of the holdout" columns={columnsOf(result)} rows={result.variants} keyOf={armKey} />
      </div>
      {result.metrics.length > 0 && (
        <div className="border-t border-line">
          <HoldoutMetrics metrics={result.metrics} />
        </div>
      )}
      <p className="border-t border-line px-4 py-3 text-sm text-soft md:px-5">
        {result.start_date === null
          ? "Nothing was counted yet."
          : `${day(result.start_date)} to ${day(result.end_date)}.`}{" "}
        Intervals hold at {percentage(result.confidence_threshold_percent)} confidence at any time you look.
      </p>
    </>
  );
}

/** Percent with the same number of decimals in every row. */
function inPercent(rate: number | null | undefined): string {
  return percent(rate == null ? rate : rate / 100, 2);
}

function armKey({ variant_id: id }: Arm): string {
  return id;
}

/** Columns, with the revenue if the goal has a value. */
function columnsOf({ rpv, currency }: Result): Column<Arm>[] {
  if (rpv == null) return [...ARMS, SEEN];
  return [...ARMS, { name: "Per visitor", isNumber: true, cell: (arm) => averageMoney(arm.rpv, currency) }, SEEN];
}

/** The lift with its interval, both in percent. */
function Lift({ of: analysis }: { of: Schemas["AnalysisResult"] | null | undefined }) {
  if (analysis == null || analysis.lift === null) return "not known yet";
  const [from, to] = liftEnds(analysis.lift_interval as number[] | null) ?? [];
  return (
    <span className="num">
      {change(analysis.lift / 100)}
      {from !== undefined && to !== undefined && (
        <span className="text-soft">
          {" "}
          ({change(from / 100)} to {change(to / 100)})
        </span>
      )}
    </span>
  );
}
