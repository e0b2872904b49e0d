// Rows and axis of an interval plot.

import { type Domain, scaleOf, ticksOf } from "~/lib/scale";
import type { Tone } from "~/lib/words";
import { type End, fitted, placeOf } from "./interval-geometry";
import { AXIS, type Layout, type NumberWords, numberWords, rowWords } from "./interval-layout";
import type { IntervalRow } from "./interval-plot";
import { fontOf, measureIn } from "./width";

/** Text size of rows in pixels: that of `text-sm`. */
const TEXT = 13;

interface AxisProps {
  layout: Layout;
  domain: Domain;
  words: NumberWords;
  sides?: readonly [string, string] | undefined;
}

export function Axis({ layout, domain, words, sides }: AxisProps) {
  const { start, length, bottom, width, spans } = layout;
  const scale = scaleOf(domain, start, length);
  const { ticks, digits } = ticksOf(domain, Math.max(2, Math.floor(length / 70)));
  const measure = measureIn(fontOf(12));
  // A longer unit would fill the axis. The rows show it.
  const unit = words.unit.length <= 2 ? words.unit : "";
  return (
    <g>
      {ticks.map((tick) => {
        const name = numberWords(tick, { ...words, unit, digits });
        const half = measure(name) / 2;
        const x = scale(tick);
        return (
          <g key={tick} data-tick={tick}>
            {spans.map(([from, to]) => (
              <line key={from} x1={x} x2={x} y1={from} y2={to} className={tick === 0 ? "stroke-edge" : "stroke-line"} />
            ))}
            <text
              x={Math.max(half, Math.min(width - half, x))}
              y={bottom + 18}
              textAnchor="middle"
              className="num fill-soft text-[12px]"
            >
              {name}
            </text>
          </g>
        );
      })}
      {sides && <Sides sides={sides} zero={scale(0)} y={bottom + AXIS + 14} width={width} />}
    </g>
  );
}

interface SidesProps {
  sides: readonly [string, string];
  zero: number;
  y: number;
  width: number;
}

/** Meaning of the left and right of zero: next to it if both sides have space, else at the edges. */
function Sides({ sides, zero, y, width }: SidesProps) {
  const [left, right] = [`← ${sides[0]}`, `${sides[1]} →`];
  const measure = measureIn(fontOf(12));
  const isBeside = measure(left) < zero - 10 && measure(right) < width - zero - 10;
  return (
    <g className="fill-soft text-[12px]">
      <text x={isBeside ? zero - 10 : 0} y={y} textAnchor={isBeside ? "end" : "start"}>
        {left}
      </text>
      <text x={isBeside ? zero + 10 : width} y={y} textAnchor={isBeside ? "start" : "end"}>
        {right}
      </text>
    </g>
  );
}

interface RowProps {
  at: number;
  row: IntervalRow;
  layout: Layout;
  domain: Domain;
  words: NumberWords;
}

export function Row({ at, row, layout, domain, words }: RowProps) {
  const { isWide, width } = layout;
  const { height, nameWidth, intervalY } = layout.row;
  const [estimate, interval] = rowWords(row, words);
  const measure = measureIn(fontOf(TEXT, 600));
  const measureSmall = measureIn(fontOf(12));
  const middle = height / 2 + 4.5;
  const nameY = isWide ? middle - (row.note ? 8 : 0) : 16;
  const numbersY = isWide ? middle : 34;
  return (
    <g transform={`translate(0 ${at * height})`} data-row={row.key ?? at}>
      <title>{row.name}</title>
      {at > 0 && <line x1={0} x2={width} y1={0} y2={0} className="stroke-line" />}
      <text x={0} y={nameY} className="fill-ink font-semibold">
        {fitted(row.name, nameWidth, measure)}
      </text>
      {row.note && (
        <text
          x={isWide ? 0 : width}
          y={isWide ? nameY + 16 : numbersY}
          textAnchor={isWide ? "start" : "end"}
          className="fill-soft text-[12px]"
        >
          {fitted(row.note, isWide ? nameWidth : layout.noteWidth, measureSmall)}
        </text>
      )}
      <Interval row={row} layout={layout} domain={domain} y={intervalY} />
      <text x={isWide ? width : 0} y={numbersY} textAnchor={isWide ? "end" : "start"} className="num fill-soft">
        {estimate && <tspan className="fill-ink font-semibold">{estimate}</tspan>}
        {estimate && interval && "\u2002"}
        {interval}
      </text>
    </g>
  );
}

const STROKES: Record<Tone, string> = {
  neutral: "stroke-soft",
  accent: "stroke-accent",
  good: "stroke-good",
  caution: "stroke-caution",
  bad: "stroke-bad",
};

const FILLS: Record<Tone, string> = {
  neutral: "fill-soft",
  accent: "fill-accent",
  good: "fill-good",
  caution: "fill-caution",
  bad: "fill-bad",
};

const DOT = 4.5;
const CAP = 5;

interface IntervalProps {
  row: Pick<IntervalRow, "estimate" | "low" | "high" | "tone">;
  layout: Pick<Layout, "start" | "length">;
  domain: Domain;
  y: number;
}

export function Interval({ row, layout, domain, y }: IntervalProps) {
  const { estimate, line } = placeOf(row, domain, layout.start, layout.length);
  const tone = row.tone ?? "neutral";
  const stroke = STROKES[tone];
  return (
    <g strokeWidth={2} fill="none">
      {line && (
        <>
          <line
            data-part="interval"
            data-start={line.start}
            data-end={line.end}
            x1={line.from}
            x2={line.to}
            y1={y}
            y2={y}
            className={stroke}
          />
          <path d={endPath(line.start, line.from, y, -1)} className={stroke} />
          <path d={endPath(line.end, line.to, y, 1)} className={stroke} />
        </>
      )}
      {estimate !== null && (
        <circle
          data-part="estimate"
          cx={estimate}
          cy={y}
          r={DOT}
          // Hollow while nothing is decided, so that it can be recognised without colours.
          className={`${stroke} ${row.tone === undefined || tone === "neutral" ? "fill-panel" : FILLS[tone]}`}
        />
      )}
    </g>
  );
}

/**
 * A cap at the value, or an arrow. A cut end (one arrow) continues beyond the picture; an open end (two arrows) has no
 * bound.
 */
function endPath(end: End, x: number, y: number, to: -1 | 1): string {
  if (end === "closed") return `M${x} ${y - CAP}V${y + CAP}`;
  const arrow = (tip: number) => `M${tip - to * CAP} ${y - CAP}L${tip} ${y}L${tip - to * CAP} ${y + CAP}`;
  return end === "cut" ? arrow(x) : `${arrow(x)}${arrow(x - to * CAP)}`;
}
