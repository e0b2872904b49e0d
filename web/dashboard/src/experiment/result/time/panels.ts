// Content of each picture: a variant, and the control unless the measure already compares with it.

import { integer, percent, signed } from "~/lib/format";
import type { Domain } from "~/lib/scale";
import type { TimeLine, TimeShape } from "~/ui/time-shape";
import type { Mark } from "./marks";
import {
  type ArmSeries,
  countRange,
  endsOf,
  liftRange,
  type Measure,
  rateRange,
  type Series,
  measured,
} from "./series";

export interface TimeArm {
  variant_id: string;
  name: string;
  nickname?: string;
}

export interface PanelShape {
  key: string;
  title: string;
  /** Values of a day, in words. */
  read: (at: number) => string;
  shape: TimeShape;
}

const CONTROL = "0";

export function titleOf({ name, nickname }: TimeArm): string {
  return nickname && nickname !== name ? `${name}, ${nickname}` : name;
}

export function panelsOf(
  { days, arms: series }: Series,
  arms: readonly TimeArm[],
  measure: Measure,
  marks: readonly Mark[],
  inMoney: (value: number) => string,
): PanelShape[] {
  const write = writer(measure, inMoney);
  const byId = new Map(series.map((one) => [one.variantId, one]));
  const control = byId.get(CONTROL);
  const compared = series.filter(({ variantId }) => variantId !== CONTROL);
  const range = rangeOf(measure, series, compared);
  return arms.flatMap((arm) => {
    const own = byId.get(arm.variant_id);
    if (own === undefined || arm.variant_id === CONTROL) return [];
    const values = (of: ArmSeries) => of.points.map((point) => measured(measure, point));
    const lines: TimeLine[] = [{ name: arm.name, values: values(own), kind: "main" }];
    if (measure !== "lift" && control) lines.unshift({ name: "Control", values: values(control), kind: "other" });
    const ends = own.points.map(endsOf);
    return [
      {
        key: arm.variant_id,
        title: titleOf(arm),
        read: measure === "lift" ? (at) => liftWords(own, at) : (at) => besideControl(lines, at, write),
        shape: {
          days,
          lines,
          range,
          marks,
          isCount: measure === "visitors",
          tick: ticker(measure, inMoney),
          ...(measure === "lift" && { band: { low: ends.map(({ low }) => low), high: ends.map(({ high }) => high) } }),
        },
      },
    ];
  });
}

function rangeOf(measure: Measure, series: readonly ArmSeries[], compared: readonly ArmSeries[]): Domain {
  if (measure === "lift") return liftRange(compared);
  const all = series.flatMap(({ points }) => points.map((point) => measured(measure, point)));
  return measure === "rate" ? rateRange(all) : countRange(all);
}

function writer(measure: Measure, inMoney: (value: number) => string): (value: number) => string {
  if (measure === "rate") return (value) => percent(value / 100, 2);
  return measure === "revenue" ? inMoney : integer;
}

function ticker(measure: Measure, inMoney: (value: number) => string): TimeShape["tick"] {
  if (measure === "lift") return (value, digits) => signed(value, "%", digits);
  if (measure === "rate") return (value, digits) => `${value.toFixed(digits)}\u00a0%`;
  return measure === "revenue" ? inMoney : integer;
}

function liftWords({ points }: ArmSeries, at: number): string {
  const point = points[at];
  if (point == null || point.lift === null) return "not known yet";
  const { low, high } = endsOf(point);
  const lift = signed(point.lift, "%");
  return low === null || high === null
    ? `${lift}, no bound yet`
    : `${lift}, from ${signed(low, "%")} to ${signed(high, "%")}`;
}

function besideControl(lines: readonly TimeLine[], at: number, write: (value: number) => string): string {
  const known = lines.toReversed().map(({ name, values }) => [name, values[at]] as const);
  return known.map(([name, value]) => `${name} ${value == null ? "not known yet" : write(value)}`).join(", ");
}
