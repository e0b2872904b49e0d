// What all experiments of a holdout did together, in the server's numbers and words.

import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { query, type Schemas } from "~/api/query";
import { change, day, integer, moment, money, percent, percentage } from "~/lib/format";
import { VERDICT, wordOf } from "~/lib/words";
import { WordBadge } from "~/ui/badge";
import { Select } from "~/ui/field";
import { Card, Note } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { type Column, Table } from "~/ui/table";
import type { Group } from "./read";

type Result = Schemas["HoldoutResult"];
type Arm = Schemas["VariantResult"];
type Metric = Schemas["MetricResult"];

export function HoldoutResultCard({ projectKey, group }: { projectKey: string; group: Group }) {
  const { goal } = useSearch({ from: "/app/p/$projectKey/groups/$groupId" });
  const path = { project_key: projectKey, group_id: group.group_id };
  const result = useQuery(
    query("/v2/project/{project_key}/exclusion-group/{group_id}/result", {
      path,
      ...(goal !== undefined && { query: { goal_key: goal } }),
    }),
  );
  return (
    <Card
      flush
      title="What the experiments did together"
      about={`Those who are held out against everybody else, since ${moment(group.since)}. It begins anew when the percentage or the experiments change.`}
    >
      <div className="px-4 pb-4 md:px-5">
        <GoalSelect projectKey={projectKey} goal={goal} shown={result.data?.primary_goal?.goal_name} />
      </div>
      <Loaded query={result}>{(data) => <ResultView result={data} />}</Loaded>
    </Card>
  );
}

function GoalSelect({ projectKey, goal, shown }: { projectKey: string; goal?: string; shown?: string }) {
  const navigate = useNavigate({ from: "/p/$projectKey/groups/$groupId" });
  const goals = useQuery(
    query("/v2/project/{project_key}/goals", { path: { project_key: projectKey }, query: { limit: 500 } }),
  );
  return (
    <Select
      label="Goal"
      value={goal ?? ""}
      onChange={({ target }) =>
        navigate({ search: { goal: target.value || undefined }, replace: true, resetScroll: false })
      }
      className="max-w-90"
    >
      <option value="">
        {goal === undefined && shown !== undefined ? `${shown}, that of most experiments` : "That of most experiments"}
      </option>
      {goals.data?.goals.map(({ goal_key: key, goal_name: name }) => (
        <option key={key} value={key}>
          {name}
        </option>
      ))}
    </Select>
  );
}

const ARMS: Column<Arm>[] = [
  { name: "Who", isName: true, cell: ({ name }) => <span className="font-medium">{name}</span> },
  { name: "Share", isNumber: true, cell: ({ traffic_weight: share }) => percentage(share) },
  { name: "Visitors", isNumber: true, cell: ({ visitors }) => integer(visitors) },
  { name: "Conversions", isNumber: true, cell: ({ conversions }) => integer(conversions) },
  { name: "Rate", isNumber: true, cell: ({ conversion_rate: rate }) => inPercent(rate) },
];

const METRICS: Column<Metric>[] = [
  { name: "Metric", isName: true, cell: ({ name }) => name },
  { name: "Held out", isNumber: true, cell: ({ variants }) => inPercent(variants[0]?.conversion_rate) },
  { name: "Everybody else", isNumber: true, cell: ({ variants }) => inPercent(variants[1]?.conversion_rate) },
  { name: "Difference", isNumber: true, cell: ({ variants }) => <Lift of={variants[1]?.analysis} /> },
];

function ResultView({ result }: { result: Result }) {
  const analysis = result.variants[1]?.analysis;
  // The verdict's sentence says already that there is too little.
  const { minimum_data: _, ...health } = result.health;
  const problems = Object.values(health).filter(
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
          {problems.map(({ status, message }) => (
            <Note key={message} tone={status === "fail" ? "bad" : "caution"}>
              {message}
            </Note>
          ))}
          <p>
            Everybody else against those who are held out: <Lift of={analysis} />
          </p>
        </div>
      )}
      <div className="border-t border-line">
        <Table label="Result of the holdout" columns={columnsOf(result)} rows={result.variants} keyOf={armKey} />
      </div>
      {result.metrics.length > 0 && (
        <div className="border-t border-line">
          <Table label="Other metrics" columns={METRICS} rows={result.metrics} keyOf={({ key }) => key} />
        </div>
      )}
      <p className="border-t border-line px-4 py-3 text-sm text-soft md:px-5">
        {result.start_date === null
          ? "Nothing was counted yet."
          : `${day(result.start_date)} to ${day(result.end_date)}.`}{" "}
        Intervals hold at {percentage(result.confidence_threshold_percent)} confidence whenever they are read.
      </p>
    </>
  );
}

/** With as many digits in every row. */
function inPercent(rate: number | null | undefined): string {
  return percent(rate == null ? rate : rate / 100, 2);
}

function armKey({ variant_id: id }: Arm): string {
  return id;
}

/** With what was earned, where the goal has a value. */
function columnsOf({ rpv, currency }: Result): Column<Arm>[] {
  if (rpv == null) return ARMS;
  return [...ARMS, { name: "Per visitor", isNumber: true, cell: (arm) => money(arm.rpv, currency) }];
}

/** The lift with its interval, both in percent. */
function Lift({ of: analysis }: { of: Schemas["AnalysisResult"] | null | undefined }) {
  if (analysis == null || analysis.lift === null) return "not known yet";
  const [from, to] = (analysis.lift_interval ?? []) as number[];
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
