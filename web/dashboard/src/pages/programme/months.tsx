// Number of experiments that were concluded in each month, and how many of those won.

import type { Schemas } from "~/api/query";
import { integer, month } from "~/lib/format";
import { type Column, Table } from "~/ui/table";

type Month = Schemas["ProgrammeMonth"];

const BAR = 8;
const GAP = 2;
const HEIGHT = 56;
/** Maximum width of a bar, for a small number of months. */
const BAR_MAX_PX = 20;

export function Months({ months }: { months: Month[] }) {
  const most = Math.max(1, ...months.map(({ concluded }) => concluded));
  const width = months.length * (BAR + GAP) - GAP;
  const [first, last] = [months[0], months.at(-1)];
  if (first === undefined || last === undefined) return null;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div style={{ maxWidth: `${months.length * BAR_MAX_PX}px` }} className="min-w-22">
        <svg
          viewBox={`0 0 ${width} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          data-plot="months"
          style={{ height: HEIGHT, maxWidth: `${months.length * BAR_MAX_PX}px` }}
          className="block w-full"
        >
          {months.map((one, at) => (
            <Bar key={one.month} month={one} x={at * (BAR + GAP)} most={most} />
          ))}
        </svg>
        <div aria-hidden="true" className="flex justify-between gap-2 pt-0.5 text-xs whitespace-nowrap text-soft">
          <span>{month(first.month)}</span>
          {months.length > 1 && <span>{month(last.month)}</span>}
        </div>
      </div>
      <p aria-hidden="true" className="flex flex-wrap gap-x-3 text-sm text-soft">
        <Key className="bg-accent" /> won
        <Key className="bg-edge" /> all others
      </p>
      <details>
        <summary className="w-fit text-sm text-accent">Months as a table</summary>
        <div className="-mx-4 mt-1 md:-mx-5">
          <Table label="Concluded by month" columns={COLUMNS} rows={months} keyOf={(one) => one.month} />
        </div>
      </details>
    </div>
  );
}

const COLUMNS: Column<Month>[] = [
  { name: "Month", isName: true, cell: (one) => month(one.month) },
  { name: "Concluded", isNumber: true, cell: (one) => integer(one.concluded) },
  { name: "Won", isNumber: true, cell: (one) => integer(one.won) },
];

function Bar({ month: { concluded, won }, x, most }: { month: Month; x: number; most: number }) {
  const [tall, good] = [concluded, won].map((value) => (value / most) * HEIGHT) as [number, number];
  return (
    <>
      <rect x={x} y={HEIGHT - Math.max(1, tall)} width={BAR} height={Math.max(1, tall)} className="fill-edge" />
      {won > 0 && <rect x={x} y={HEIGHT - good} width={BAR} height={good} className="fill-accent" />}
    </>
  );
}

function Key({ className }: { className: string }) {
  return <span className={`-mr-1.5 size-2.5 self-center rounded-sm ${className}`} />;
}
