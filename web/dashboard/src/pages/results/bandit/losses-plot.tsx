// Cumulative loss of a bandit by the end of each day, compared with an even split of the same visitors.

import { useRef, useState } from "react";
import type { Schemas } from "~/api/query";
import { day, decimal } from "~/lib/format";
import { Picture } from "~/ui/picture";
import { type Column, Table } from "~/ui/table";
import { TimePlot, type TimePlotHandle } from "~/ui/time-plot";
import type { TimeShape } from "~/ui/time-shape";
import { stacked } from "~/experiment/result/time/drawing";
import { countRange } from "~/experiment/result/time/series";

type Loss = Schemas["BanditPoint"];

interface LossesPlotProps {
  losses: readonly Loss[];
  /** Unit of losses: `conversions`, or the currency of the goal's value. */
  unit: string;
  of: string;
  asOf: string;
}

export function LossesPlot({ losses, unit, of, asOf }: LossesPlotProps) {
  const [pointed, setPointed] = useState<number>();
  const plot = useRef<TimePlotHandle>(null);
  const at = Math.min(pointed ?? losses.length - 1, losses.length - 1);
  const label = `Lost by day, in ${unit}`;
  return (
    <Picture
      label={label}
      of={of}
      asOf={asOf}
      caption="Total loss at the end of each day, estimated with today's knowledge of the variants: the line with its band is this bandit, the dashed line an even split of the same visitors."
      drawing={() => stacked([[label, plot.current?.svg()]])}
      table={<LossesTable label={label} losses={losses} />}
    >
      <div className="flex min-w-0 flex-col break-inside-avoid" data-panel="losses">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <h4 className="font-semibold">{label}</h4>
          <p className="num text-soft max-xs:whitespace-normal">{wordsOf(losses[at])}</p>
        </div>
        <TimePlot shape={shapeOf(losses)} at={at} onDay={setPointed} ref={plot} />
      </div>
    </Picture>
  );
}

function shapeOf(losses: readonly Loss[]): TimeShape {
  const [low, high] = [0, 1].map((end) => losses.map(({ regret_interval: ends }) => ends[end] ?? null));
  const even = losses.map(({ even_split }) => even_split.regret);
  return {
    days: losses.map(({ date }) => date),
    lines: [
      { name: "An even split", values: even, kind: "other" },
      { name: "This bandit", values: losses.map(({ regret }) => regret), kind: "main" },
    ],
    band: { low: low ?? [], high: high ?? [] },
    range: countRange([...even, ...(high ?? [])]),
    marks: [],
    tick: (value, digits) => decimal(value, digits),
  };
}

function wordsOf(loss: Loss | undefined): string {
  if (loss === undefined) return "";
  const { date, regret, regret_interval: ends, even_split } = loss;
  const interval = `from ${decimal(ends[0], 1)} to ${decimal(ends[1], 1)}`;
  return `${day(date)}: ${decimal(regret, 1)}, ${interval}; even split ${decimal(even_split.regret, 1)}`;
}

const COLUMNS: Column<Loss>[] = [
  { name: "Day", isName: true, cell: ({ date }) => <span className="num font-medium">{day(date)}</span> },
  { name: "Lost", isNumber: true, cell: ({ regret }) => decimal(regret, 1) },
  { name: "From", isNumber: true, cell: ({ regret_interval: ends }) => decimal(ends[0], 1) },
  { name: "To", isNumber: true, cell: ({ regret_interval: ends }) => decimal(ends[1], 1) },
  { name: "Even split", isNumber: true, cell: ({ even_split }) => decimal(even_split.regret, 1) },
];

function LossesTable({ label, losses }: { label: string; losses: readonly Loss[] }) {
  return <Table label={label} columns={COLUMNS} rows={losses.toReversed()} keyOf={({ date }) => date} />;
}
