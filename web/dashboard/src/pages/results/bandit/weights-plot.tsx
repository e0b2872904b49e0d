// Weights of the variants over time: a row for each variant, from 0 to 100 %.

import { useRef } from "react";
import { date, moment, percentage } from "~/lib/format";
import { scaleOf } from "~/lib/scale";
import { fitted } from "~/ui/interval-geometry";
import { Picture } from "~/ui/picture";
import { type Column, Table } from "~/ui/table";
import { fontOf, measureIn, useWidth } from "~/ui/width";
import { type TimeArm, titleOf } from "~/experiment/result/time/panels";
import { outline, stepsOf, type WeightEpoch } from "./weights";

interface WeightsPlotProps {
  epochs: readonly WeightEpoch[];
  arms: readonly TimeArm[];
  /** Time of the data. */
  asOf: string;
  /** End of the experiment; undefined while it is live. */
  endedAt: string | undefined;
  of: string;
}

const ROW = 68;
const NAME = 20;
const AXIS = 24;
const LABEL = "Weights over time";

export function WeightsPlot({ epochs, arms, asOf, endedAt, of }: WeightsPlotProps) {
  const [frame, width] = useWidth<HTMLDivElement>();
  const svg = useRef<SVGSVGElement>(null);
  const height = arms.length * ROW + AXIS;
  const until = endedAt ?? asOf;
  const from = Date.parse(epochs[0]?.started_at ?? until);
  const to = Math.max(from + 1, Date.parse(until));
  const x = scaleOf({ from, to }, 0, width);
  return (
    <Picture
      label={LABEL}
      of={of}
      asOf={asOf}
      caption="The share of visitors that each variant got. Each row goes from 0 to 100 %; each step is an epoch."
      drawing={() => svg.current}
      table={<WeightsTable epochs={epochs} arms={arms} />}
    >
      <div ref={frame} className="min-w-0 break-inside-avoid" style={{ minHeight: height }}>
        {width > 0 && (
          <svg
            ref={svg}
            aria-hidden="true"
            width={width}
            height={height}
            viewBox={`0 0 ${width} ${height}`}
            className="block h-auto max-w-full text-[13px]"
            data-plot="weights"
          >
            {arms.map((arm, at) => (
              <ArmRow
                key={arm.variant_id}
                arm={arm}
                top={at * ROW}
                width={width}
                epochs={epochs}
                to={to}
                when={endedAt === undefined ? "now" : "at the end"}
                x={x}
              />
            ))}
            <text x={0} y={height - 6} className="fill-soft text-[12px]">
              {date(new Date(from).toISOString())}
            </text>
            <text x={width} y={height - 6} textAnchor="end" className="fill-soft text-[12px]">
              {date(until)}
            </text>
          </svg>
        )}
      </div>
    </Picture>
  );
}

interface ArmRowProps {
  arm: TimeArm;
  top: number;
  width: number;
  epochs: readonly WeightEpoch[];
  to: number;
  /** Date of the last weight. */
  when: string;
  x: (at: number) => number;
}

function ArmRow({ arm, top, width, epochs, to, when, x }: ArmRowProps) {
  const steps = stepsOf(epochs, arm.name, to);
  const last = `${percentage(steps[steps.length - 1]?.weight)} ${when}`;
  const y = scaleOf({ from: 0, to: 100 }, ROW - 10, NAME + 10 - ROW);
  const title = titleOf(arm);
  return (
    <g transform={`translate(0 ${top})`} data-arm={arm.variant_id}>
      <title>{title}</title>
      <text x={0} y={14} className="fill-ink font-semibold">
        {fitted(title, width - measureIn(fontOf(13))(last) - 16, measureIn(fontOf(13, 600)))}
      </text>
      <text x={width} y={14} textAnchor="end" className="num fill-soft">
        {last}
      </text>
      <rect x={0} y={y(100)} width={width} height={y(0) - y(100)} className="fill-sunken" />
      <path
        d={outline(steps, x, y)}
        className={arm.variant_id === "0" ? "fill-line stroke-soft" : "fill-accent-wash stroke-accent"}
        strokeWidth={1.5}
        strokeLinejoin="round"
        data-part="weights"
      />
    </g>
  );
}

function WeightsTable({ epochs, arms }: Pick<WeightsPlotProps, "epochs" | "arms">) {
  const columns: Column<WeightEpoch>[] = [
    { name: "Epoch", isName: true, cell: ({ epoch }) => <span className="num font-medium">{epoch}</span> },
    { name: "Began", cell: ({ started_at: at }) => <span className="num">{moment(at)}</span> },
    ...arms.map(
      (arm): Column<WeightEpoch> => ({
        name: arm.name,
        isNumber: true,
        cell: ({ weights }) => percentage(weights[arm.name] ?? 0),
      }),
    ),
  ];
  return <Table label={LABEL} columns={columns} rows={epochs.toReversed()} keyOf={({ epoch }) => epoch} />;
}
