// Outcomes of a simulation, in sentences. Every number is the server's.

import type { ReactNode } from "react";
import type { Schemas } from "~/api/query";
import { count, decimal, integer, percentage } from "~/lib/format";

type Simulation = Schemas["Simulation"];
type Share = Schemas["RunShareView"];

export function SimulationAnswer({ answer }: { answer: Simulation }) {
  const { with_effect: effect, without_effect: none, plan } = answer;
  return (
    <div className="mt-4 flex flex-col gap-4 border-t border-line pt-4">
      {effect && (
        <Finding title={`If Variant 1 really has a lift of ${percentage(effect.effect)}`}>
          <p>
            The lift was found in <b className="font-semibold">{of(effect.power, effect.runs)}</b> tries
            {range(effect.power)}.
          </p>
          <p>{length(effect)}</p>
          <p className="text-soft">{endings(effect.ended_by, effect.runs)}</p>
        </Finding>
      )}
      <Finding title="If nothing differs">
        <p>
          A variant was nevertheless called better or worse in{" "}
          <b className="font-semibold">{of(none.called, none.runs)}</b> tries{range(none.called)}. {promise(answer)}
        </p>
        <p>{length(none)}</p>
      </Finding>
      <div className="flex flex-col gap-1 text-sm text-soft">
        {answer.lift_found !== null && (
          <p>
            In {count(plan.days, "day")}, lifts of {decimal(answer.lift_found, 1)} % or more are found in 80 of 100
            experiments.
          </p>
        )}
        {answer.days_needed !== null && (
          <p>
            The whole plan takes {integer(answer.days_needed)} days, of which {integer(plan.days)} were tried.
          </p>
        )}
        <p>{assumptions(answer)}</p>
      </div>
    </div>
  );
}

function Finding({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-1">
      <h3 className="font-semibold">{title}</h3>
      {children}
    </section>
  );
}

function of(share: Share, runs: number): string {
  return `${integer(share.count)} of ${integer(runs)}`;
}

function range({ lower, upper }: Share): string {
  return ` (with unlimited tries, between ${decimal(lower, 1)} and ${decimal(upper, 1)}\u00a0%)`;
}

function length({ days, visitors }: Pick<Schemas["Runs"], "days" | "visitors">): string {
  const ends =
    days.median === days.nine_of_ten
      ? `Nearly all of them ended after ${count(days.median, "day")}`
      : `Half of them ended within ${count(days.median, "day")}, nine of ten within ${integer(days.nine_of_ten)}`;
  return `${ends}, with about ${integer(visitors.median)} visitors.`;
}

const ENDINGS: [keyof Schemas["EndShares"], string][] = [
  ["significant", "when the verdict was reached"],
  ["visitors", "by the number of visitors"],
  ["conversions", "by the number of conversions"],
  ["period", "by the number of days"],
  ["days", "when the simulated days were over"],
];

function endings(ended: Schemas["EndShares"], runs: number): string {
  const parts = ENDINGS.filter(([rule]) => ended[rule].count > 0);
  const [only] = parts;
  if (parts.length === 1 && only && ended[only[0]].count === runs) return `All ended ${only[1]}.`;
  return `${parts.map(([rule, words]) => `${integer(ended[rule].count)} ended ${words}`).join(", ")}.`;
}

function promise({ promise, plan }: Simulation): string {
  const most = `The promised maximum is ${percentage(plan.promised_false_calls)}`;
  if (promise === "kept") return `${most}, and the plan stays within it.`;
  return promise === "open" ? `${most}; more tries are needed to check it.` : `${most}, and the plan exceeds it.`;
}

const FROM: Record<Schemas["NumberSource"], string> = {
  flag: "as entered",
  project: "as in the project's last two weeks",
  default: "assumed, because there is no data yet",
};

function assumptions({ visitors }: Simulation): string {
  const { daily_visitors, daily_from, baseline_rate, baseline_from } = visitors;
  return (
    `Tried with ${decimal(daily_visitors, 1)} visitors a day (${FROM[daily_from]}), of whom ` +
    `${percentage(baseline_rate)} convert with the control (${FROM[baseline_from]}).`
  );
}
