// Positions of estimates and their intervals: values in, pixels out. This module does not depend on React or on the
// page.

import { type Domain, scaleOf } from "~/lib/scale";

/** An estimate with its interval. An end that is null is open: it has no bound. Both are null if nothing is known. */
export interface IntervalValues {
  estimate: number | null;
  low: number | null;
  high: number | null;
}

/** An interval is cut at this many median widths, because a wider one would make the others unreadable. */
const WIDE = 4;
/** Part of the domain that is empty at each end. */
const MARGIN = 0.06;

/**
 * Range of values that a picture shows: all estimates, 0, and the intervals. Intervals that are much wider than the
 * others are cut.
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
  // A single value of 0 needs some range around it. An open end needs space to be recognised as open.
  const margin = from === to ? 1 : (to - from) * (isOpen ? 0.2 : MARGIN);
  return { from: from - margin, to: to + margin };
}

function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/** End of an interval: at its value, or with an arrow because it is open (no bound) or cut (beyond the picture). */
export type End = "closed" | "open" | "cut";

export interface IntervalPlace {
  /** Position of the estimate; null if it is unknown, or beyond the picture. */
  estimate: number | null;
  line: { from: number; to: number; start: End; end: End } | null;
}

/** Position of a row on a line of pixels that begins at `start`. */
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

/** The text, cut with an ellipsis if it does not fit. `measure` gives the width of a text in pixels. */
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
