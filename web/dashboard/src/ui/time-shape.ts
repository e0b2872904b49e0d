// What a picture of days shows, whoever draws it: the chart on the page or the SVG of it.

import type { Domain } from "~/lib/scale";
import { dayTicks, ticksOf } from "~/lib/scale";

type Values = readonly (number | null)[];

export interface TimeLine {
  name: string;
  /** One for each day; null is a gap. */
  values: Values;
  /** The one that it is about is coloured; the one that it is compared with is dashed. */
  kind: "main" | "other";
}

export interface TimeMark {
  /** The place of the day. */
  day: number;
  /** Stands above, where there is room. */
  name: string;
}

export interface TimeShape {
  /** YYYY-MM-DD. */
  days: readonly string[];
  lines: readonly TimeLine[];
  band?: { low: Values; high: Values } | undefined;
  range: Domain;
  marks: readonly TimeMark[];
  /** Values are counts: there is nothing between 1 and 2. */
  isCount?: boolean;
  /** Writes a value at the axis. */
  tick: (value: number, digits: number) => string;
}

export const HEIGHT = 200;
/** Room for the names of marks above the days. */
export const TOP = 22;
export const BOTTOM = 26;
/** Room for half of the name of the last day. */
export const RIGHT = 22;
/** The size of texts, in pixels: that of `text-xs`. */
export const TEXT = 12;
/** With more marks than this there are strokes at the top instead of lines. */
const MANY_MARKS = 12;
/** Up to so many days each one has a dot. */
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

/** The first and the last place of the days; one day alone is in the middle. */
export function placesOf({ days }: TimeShape): [number, number] {
  return days.length > 1 ? [0, days.length - 1] : [-1, 1];
}

export interface MarkLine {
  x: number;
  /** How far it goes down from the top of the days. */
  length: number;
  /** Left out where it would cover another. */
  name: string;
}

/** Lines of marks with the names for which there is room; the later of two that are too close goes without. */
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

/** A name is above the middle of its line, and within the picture. `x` and `width` are those of the days. */
export function nameStart(x: number, length: number, width: number): number {
  return Math.max(0, Math.min(width - length, x - length / 2));
}
