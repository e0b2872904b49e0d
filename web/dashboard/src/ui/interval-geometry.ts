// Where estimates and their intervals are drawn: values in, pixels out. Nothing here knows of React or of the page.

import { type Domain, scaleOf } from "~/lib/scale";

/** An estimate with its interval. An end that is null is open: nothing bounds it. Both are null while nothing is known. */
export interface IntervalValues {
  estimate: number | null;
  low: number | null;
  high: number | null;
}

/** An interval whose width is this many times that of a usual one would make the others unreadable: it is cut. */
const WIDE = 4;
/** Part of the domain that is left free at each end. */
const MARGIN = 0.06;

/**
 * The values that a picture shows: all estimates, 0, and the intervals, of which those that are much wider than the others are cut.
 */
export function domainOf(rows: readonly IntervalValues[]): Domain {
  const widths = rows.flatMap(({ low, high }) => (low === null || high === null ? [] : [high - low]));
  const reach = widths.length > 0 ? WIDE * median(widths) : Number.POSITIVE_INFINITY;
  const shown = rows.flatMap(({ estimate, low, high }) => {
    const middle = estimate ?? (low !== null && high !== null ? (low + high) / 2 : (low ?? high));
    if (middle === null) return [];
    return [middle, Math.max(low ?? middle, middle - reach), Math.min(high ?? middle, middle + reach)];
  });
  const from = Math.min(0, ...shown);
  const to = Math.max(0, ...shown);
  const isOpen = rows.some(({ low, high }) => (low === null) !== (high === null));
  // With one value that is 0 there has to be something around it; an open end needs room to be seen as open.
  const margin = from === to ? 1 : (to - from) * (isOpen ? 0.2 : MARGIN);
  return { from: from - margin, to: to + margin };
}

function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/** How an end of an interval is drawn: at its value, or with an arrow because it is open or beyond the picture. */
export type End = "closed" | "open" | "cut";

export interface IntervalPlace {
  /** Where the estimate is; null without one, or beyond the picture. */
  estimate: number | null;
  line: { from: number; to: number; start: End; end: End } | null;
}

/** Where a row is drawn on a line of pixels that begins at `start`. */
export function placeOf(row: IntervalValues, domain: Domain, start: number, length: number): IntervalPlace {
  const scale = scaleOf(domain, start, length);
  const isWithin = (value: number | null): value is number =>
    value !== null && value >= domain.from && value <= domain.to;
  const estimate = isWithin(row.estimate) ? scale(row.estimate) : null;
  if (row.low === null && row.high === null) return { estimate, line: null };
  const from = row.low === null || row.low < domain.from ? domain.from : Math.min(row.low, domain.to);
  const to = row.high === null || row.high > domain.to ? domain.to : Math.max(row.high, domain.from);
  return {
    estimate,
    line: {
      from: scale(from),
      to: scale(to),
      start: row.low === null ? "open" : row.low < domain.from ? "cut" : "closed",
      end: row.high === null ? "open" : row.high > domain.to ? "cut" : "closed",
    },
  };
}

/** The text, or as much of it as fits with an ellipsis. `measure` gives the width of a text in pixels. */
export function fitted(text: string, width: number, measure: (text: string) => number): string {
  if (measure(text) <= width) return text;
  const letters = Array.from(text);
  let fits = 0;
  let over = letters.length;
  while (over - fits > 1) {
    const middle = Math.floor((fits + over) / 2);
    if (measure(`${letters.slice(0, middle).join("")}…`) <= width) fits = middle;
    else over = middle;
  }
  return fits === 0 ? "" : `${letters.slice(0, fits).join("").trimEnd()}…`;
}
