// Metrics other than the goal at the top: further goals and events, or guardrails. Each with its variants.

import type { ReactNode } from "react";
import { GroupedTable } from "~/ui/grouped-table";
import type { Column } from "~/ui/table";
import { ArmNames } from "../arm-name";
import { Exploratory } from "../exploratory";
import { percentChange } from "../interval-words";
import { LiftShown, moneyColumns, RateShown, VerdictShown } from "../lift";
import { Method } from "../method";
import { armOf, type Metric, type MetricArm, type Result } from "../reading";

const KIND: Record<string, string> = { goal: "Goal", builtin: "Measured on every page", event: "Event" };

interface Row {
  id: string;
  arm: MetricArm;
  isControl: boolean;
}

export function MetricsTable({ result, metrics, label }: { result: Result; metrics: Metric[]; label: string }) {
  return (
    <GroupedTable<Metric, Row>
      label={label}
      groupName="Metric"
      groups={metrics}
      keyOf={({ kind, key }) => `${kind} ${key}`}
      headOf={(metric) => <Head metric={metric} result={result} />}
      rowsOf={({ variants }) => variants.map((arm, at) => ({ id: arm.variant_id, arm, isControl: at === 0 }))}
      keyOfRow={({ id }) => id}
      columns={columnsOf(result, metrics)}
    />
  );
}

function Head({ metric, result }: { metric: Metric; result: Result }) {
  return (
    <span className="flex flex-col items-start gap-0.5">
      <span className="max-w-full font-medium break-words">{metric.name}</span>
      <span className="text-sm text-soft">
        {KIND[metric.kind] ?? metric.kind}
        {metric.role === "primary" && ", the primary one"}
        {metric.lower_is_better && ", less is better"}
      </span>
      <Exploratory of={metric} />
      <Method
        arms={metric.variants.map(({ variant_id: id, analysis }) => ({
          name: armOf(result, id)?.name ?? id,
          analysis,
        }))}
        family={metric.role === "guardrail" ? "guardrails" : "metrics"}
        of={metric.name}
      />
    </span>
  );
}

function columnsOf(result: Result, metrics: Metric[]): Column<Row>[] {
  const isLive = result.status_code === 1;
  const hasMoney = metrics.some(({ variants }) => variants.some(({ rpv }) => rpv !== undefined));
  const name = (id: string): ReactNode => {
    const arm = armOf(result, id);
    return arm ? (
      <span className="flex flex-wrap gap-x-2">
        <ArmNames name={arm.name} nickname={arm.nickname} />
      </span>
    ) : (
      id
    );
  };
  return [
    { name: "Variant", isName: true, cell: ({ id }) => name(id) },
    { name: "Rate", isNumber: true, cell: ({ arm }) => <RateShown of={arm} /> },
    ...(hasMoney
      ? moneyColumns(
          ({ arm }: Row) => arm,
          ({ arm }) => arm.currency,
        )
      : []),
    {
      name: "Change, seen",
      isNumber: true,
      cell: ({ arm, isControl }) => (isControl ? null : percentChange(arm.improvement)),
    },
    {
      name: "Lift, inferred",
      isNumber: true,
      cell: ({ arm, isControl }) => (isControl ? null : <LiftShown of={arm.analysis} />),
    },
    {
      name: "Verdict",
      cell: ({ arm: { analysis, harmed }, isControl }) =>
        isControl ? null : <VerdictShown of={analysis} isLive={isLive} isHarmed={harmed} />,
    },
  ];
}
