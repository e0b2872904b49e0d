// Content of a picture of days, independent of how it is drawn: as the chart on the page, or as an SVG.

import type { Domain } from "~/lib/scale";
import { dayTicks, ticksOf } from "~/lib/scale";

type Values = readonly (number | null)[];

export interface TimeLine {
  name: string;
  /** One value per day; null is a gap. */
  values: Values;
  /** The line of interest (`main`) is coloured. The one that it is compared with (`other`) is dashed. */
  kind: "main" | "other";
}

export interface TimeMark {
  /** Index of the day. */
  day: number;
  /** Shown above, if there is space. */
  name: string;
}

export interface TimeShape {
  /** YYYY-MM-DD. */
  days: readonly string[];
  lines: readonly TimeLine[];
  band?: { low: Values; high: Values } | undefined;
  range: Domain;
  marks: readonly TimeMark[];
  /** True when values are counts, which have no ticks between whole numbers. */
  isCount?: boolean;
  /** Formats a value at the axis. */
  tick: (value: number, digits: number) => string;
}

export const HEIGHT = 200;
/** Space for the names of marks above the days. */
export const TOP = 22;
export const BOTTOM = 26;
/** Space for half of the name of the last day. */
export const RIGHT = 22;
/** Text size in pixels: that of `text-xs`. */
export const TEXT = 12;
/** With more marks than this, there are short strokes at the top instead of lines. */
const MANY_MARKS = 12;
/** Up to this number of days, each one has a dot. */
const DOTTED_DAYS = 14;

export function hasDots({ days }: TimeShape): boolean {
  return days.length <= DOTTED_DAYS;
}

export function valueTicks({ range, tick, isCount }: TimeShape, height: number): [value: number, text: string][] {
  const { ticks, digits } = ticksOf(range, Math.max(2, Math.floor(height / 24)), isCount ? 1 : 0);
  return ticks.map((value) => [value, tick(value, digits)]);
}

export function dayTicksOf({ days }: TimeShape, width: number): number[] {
  return dayTicks(days.length, Math.max(2, Math.floor(width / 64)));
}

/** Indices at the two ends of the axis. A single day is in the middle. */
export function placesOf({ days }: TimeShape): [number, number] {
  return days.length > 1 ? [0, days.length - 1] : [-1, 1];
}

export interface MarkLine {
  x: number;
  /** Length in pixels, from the top of the days downwards. */
  length: number;
  /** Empty if it would cover another name. */
  name: string;
}

/** Lines of marks, with the names that fit. If two are too close, the later one has no name. */
export function markLines(
  { marks }: TimeShape,
  height: number,
  width: number,
  place: (day: number) => number,
  measure: (text: string) => number,
): MarkLine[] {
  const isMany = marks.length > MANY_MARKS;
  let free = Number.NEGATIVE_INFINITY;
  return marks.map(({ day, name }) => {
    const x = place(day);
    const from = nameStart(x, measure(name), width);
    const fits = from >= free;
    if (fits) free = from + measure(name) + 8;
    return { x, length: isMany ? 8 : height, name: fits ? name : "" };
  });
}

/** Start of a name that is centred above its line, and within the picture. `x` and `width` are those of the days. */
export function nameStart(x: number, length: number, width: number): number {
  return Math.max(0, Math.min(width - length, x - length / 2));
}
