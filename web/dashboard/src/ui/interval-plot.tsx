// Estimates with their intervals, one row each, on one scale with a line at zero. The plot adds no information: the
// same numbers are next to the intervals and in the table.

import { useRef } from "react";
import type { Domain } from "~/lib/scale";
import type { Tone } from "~/lib/words";
import { domainOf, type IntervalValues, placeOf } from "./interval-geometry";
import { layoutOf, type NumberWords, numberWords } from "./interval-layout";
import { Axis, Row } from "./interval-rows";
import { Picture } from "./picture";
import { type Column, Table } from "./table";
import { useWidth } from "./width";

export interface IntervalRow extends IntervalValues {
  /** Distinguishes rows with equal names. Default: the position of the row. */
  key?: string;
  name: string;
  /** A few words below the name, such as the verdict. */
  note?: string;
  /** Colour of the row, by the meaning of its note. Without a tone, the dot is hollow: nothing is known yet. */
  tone?: Tone;
}

export interface IntervalPlotProps {
  rows: readonly IntervalRow[];
  /** Unit after each number: `%`, `points`. */
  unit: string;
  /** True for amounts, which have a sign only below 0. Other numbers are differences, and always have one. */
  isAmount?: boolean;
  /** Title of the picture: "Lift of each variant". */
  label: string;
  /** Name of the estimate in the table. */
  estimateName?: string;
  /** Meaning of the two sides of zero: `["Worse", "Better"]`. */
  sides?: readonly [string, string];
  /** A scale that several pictures share. Default: that of the rows. */
  domain?: Domain;
  /** Explains how to read it. */
  caption?: string;
  /** For files: the subject of the picture, and when its numbers were computed. */
  of?: string;
  asOf?: string | null;
}

export function IntervalPlot(props: IntervalPlotProps) {
  const { rows, label, sides, caption, of, asOf } = props;
  const [frame, width] = useWidth<HTMLDivElement>();
  const svg = useRef<SVGSVGElement>(null);
  const domain = props.domain ?? domainOf(rows);
  const words = { unit: props.unit, isAmount: props.isAmount ?? false, digits: digitsOf(domain) };
  const layout = layoutOf(width, rows, words, sides !== undefined);
  return (
    <Picture
      label={label}
      of={of}
      asOf={asOf}
      caption={[caption, goesOn(rows, domain) && GOES_ON].filter(Boolean).join(" ")}
      drawing={() => svg.current}
      table={
        <Table
          label={label}
          columns={columnsOf(props, { ...words, digits: words.digits + 1 })}
          rows={rows.map((row, at) => ({ ...row, key: row.key ?? String(at) }))}
          keyOf={({ key }) => key}
        />
      }
    >
      <div ref={frame} className="min-w-0 break-inside-avoid" style={{ minHeight: layout.height }}>
        {width > 0 && (
          <svg
            ref={svg}
            aria-hidden="true"
            width={width}
            height={layout.height}
            viewBox={`0 0 ${width} ${layout.height}`}
            className="block h-auto max-w-full text-[13px]"
            data-plot="intervals"
          >
            <Axis layout={layout} domain={domain} words={words} sides={sides} />
            {rows.map((row, at) => (
              <Row key={row.key ?? at} at={at} row={row} layout={layout} domain={domain} words={words} />
            ))}
          </svg>
        )}
      </div>
    </Picture>
  );
}

const GOES_ON = "An arrow means that the interval extends beyond the picture. Its ends are next to it.";

function goesOn(rows: readonly IntervalRow[], domain: Domain): boolean {
  return rows.some((row) => {
    const { line } = placeOf(row, domain, 0, 1);
    return line !== null && (line.start === "cut" || line.end === "cut");
  });
}

/** Decimals that show the differences that the picture shows, the same in all rows. */
function digitsOf({ from, to }: Domain): number {
  return Math.min(4, Math.max(0, 2 - Math.floor(Math.log10(to - from))));
}

type TableRow = IntervalRow & { key: string };

function columnsOf({ rows, estimateName = "Estimate" }: IntervalPlotProps, words: NumberWords): Column<TableRow>[] {
  const number = (value: number | null, none: string) => (value === null ? none : numberWords(value, words));
  const isKnown = ({ low, high }: IntervalValues) => low !== null || high !== null;
  const columns: Column<TableRow>[] = [
    { name: "Name", isName: true, cell: ({ name }) => <span className="font-medium">{name}</span> },
    { name: estimateName, isNumber: true, cell: ({ estimate }) => number(estimate, "not known yet") },
    { name: "From", isNumber: true, cell: (row) => number(row.low, isKnown(row) ? "no bound" : "not known yet") },
    { name: "To", isNumber: true, cell: (row) => number(row.high, isKnown(row) ? "no bound" : "not known yet") },
  ];
  if (rows.some(({ note }) => note !== undefined)) columns.push({ name: "Note", cell: ({ note }) => note ?? "" });
  return columns;
}
