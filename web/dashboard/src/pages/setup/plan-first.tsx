// The plan before the choice of a lift: the lifts that the site's traffic can find in two, four and eight weeks, and
// the cost of the chosen one.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { query, type Schemas } from "~/api/query";
import { useDelayed } from "~/lib/delayed";
import { count, decimal, percentage } from "~/lib/format";
import { Button } from "~/ui/button";
import { TextInput } from "~/ui/field";
import { Note } from "~/ui/layout";
import { useExperiment } from "~/experiment/open";
import { HORIZONS, LONG_DAYS, PROPOSED_DAYS, rounded } from "~/experiment/findable";
import { type Assumed, noteInWords } from "./sample-size";

type Plan = Schemas["PlanAnswer"];

/** Lift in percent that is requested while no valid lift is chosen. */
const REFERENCE = 10;
const TYPING_MS = 400;

interface PlanFirstProps {
  /** Chosen minimum lift, in percent. */
  mde: number | null;
  choose: (mde: number) => void;
  isLocked: boolean;
}

export function PlanFirst({ mde, choose, isLocked }: PlanFirstProps) {
  const { projectKey, experiment } = useExperiment();
  const [assumed, setAssumed] = useState<Assumed>({ daily_visitors: null, baseline_rate: null });
  const asked = useDelayed(JSON.stringify({ assumed, mde }), TYPING_MS);
  const { assumed: said, mde: chosen } = JSON.parse(asked) as { assumed: Assumed; mde: number | null };
  const isPossible = chosen !== null && chosen >= 0.01 && chosen <= 1_000;
  const plan = useQuery({
    ...query("/v2/project/{project_key}/experiment/{test_id}/plan", {
      path: { project_key: projectKey, test_id: experiment.test_id },
      query: {
        mde: isPossible ? chosen : REFERENCE,
        ...(said.daily_visitors !== null && { daily_visitors: said.daily_visitors }),
        ...(said.baseline_rate !== null && { baseline_rate: said.baseline_rate }),
      },
    }),
    staleTime: 60_000,
    // While another lift is requested, the previous answer stays.
    placeholderData: (before) => before,
  }).data;
  if (plan === undefined) return null;
  const isShort = plan.baseline_rate === null || plan.daily_visitors === null;
  const isAssumed = assumed.daily_visitors !== null || assumed.baseline_rate !== null;
  return (
    <div className="flex flex-col gap-3 rounded-md bg-sunken px-3.5 py-3">
      <h3 className="font-medium">Lifts that your traffic can find</h3>
      {plan.note !== null && plan.findable.length === 0 && <p className="text-soft">{noteInWords(plan.note)}</p>}
      {(isShort || isAssumed) && <Assumptions assumed={assumed} assume={setAssumed} />}
      {plan.findable.length > 0 && <FoundTable plan={plan} mde={mde} choose={choose} isLocked={isLocked} />}
      {isPossible && plan.mde === chosen && <Cost plan={plan} />}
    </div>
  );
}

interface FoundTableProps {
  plan: Plan;
  mde: number | null;
  choose: (mde: number) => void;
  isLocked: boolean;
}

function FoundTable({ plan: { findable, days }, mde, choose, isLocked }: FoundTableProps) {
  return (
    <ul aria-label="Lifts that your traffic can find" className="flex flex-col gap-2">
      {findable.map(({ day, visitors, mde: found }) => {
        const lift = rounded(found);
        // The chosen lift would take too long, or cannot be found.
        const isProposed = day === PROPOSED_DAYS && (days === null || days > LONG_DAYS);
        return (
          <li key={day} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="min-w-0 flex-1 basis-60">
              <span className="font-medium">In {HORIZONS.get(day) ?? count(day, "day")}</span>{" "}
              {found === null || lift === undefined ? (
                "no lift that you can plan for"
              ) : (
                <>
                  lifts of <span className="num font-medium">{decimal(found, 1)}&nbsp;%</span> or more
                  <span className="text-soft">, with {count(visitors, "visitor")}</span>
                </>
              )}
            </span>
            {lift !== undefined && !isLocked && (
              <Button
                small
                kind={isProposed && mde !== lift ? "primary" : "plain"}
                disabled={mde === lift}
                onClick={() => choose(lift)}
              >
                {mde === lift ? "Chosen" : `Plan with ${percentage(lift)}`}
              </Button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Visitors and days that the chosen lift needs. */
function Cost({ plan: { mde, visitors_needed: needed, days } }: { plan: Plan }) {
  if (needed === null || days === null) return null;
  const cost = `Finding a lift of ${percentage(mde)} takes ${count(needed, "visitor")}, about ${count(days, "day")}.`;
  if (days <= LONG_DAYS) return <p role="status">{cost}</p>;
  return (
    <Note tone="caution" role="status">
      {cost} Few teams wait that long. Intervals are tuned for the planned number of visitors, so earlier results show
      less. Plan for a larger lift.
    </Note>
  );
}

function Assumptions({ assumed, assume }: { assumed: Assumed; assume: (assumed: Assumed) => void }) {
  const field = (name: keyof Assumed, label: string) => (
    <TextInput
      label={label}
      type="number"
      inputMode="decimal"
      min={0}
      step="any"
      value={assumed[name] ?? ""}
      onChange={({ target }) => assume({ ...assumed, [name]: target.value === "" ? null : target.valueAsNumber })}
      // It is not a field of the surrounding form, so Enter must not submit that.
      onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
    />
  );
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {field("daily_visitors", "Visitors a day")}
      {field("baseline_rate", "Conversion rate, in percent")}
    </div>
  );
}
