// A result day by day, as pictures: one for each variant, all on one scale, with the same day read out in all of them.
// It depends only on data, not on routes or a session.

import { useId, useMemo, useState } from "react";
import type { Schemas } from "~/api/query";
import { day, money, signed } from "~/lib/format";
import { Empty } from "~/ui/layout";
import { Picture } from "~/ui/picture";
import { Segments } from "~/ui/segments";
import type { TimePlotHandle } from "~/ui/time-plot";
import { stacked } from "./drawing";
import { type Change, type Mark, marksOf } from "./marks";
import { Panel } from "./panel";
import { type PanelShape, panelsOf, type TimeArm } from "./panels";
import { isCut, type Measure, type Point, seriesOf } from "./series";
import { TimeTable } from "./time-table";

export interface TimeViewProps {
  points: readonly Point[];
  /** Time zone in which days begin. */
  tz: string;
  /** Variants with their names, the control first. */
  arms: readonly TimeArm[];
  goalName: string;
  /** Percent. */
  confidence: number;
  currency?: string | null | undefined;
  /** Undefined if the events of the experiment are not shown: then no day is marked. */
  epochs?: readonly Pick<Schemas["Epoch"], "epoch" | "started_at" | "reasons">[];
  changes?: readonly Change[];
  /** For files: the experiment's name, and when the result was computed. */
  of: string;
  asOf?: string | null | undefined;
}

const MEASURES: readonly (readonly [Measure, string])[] = [
  ["lift", "Lift"],
  ["rate", "Conversion rate"],
  ["visitors", "Visitors"],
];

/** Number of pictures that are drawn at first. */
const AT_ONCE = 6;

export function TimeView(props: TimeViewProps) {
  const { points, tz, arms, goalName, confidence, currency, epochs, changes, of, asOf } = props;
  const series = useMemo(() => seriesOf(points), [points]);
  const [chosen, setMeasure] = useState<Measure>("lift");
  const [pointed, setPointed] = useState<number>();
  const [isWhole, setWhole] = useState(false);
  const hasRevenue = points.some(({ revenue }) => revenue !== null);
  const measure = chosen === "revenue" && !hasRevenue ? "lift" : chosen;
  const marks = useMemo(() => marksOf(series.days, tz, epochs ?? [], changes ?? []), [series, tz, epochs, changes]);
  const panels = useMemo(
    () => panelsOf(series, arms, measure, marks, (value) => money(value, currency)),
    [series, arms, measure, marks, currency],
  );
  const [handles] = useState(() => new Map<string, TimePlotHandle>());
  if (series.days.length === 0 || panels.length === 0)
    return (
      <Empty icon="trend" title="No days yet">
        There is a point for each day on which somebody had entered. Days begin at midnight, {zoneWords(tz)}.
      </Empty>
    );
  const at = Math.min(pointed ?? series.days.length - 1, series.days.length - 1);
  const drawn = isWhole ? panels : panels.slice(0, AT_ONCE);
  const label = `${nameOf(measure)} by day`;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3 print:hidden">
        <Segments
          label="What is shown"
          of={hasRevenue ? [...MEASURES, ["revenue", "Revenue"]] : MEASURES}
          value={measure}
          change={setMeasure}
        />
      </div>
      <DayPicker days={series.days} at={at} marks={marks} panels={drawn} change={setPointed} />
      <Picture
        label={label}
        of={of}
        asOf={asOf}
        caption={
          <Caption
            measure={measure}
            confidence={confidence}
            goalName={goalName}
            panels={panels}
            series={series}
            hasMarks={epochs !== undefined}
          />
        }
        drawing={() => stacked(drawn.map(({ key, title }) => [title, handles.get(key)?.svg()]))}
        table={
          <TimeTable
            label={label}
            series={series}
            arms={arms}
            marks={epochs && marks}
            currency={hasRevenue ? (currency ?? "") : undefined}
          />
        }
      >
        <div className={drawn.length > 1 ? "grid gap-x-6 gap-y-5 lg:grid-cols-2" : "grid"}>
          {drawn.map((panel) => (
            <Panel
              key={`${panel.key} ${measure}`}
              panel={panel}
              at={at}
              onDay={setPointed}
              handle={(handle) => {
                if (handle === null) handles.delete(panel.key);
                else handles.set(panel.key, handle);
              }}
            />
          ))}
        </div>
        {panels.length > AT_ONCE && (
          // The button stays, and keeps the focus.
          <button type="button" className="link mt-3 print:hidden" onClick={() => setWhole(!isWhole)}>
            {isWhole ? `Show the first ${AT_ONCE} variants` : `Show all ${panels.length} variants`}
          </button>
        )}
      </Picture>
    </div>
  );
}

function nameOf(measure: Measure): string {
  if (measure === "revenue") return "Revenue";
  return MEASURES.find(([one]) => one === measure)?.[1] ?? "";
}

function zoneWords(tz: string): string {
  return /^[+-]?\d/.test(tz) ? `${tz.replace(/^\+/, "")} hours from UTC` : tz.replaceAll("_", " ");
}

interface DayPickerProps {
  days: readonly string[];
  at: number;
  marks: readonly Mark[];
  panels: readonly PanelShape[];
  change: (at: number) => void;
}

/**
 * Picks the day that is read out, by keyboard as well as by pointer: the arrows move by a day, Page Up and Down
 * further, Home and End to the ends.
 */
function DayPicker({ days, at, marks, panels, change }: DayPickerProps) {
  const id = useId();
  const events = marks.find((mark) => mark.day === at)?.events ?? [];
  const told = panels.map(({ title, read }) => `${title}: ${read(at)}`).join("; ");
  return (
    <div className="flex flex-col gap-1 print:hidden">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <label htmlFor={days.length > 1 ? id : undefined} className="text-soft">
          Day
        </label>
        {days.length > 1 && (
          <input
            id={id}
            type="range"
            min={0}
            max={days.length - 1}
            step={1}
            value={at}
            onChange={({ target }) => change(Number(target.value))}
            aria-valuetext={[day(days[at]), told, ...events].join(". ")}
            className="h-6 min-w-40 flex-1 accent-accent-fill sm:max-w-110"
          />
        )}
        <output htmlFor={id} className="num min-w-24 font-medium">
          {day(days[at])}
        </output>
      </div>
      <p className="min-h-5 text-sm text-soft">{events.join(". ")}</p>
    </div>
  );
}

interface CaptionProps {
  measure: Measure;
  confidence: number;
  goalName: string;
  panels: readonly PanelShape[];
  series: ReturnType<typeof seriesOf>;
  hasMarks: boolean;
}

function Caption({ measure, confidence, goalName, panels, series, hasMarks }: CaptionProps) {
  const range = panels[0]?.shape.range;
  const isBeyond = measure === "lift" && range !== undefined && isCut(series.arms, range);
  return (
    <>
      {measure === "lift" && (
        <>
          Each point has everybody who had entered by the end of that day. The line is the lift of {goalName}, the band
          contains the true lift at {signed(confidence, "%", 0).replace("+", "")} confidence. The bands of all days hold
          together, so you may check every day. {isBeyond && "The first bands extend beyond the picture. "}
        </>
      )}
      {measure === "rate" && `Visitors with ${goalName}, of all who had entered by the end of that day. `}
      {measure === "visitors" && "Visitors who had entered by the end of that day. "}
      {measure === "revenue" && "Value of all orders until the end of that day. "}
      {measure !== "lift" && "The dashed line is the control. "}
      {hasMarks && "Dotted lines mark the days on which an epoch began or something changed."}
    </>
  );
}
