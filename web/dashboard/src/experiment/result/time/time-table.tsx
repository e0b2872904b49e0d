// Numbers of the days, newest first.

import { useState } from "react";
import { day, integer, money, percent, probability, signed } from "~/lib/format";
import { Button } from "~/ui/button";
import { usePrinting } from "~/ui/scheme";
import { type Column, Table } from "~/ui/table";
import type { Mark } from "./marks";
import { type TimeArm, titleOf } from "./panels";
import { endsOf, type Point, type Series } from "./series";

interface TimeTableProps {
  label: string;
  series: Series;
  arms: readonly TimeArm[];
  /** Undefined if the events of the experiment are not shown. */
  marks: readonly Mark[] | undefined;
  /** Currency of a goal with a value, which may be unknown. */
  currency: string | undefined;
}

/** Number of rows that are shown at first. */
const ROWS = 40;

interface Row {
  point: Point;
  arm: string;
  events: string;
}

export function TimeTable({ label, series, arms, marks, currency }: TimeTableProps) {
  const [shown, setShown] = useState(ROWS);
  const isPrinting = usePrinting();
  const rows = rowsOf(series, arms, marks ?? []);
  return (
    <>
      <Table
        label={label}
        columns={columnsOf(currency, marks !== undefined)}
        rows={isPrinting ? rows : rows.slice(0, shown)}
        keyOf={({ point }) => `${point.date} ${point.variant_id}`}
      />
      {rows.length > shown && !isPrinting && (
        <div className="border-t border-line px-4 py-3 md:px-5">
          <Button small onClick={() => setShown(shown + 200)}>
            Show earlier days
          </Button>
        </div>
      )}
    </>
  );
}

function rowsOf({ days, arms: series }: Series, arms: readonly TimeArm[], marks: readonly Mark[]): Row[] {
  const events = new Map(marks.map((mark) => [mark.day, mark.events.join(". ")]));
  const names = new Map(arms.map((arm) => [arm.variant_id, titleOf(arm)]));
  const ofDay = (at: number): Row[] =>
    series.flatMap(({ variantId, points }, place) => {
      const point = points[at];
      if (!point) return [];
      // Events are shown once per day.
      return [{ point, arm: names.get(variantId) ?? variantId, events: place === 0 ? (events.get(at) ?? "") : "" }];
    });
  return days.flatMap((_, at) => ofDay(days.length - 1 - at));
}

function columnsOf(currency: string | undefined, hasMarks: boolean): Column<Row>[] {
  const change = (value: number | null) => signed(value, "%", 2);
  return [
    { name: "Day", isName: true, cell: ({ point }) => <span className="num font-medium">{day(point.date)}</span> },
    { name: "Variant", cell: ({ arm }) => <span className="block min-w-24 wrap-anywhere">{arm}</span> },
    { name: "Visitors", isNumber: true, cell: ({ point }) => integer(point.visitors) },
    { name: "Conversions", isNumber: true, cell: ({ point }) => integer(point.conversions) },
    {
      name: "Rate",
      isNumber: true,
      cell: ({ point }) => percent(point.conversion_rate == null ? null : point.conversion_rate / 100, 2),
    },
    ...(currency === undefined
      ? []
      : [{ name: "Revenue", isNumber: true, cell: ({ point }: Row) => money(point.revenue, currency) }]),
    { name: "Lift", isNumber: true, cell: ({ point }) => change(point.lift) },
    { name: "From", isNumber: true, cell: ({ point }) => change(endsOf(point).low) },
    { name: "To", isNumber: true, cell: ({ point }) => change(endsOf(point).high) },
    { name: "p-value", isNumber: true, cell: ({ point }) => probability(point.p_value) },
    ...(hasMarks ? [{ name: "What happened", cell: ({ events }: Row) => events }] : []),
  ];
}
