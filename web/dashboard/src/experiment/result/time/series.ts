// Days of a series by variant, and the value range of their pictures. Pure functions.

import type { Schemas } from "~/api/query";
import { liftEnds } from "~/lib/lift-ends";
import type { Domain } from "~/lib/scale";

export type Point = Schemas["SeriesPoint"];
type Value = number | null;

export interface ArmSeries {
  variantId: string;
  /** One per day; null if the variant has no point on the day. */
  points: (Point | null)[];
}

export interface Series {
  /** YYYY-MM-DD, in ascending order. */
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

/** Value of a measure on a day. */
export function measured(measure: Measure, point: Point | null | undefined): Value {
  if (point == null) return null;
  if (measure === "lift") return point.lift;
  if (measure === "rate") return point.conversion_rate;
  return measure === "visitors" ? point.visitors : point.revenue;
}

/** Ends of the interval of a lift. */
export function endsOf(point: Point | null | undefined): { low: Value; high: Value } {
  const [low, high] = liftEnds(point?.lift_interval) ?? [null, null];
  return { low, high };
}

/** Share of the intervals that may exceed the picture: the widest ones, from the first days with little data. */
const FIRST_DAYS = 1 / 3;
const MARGIN = 0.05;

/**
 * Range of a picture of lifts: 0, every lift, and all intervals except the widest. All variants share it, so that they
 * can be compared.
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

/** Range of values that are never below 0. It begins at 0. */
export function countRange(values: readonly Value[]): Domain {
  const most = values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  return { from: 0, to: most === 0 ? 1 : most * (1 + MARGIN) };
}

/** Range of shares. It is close to the values: if it began at 0, rates of 3 % and 4 % would look like one line. */
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

/** Returns whether an interval exceeds the range. */
export function isCut(arms: readonly ArmSeries[], { from, to }: Domain): boolean {
  return arms.some(({ points }) =>
    points.some((point) => {
      const { low, high } = endsOf(point);
      return (low !== null && low < from) || (high !== null && high > to);
    }),
  );
}
