// Layout of an interval plot. In a wide one, a row is a line: name, interval, numbers. In a narrow one, these are below
// each other.

import { decimal, signed } from "~/lib/format";
import type { IntervalValues } from "./interval-geometry";
import type { IntervalRow } from "./interval-plot";
import { fontOf, measureIn } from "./width";

/** Format of the numbers. */
export interface NumberWords {
  unit: string;
  isAmount: boolean;
  digits: number;
}

export function numberWords(value: number, { unit, isAmount, digits }: NumberWords): string {
  if (!isAmount) return signed(value, unit, digits);
  return `${decimal(value, digits)}${unit && `\u00a0${unit}`}`;
}

/** The numbers of a row: the estimate, and its interval. Only the estimate has the unit. */
export function rowWords({ estimate, low, high }: IntervalValues, words: NumberWords): [string, string] {
  const number = (value: number) => numberWords(value, { ...words, unit: "" });
  const whole = estimate === null ? "" : numberWords(estimate, words);
  if (low !== null && high !== null) return [whole, `${number(low)} to ${number(high)}`];
  if (low !== null) return [whole, `above ${number(low)}`];
  if (high !== null) return [whole, `below ${number(high)}`];
  return [whole, estimate === null ? "not known yet" : "no interval yet"];
}

/** From this width, name, interval and numbers fit next to each other. */
const WIDE = 560;
export const AXIS = 26;
const SIDES = 20;
/** Space for half of a tick's text beyond the ends of the scale. */
const EDGE = 10;
const GAP = 16;

export interface Layout {
  width: number;
  height: number;
  isWide: boolean;
  /** Start of the scale. */
  start: number;
  length: number;
  row: { height: number; nameWidth: number; intervalY: number };
  /** Width that the numbers leave for the note, if it is next to them. */
  noteWidth: number;
  bottom: number;
  /**
   * Vertical ranges of the scale's lines: from top to bottom, or only next to the intervals if they would cross texts.
   */
  spans: [top: number, bottom: number][];
}

const BESIDE = 11;

export function layoutOf(width: number, rows: readonly IntervalRow[], words: NumberWords, hasSides: boolean): Layout {
  const numbers = numbersWidth(rows, words);
  const nameWidth = Math.round(Math.min(220, width * 0.24));
  const isWide = width >= WIDE && nameWidth + numbers < width * 0.6;
  const start = (isWide ? nameWidth + GAP : 0) + EDGE;
  const end = isWide ? numbers + GAP : 0;
  const height = isWide ? (rows.some(({ note }) => note !== undefined) ? 46 : 36) : 66;
  const bottom = rows.length * height;
  const intervalY = isWide ? height / 2 : height - 14;
  const beside = rows.map((_, at): [number, number] => [
    at * height + intervalY - BESIDE,
    at * height + intervalY + BESIDE,
  ]);
  return {
    width,
    height: bottom + AXIS + (hasSides ? SIDES : 0),
    isWide,
    start,
    length: Math.max(10, width - start - end - EDGE),
    row: { height, nameWidth: isWide ? nameWidth : width, intervalY },
    noteWidth: Math.max(0, width - numbers - GAP),
    bottom,
    spans: isWide ? [[0, bottom + 4]] : beside,
  };
}

function numbersWidth(rows: readonly IntervalRow[], words: NumberWords): number {
  const strong = measureIn(fontOf(13, 600));
  const plain = measureIn(fontOf(13));
  const widths = rows.map((row) => {
    const [estimate, interval] = rowWords(row, words);
    return strong(estimate) + plain(`\u2002${interval}`);
  });
  return Math.ceil(Math.max(0, ...widths));
}
