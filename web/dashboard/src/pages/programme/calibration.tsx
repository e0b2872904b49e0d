// Calibration of the team's ratings: the outcomes of experiments by the rating of their hypotheses.

import { useState } from "react";
import type { Schemas } from "~/api/query";
import { count, integer } from "~/lib/format";
import type { Domain } from "~/lib/scale";
import { HowToRead } from "~/ui/how-to-read";
import { domainOf } from "~/ui/interval-geometry";
import { IntervalLines } from "~/ui/interval-line";
import { Card, Empty, Note } from "~/ui/layout";
import { Rating } from "~/ui/rating";
import { Segments } from "~/ui/segments";
import { type Column, Table } from "~/ui/table";
import { RATINGS } from "~/experiment/hypothesis-words";
import { drawn, lift, liftRange, rate, rateRange } from "./numbers";
import { Pictured, RatePicture } from "./pictured";

type Rated = Schemas["ProgrammeCalibration"];
type Name = (typeof RATINGS)[number]["name"];

const CHOICES = RATINGS.map(({ name, label }) => [name, label] as const);
/** With fewer experiments, win rates are mostly luck. */
const FEW = 10;

export function Calibration({ calibration }: { calibration: Rated[] }) {
  const [name, setName] = useState<Name>("confidence");
  const rating = RATINGS.find((one) => one.name === name) ?? RATINGS[0];
  const rows = calibration.filter((one) => one.rating === name);
  return (
    <Card
      flush
      title="Were the ratings right?"
      about="Outcomes of experiments, by the team's ratings of their hypotheses."
      actions={calibration.length > 0 && <Segments label="Rating" of={CHOICES} value={name} change={setName} />}
    >
      {calibration.length === 0 ? (
        <Empty icon="lightbulb" title="No rated hypothesis was tested yet">
          Rate hypotheses before they are tested, and create experiments from them. Once these are concluded, this card
          shows whether the ratings predict which experiments win.
        </Empty>
      ) : (
        <>
          <p className="max-w-160 px-4 pb-3 text-soft md:px-5">
            {rating.about} 1 is {rating.ends[0]}, 5 is {rating.ends[1]}.
          </p>
          {rows.length > 0 ? (
            <Table
              label={`By ${rating.label.toLowerCase()}`}
              columns={columnsOf(rows)}
              rows={rows}
              keyOf={(one) => one.value}
            />
          ) : (
            <p className="px-4 pb-4 md:px-5">No concluded experiment has a hypothesis with this rating.</p>
          )}
          <div className="flex flex-col gap-3 border-t border-line px-4 py-4 md:px-5">
            <HowSure rows={rows} />
            <Explained />
          </div>
        </>
      )}
    </Card>
  );
}

function columnsOf(rows: readonly Rated[]): Column<Rated>[] {
  const domain = domainOf(rows.map((one) => drawn(one.expected_lift, one.expected_interval)));
  return [
    { name: "Rating", isName: true, cell: ({ value }) => <Rating value={value} /> },
    { name: "Won", isNumber: true, cell: ({ won, tests }) => `${integer(won)} of ${integer(tests)}` },
    { name: "Win rate", isNumber: true, cell: (one) => <WinRate of={one} /> },
    { name: "Expected lift", isNumber: true, cell: (one) => <ExpectedLift of={one} domain={domain} /> },
  ];
}

function WinRate({ of: { win_rate: won, win_rate_interval: interval } }: { of: Rated }) {
  if (won === null) return <span className="text-soft">not known</span>;
  return (
    <Pictured value={rate(won)} range={rateRange(interval)} picture={<RatePicture rate={won} interval={interval} />} />
  );
}

function ExpectedLift({
  of: { expected_lift: expected, expected_interval: interval },
  domain,
}: {
  of: Rated;
  domain: Domain;
}) {
  if (expected === null) return <span className="text-soft">not known</span>;
  return (
    <Pictured
      value={lift(expected)}
      range={liftRange(interval)}
      picture={<IntervalLines rows={[drawn(expected, interval, "accent")]} domain={domain} />}
    />
  );
}

/** Warns about small numbers, with the row that has the fewest experiments. */
function HowSure({ rows }: { rows: readonly Rated[] }) {
  const least = rows.toSorted((one, other) => one.tests - other.tests)[0];
  if (least === undefined || least.tests >= FEW) return null;
  const isAll = rows.every(({ tests }) => tests < FEW);
  return (
    <Note>
      {isAll ? "These are very few experiments. " : "Some ratings have very few experiments. "}
      {integer(least.won)} of {count(least.tests, "experiment")} with rating {least.value} won, which fits any win rate
      from {rateRange(least.win_rate_interval)}. Differences between ratings with wide intervals may be due to chance.
    </Note>
  );
}

function Explained() {
  return (
    <HowToRead>
      <p>
        Good ratings predict results: the higher the team's confidence, the more experiments should win, and the higher
        the expected lift should be. If the numbers do not rise with the rating, the rating does not help to choose what
        to test next.
      </p>
      <p>
        The win rate is the share of valid experiments with the rating that won. Its interval is the range of true win
        rates that fit this number. The expected lift is the average over those experiments that have one. If the
        intervals of two ratings overlap a lot, their difference may be due to chance.
      </p>
      <p>
        Ratings are the current ones of the hypotheses. Ratings that are changed after the result always seem right:
        rate before the experiment, and do not change the ratings later.
      </p>
    </HowToRead>
  );
}
