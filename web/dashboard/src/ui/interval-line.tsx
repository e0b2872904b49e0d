// Small estimates with their intervals: in a cell of a table, or next to their numbers. Those that are compared share a
// scale.

import { type Domain, scaleOf } from "~/lib/scale";
import type { Tone } from "~/lib/words";
import type { IntervalValues } from "./interval-geometry";
import { Interval } from "./interval-rows";

const WIDTH = 176;
const ROW = 16;
/** Space for half a dot beyond the ends of the scale. */
const EDGE = 6;

export interface LineValues extends IntervalValues {
  /** Without a tone, the dot is hollow. */
  tone?: Tone;
}

interface IntervalLinesProps {
  rows: readonly LineValues[];
  domain: Domain;
  /** Values with a line behind the rows. Default: 0. */
  marks?: readonly number[];
}

/** Only a picture: screen readers get the numbers next to it. */
export function IntervalLines({ rows, domain, marks = [0] }: IntervalLinesProps) {
  const layout = { start: EDGE, length: WIDTH - 2 * EDGE };
  const scale = scaleOf(domain, layout.start, layout.length);
  const height = rows.length * ROW;
  return (
    <svg
      aria-hidden="true"
      data-plot="lines"
      width={WIDTH}
      height={height}
      viewBox={`0 0 ${WIDTH} ${height}`}
      className="block h-auto max-w-full shrink-0"
    >
      {marks.map((mark) => (
        <line key={mark} x1={scale(mark)} x2={scale(mark)} y1={0} y2={height} className="stroke-edge" />
      ))}
      {rows.map((row, at) => (
        <Interval key={at} row={row} layout={layout} domain={domain} y={ROW * (at + 0.5)} />
      ))}
    </svg>
  );
}
