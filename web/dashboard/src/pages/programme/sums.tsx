// Joint effect of the winners: the expected sum, the sum of the observed results, and the effect that a holdout
// measures.

import type { ReactNode } from "react";
import { count, integer } from "~/lib/format";
import type { Domain } from "~/lib/scale";
import { domainOf } from "~/ui/interval-geometry";
import { HowToRead } from "~/ui/how-to-read";
import { IntervalLines } from "~/ui/interval-line";
import { Card } from "~/ui/layout";
import { type Column, Table } from "~/ui/table";
import type { Programme } from "./filters";
import { Holdouts } from "./holdouts";
import { drawn, lift, liftRange } from "./numbers";
import { Pictured } from "./pictured";

type Sum = Programme["cumulative"]["served"];

interface Row {
  name: string;
  sum: Sum;
}

export function Sums({ programme }: { programme: Programme }) {
  const { won_or_served, served } = programme.cumulative;
  const rows: Row[] = [
    { name: "Won or served", sum: won_or_served },
    { name: "Served now", sum: served },
  ];
  return (
    <Card
      flush
      title="What the winners bring"
      about="The lifts of the experiments that won, and of the variants that are served, added up."
    >
      {rows.every(isEmpty) ? (
        <p className="px-4 pb-4 md:px-5">
          No experiment has won, and no variant is served, so there is nothing to add up.
        </p>
      ) : (
        <SumTable rows={rows} programme={programme} />
      )}
      <Holdouts holdouts={programme.holdouts} />
    </Card>
  );
}

const isEmpty = ({ sum }: Row) => sum.tests + sum.without_lift === 0;

function SumTable({ rows, programme }: { rows: Row[]; programme: Programme }) {
  return (
    <>
      <Table label="What the winners bring" columns={columnsOf(rows)} rows={rows} keyOf={({ name }) => name} />
      <div className="flex flex-col gap-3 border-t border-line px-4 py-4 md:px-5">
        <p className="max-w-160">
          The sum of results is too high. An experiment is called a winner because its result was high, and a part of
          that is luck: if the true lift is 10{"\u00a0"}%, a win shows 12 to 13{"\u00a0"}% on average. The expected lift
          is corrected for this luck.
        </p>
        <Explained programme={programme} />
      </div>
    </>
  );
}

/** Returns whether a sum has experiments and a value. */
const isKnown = ({ sum }: Row) => sum.tests > 0 && sum.expected !== null;

function columnsOf(rows: readonly Row[]): Column<Row>[] {
  const known = rows.filter(isKnown);
  const domain = domainOf(known.flatMap(({ sum }) => drawnOf(sum)));
  const value = (row: Row, shown: () => ReactNode) => (row.sum.tests > 0 ? shown() : <Unknown row={row} />);
  return [
    { name: "Experiments", isName: true, cell: ({ name, sum }) => <Who name={name} sum={sum} /> },
    {
      name: "Expected",
      isNumber: true,
      cell: (row) => value(row, () => <Expected sum={row.sum} domain={domain} />),
    },
    { name: "Results added up", isNumber: true, cell: (row) => value(row, () => lift(row.sum.shown)) },
  ];
}

function Expected({ sum, domain }: { sum: Sum; domain: Domain }) {
  if (sum.expected === null) return "not known yet";
  return (
    <Pictured
      value={lift(sum.expected)}
      range={liftRange(sum.expected_interval)}
      picture={<IntervalLines rows={drawnOf(sum)} domain={domain} />}
    />
  );
}

/** The expected sum, and below it the sum of the observed lifts, which has no interval. */
function drawnOf({ expected, expected_interval, shown }: Sum) {
  return [drawn(expected, expected_interval, "accent"), drawn(shown, null)];
}

function Who({ name, sum: { tests, without_lift: without } }: Row) {
  return (
    <>
      <span className="font-medium">{name}</span>
      <span className="block text-sm text-soft">{members(tests, without)}</span>
    </>
  );
}

function members(tests: number, without: number): string {
  if (without === 0) return tests === 0 ? "None" : count(tests, "experiment");
  if (tests === 0) return `${count(without, "experiment")} without an expected lift`;
  return `${count(tests, "experiment")}, and ${integer(without)} more without an expected lift`;
}

function Unknown({ row: { sum } }: { row: Row }) {
  return <span className="text-soft">{sum.without_lift > 0 ? "not known" : "none"}</span>;
}

function Explained({ programme: { learned_from: learned, without_estimate: without } }: { programme: Programme }) {
  const reasons = [
    [without.no_result, "without a stored result"],
    [without.too_few_conversions, "with too few conversions"],
    [without.not_trusted, "with a failed health check"],
    [without.personalization, "for different audiences"],
    [without.invalid, "not valid"],
  ] as const;
  const told = reasons.filter(([number]) => number > 0).map(([number, text]) => `${number} ${text}`);
  return (
    <HowToRead>
      <p>
        In the picture, the filled dot is the expected sum. With a probability of 95{"\u00a0"}%, the true sum is within
        its interval. The hollow dot is the sum of the results.
      </p>
      <p>
        Expected lifts are estimated from {count(learned, "concluded experiment")} of all times, whatever their outcome:
        if most had no effect, most of what a winner showed was luck.{" "}
        {told.length > 0 && `The others are not used: ${told.join(", ")}.`}
      </p>
      <p>
        Each lift is of the primary goal of its experiment, and 2{"\u00a0"}% more orders count like 2{"\u00a0"}% more
        sign-ups. The sum assumes that each lift applies to all visitors, lasts, and does not change the others. It is a
        yardstick for the team, not a forecast of revenue.
      </p>
      <p>
        The sum is right only if experiments are concluded whatever their outcome. If losers are deleted or left open,
        winners look better than they are.
      </p>
    </HowToRead>
  );
}
