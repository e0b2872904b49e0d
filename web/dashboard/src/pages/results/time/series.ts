// The days of a series, arm by arm, and the range of values that a picture of them shows. Values in, values out.

import type { Schemas } from "~/api/query";
import { liftEnds } from "~/lib/lift-ends";
import type { Domain } from "~/lib/scale";

export type Point = Schemas["SeriesPoint"];
type Value = number | null;

export interface ArmSeries {
  variantId: string;
  /** One for each day; a day on which the arm is not told of is null. */
  points: (Point | null)[];
}

export interface Series {
  /** YYYY-MM-DD, the first one first. */
  days: string[];
  arms: ArmSeries[];
}

export function seriesOf(points: readonly Point[]): Series {
  const days = [...new Set(points.map(({ date }) => date))].sort();
  const place = new Map(days.map((day, at) => [day, at]));
  const arms = new Map<string, ArmSeries>();
  for (const point of points) {
    const arm = arms.get(point.variant_id) ?? {
      variantId: point.variant_id,
      points: days.map(() => null),
    };
    arms.set(point.variant_id, arm);
    arm.points[place.get(point.date) ?? 0] = point;
  }
  return { days, arms: [...arms.values()] };
}

export type Measure = "lift" | "rate" | "visitors" | "revenue";

/** What a measure is on a day. */
export function measured(measure: Measure, point: Point | null | undefined): Value {
  if (point == null) return null;
  if (measure === "lift") return point.lift;
  if (measure === "rate") return point.conversion_rate;
  return measure === "visitors" ? point.visitors : point.revenue;
}

/** The ends of the interval of a lift. */
export function endsOf(point: Point | null | undefined): { low: Value; high: Value } {
  const [low, high] = liftEnds(point?.lift_interval) ?? [null, null];
  return { low, high };
}

/** The part of the days whose intervals may reach beyond the picture: the first ones, when next to nothing was known. */
const FIRST_DAYS = 1 / 3;
const MARGIN = 0.05;

/**
 * The range of a picture of lifts: 0, every lift, and the intervals of all days but the widest. All arms share it, so that they can be
 * compared.
 */
export function liftRange(arms: readonly ArmSeries[]): Domain {
  const points = arms.flatMap((arm) => arm.points);
  const intervals = points.map(endsOf).filter(isBounded);
  const widths = intervals.map(({ low, high }) => high - low).sort((one, other) => one - other);
  const widest = widths[Math.ceil(widths.length * (1 - FIRST_DAYS)) - 1] ?? 0;
  const shown = intervals.filter(({ low, high }) => high - low <= widest);
  return around([
    0,
    ...points.map((point) => measured("lift", point)),
    ...shown.flatMap(({ low, high }) => [low, high]),
  ]);
}

function isBounded(interval: { low: Value; high: Value }): interval is { low: number; high: number } {
  return interval.low !== null && interval.high !== null;
}

/** The range of values that are never below 0, which begins there. */
export function countRange(values: readonly Value[]): Domain {
  const most = values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  return { from: 0, to: most === 0 ? 1 : most * (1 + MARGIN) };
}

/** The range of shares: near them, as a rate of 3 % and one of 4 % would be one line in a picture that begins at 0. */
export function rateRange(values: readonly Value[]): Domain {
  const { from, to } = around(values);
  return { from: Math.max(0, from), to };
}

function around(values: readonly Value[]): Domain {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return { from: 0, to: 1 };
  const from = known.reduce((least, value) => Math.min(least, value));
  const to = known.reduce((most, value) => Math.max(most, value));
  const margin = from === to ? Math.max(1, Math.abs(from) * MARGIN) : (to - from) * MARGIN;
  return { from: from - margin, to: to + margin };
}

/** Whether some interval goes on beyond a range. */
export function isCut(arms: readonly ArmSeries[], { from, to }: Domain): boolean {
  return arms.some(({ points }) =>
    points.some((point) => {
      const { low, high } = endsOf(point);
      return (low !== null && low < from) || (high !== null && high > to);
    }),
  );
}
