// Numbers of concluded experiments, of winners, and of experiments per month.

import type { ReactNode } from "react";
import type { Schemas } from "~/api/query";
import { count, decimal, integer } from "~/lib/format";
import { OUTCOME } from "~/lib/words";
import { OUTCOMES } from "./filters";
import { Months } from "./months";
import { rate, rateRange } from "./numbers";
import { RatePicture } from "./pictured";

type TotalsShown = Schemas["ProgrammeTotals"];

export function Totals({ totals }: { totals: TotalsShown }) {
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(min(15rem,100%),1fr))] gap-5">
      <Concluded totals={totals} />
      <WinRate totals={totals} />
      <Pace totals={totals} />
    </div>
  );
}

function Tile({ title, value, children }: { title: string; value: ReactNode; children: ReactNode }) {
  return (
    <section className="flex min-w-0 flex-col gap-2 rounded-lg border border-line bg-panel px-4 py-3.5 md:px-5">
      <div>
        <h2 className="text-soft">{title}</h2>
        <p className="num text-2xl font-semibold tracking-tight">{value}</p>
      </div>
      {children}
    </section>
  );
}

function Concluded({ totals: { concluded, outcomes } }: { totals: TotalsShown }) {
  return (
    <Tile title="Concluded" value={count(concluded, "experiment")}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5">
        {OUTCOMES.map((outcome) => (
          <div key={outcome} className="contents">
            <dt className="text-soft">{OUTCOME[outcome].text}</dt>
            <dd className="num">{integer(outcomes[outcome])}</dd>
          </div>
        ))}
      </dl>
    </Tile>
  );
}

function WinRate({
  totals: { concluded, outcomes, win_rate: won, win_rate_interval: interval },
}: {
  totals: TotalsShown;
}) {
  const range = rateRange(interval);
  if (won === null || range === undefined) {
    return (
      <Tile title="Win rate" value="Not known yet">
        <p className="text-soft">None of the concluded experiments is valid, so none could win.</p>
      </Tile>
    );
  }
  return (
    <Tile title="Win rate" value={rate(won)}>
      <div>
        <RatePicture rate={won} interval={interval} />
        <div aria-hidden="true" className="num flex w-44 max-w-full justify-between text-xs text-soft">
          <span>0</span>
          <span>100{"\u00a0"}%</span>
        </div>
      </div>
      <p>
        {integer(outcomes.won)} of {count(concluded - outcomes.invalid, "valid experiment")} won. Experiments such as
        these win in <span className="num">{range}</span> of cases: more experiments narrow this range.
      </p>
    </Tile>
  );
}

function Pace({ totals: { per_month: perMonth, months } }: { totals: TotalsShown }) {
  return (
    <Tile
      title="Pace"
      value={
        <>
          {decimal(perMonth, 1)} <span className="text-base font-normal text-soft">a month</span>
        </>
      }
    >
      <Months months={months} />
    </Tile>
  );
}
