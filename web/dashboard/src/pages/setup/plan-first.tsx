// The plan before the number: which lifts the site's traffic can find in two, four and eight weeks, and what the chosen one costs.

import { useQueries, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { query, type Schemas } from "~/api/query";
import { useDelayed } from "~/lib/delayed";
import { count, percentage } from "~/lib/format";
import { Button } from "~/ui/button";
import { TextInput } from "~/ui/field";
import { Note } from "~/ui/layout";
import { useExperiment } from "../experiment/open";
import { candidates, firstWithin, HORIZONS, LONG_DAYS } from "./findable";
import { type Assumed, noteInWords } from "./sample-size";

type Plan = Schemas["PlanAnswer"];

/** Percent. From what this lift needs follows which lifts to ask about. */
const REFERENCE = 10;
const TYPING_MS = 400;

interface PlanFirstProps {
  /** The smallest lift that is chosen, in percent. */
  mde: number | null;
  choose: (mde: number) => void;
  isLocked: boolean;
}

export function PlanFirst({ mde, choose, isLocked }: PlanFirstProps) {
  const [assumed, setAssumed] = useState<Assumed>({ daily_visitors: null, baseline_rate: null });
  const asked = useDelayed(JSON.stringify({ assumed, mde }), TYPING_MS);
  const settled = JSON.parse(asked) as { assumed: Assumed; mde: number | null };
  const planOf = usePlanQuery(settled.assumed);
  const isPossible = settled.mde !== null && settled.mde >= 0.01 && settled.mde <= 1_000;
  const reference = useQuery(planOf(REFERENCE)).data;
  const chosen = useQuery({ ...planOf(settled.mde ?? REFERENCE), enabled: isPossible }).data;
  const asks = HORIZONS.map(({ days }) => (reference === undefined ? [] : candidates(reference, days)));
  const lifts = [...new Set(asks.flat())];
  const plans = useQueries({ queries: lifts.map((lift) => planOf(lift)) });
  // While others are asked about, the answers are those of before.
  const planFor = (lift: number) => plans.map(({ data }) => data).find((plan) => plan?.mde === lift);
  const found = HORIZONS.map(({ days, name }, at) => ({
    name,
    plan: firstWithin((asks[at] ?? []).map(planFor), days),
  }));
  const isKnown = found.some(({ plan }) => plan !== undefined);
  const isShort = reference !== undefined && (reference.baseline_rate === null || reference.daily_visitors === null);
  const isAssumed = assumed.daily_visitors !== null || assumed.baseline_rate !== null;
  if (reference === undefined) return null;
  return (
    <div className="flex flex-col gap-3 rounded-md bg-sunken px-3.5 py-3">
      <h3 className="font-medium">What your traffic can find</h3>
      {reference.note !== null && !isKnown && <p className="text-soft">{noteInWords(reference.note)}</p>}
      {(isShort || isAssumed) && <Assumptions assumed={assumed} assume={setAssumed} />}
      {isKnown && <FoundTable found={found} mde={mde} choose={choose} isLocked={isLocked} />}
      {isPossible && chosen && chosen.mde === settled.mde && <Cost plan={chosen} />}
    </div>
  );
}

/** How a plan for a lift is asked for, with what somebody has said in place of what the server knows. */
function usePlanQuery({ daily_visitors: daily, baseline_rate: rate }: Assumed) {
  const { projectKey, experiment } = useExperiment();
  return (mde: number) => ({
    ...query("/v2/project/{project_key}/experiment/{test_id}/plan", {
      path: { project_key: projectKey, test_id: experiment.test_id },
      query: { mde, ...(daily !== null && { daily_visitors: daily }), ...(rate !== null && { baseline_rate: rate }) },
    }),
    staleTime: 60_000,
    placeholderData: (before: Plan | undefined) => before,
  });
}

interface FoundTableProps {
  found: readonly { name: string; plan: Plan | undefined }[];
  mde: number | null;
  choose: (mde: number) => void;
  isLocked: boolean;
}

function FoundTable({ found, mde, choose, isLocked }: FoundTableProps) {
  return (
    <ul aria-label="What your traffic can find" className="flex flex-col gap-2">
      {found.map(({ name, plan }) => (
        <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="min-w-0 flex-1 basis-60">
            <span className="font-medium">In {name}</span>{" "}
            {plan === undefined ? (
              "nothing that can be planned for"
            ) : (
              <>
                lifts from <span className="num font-medium">{percentage(plan.mde)}</span> on
                {plan.visitors_needed !== null && (
                  <span className="text-soft">, with {count(plan.visitors_needed, "visitor")}</span>
                )}
              </>
            )}
          </span>
          {plan !== undefined && !isLocked && (
            <Button small disabled={mde === plan.mde} onClick={() => choose(plan.mde)}>
              {mde === plan.mde ? "Chosen" : `Plan with ${percentage(plan.mde)}`}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** What the chosen lift costs. */
function Cost({ plan: { mde, visitors_needed: needed, days } }: { plan: Plan }) {
  if (needed === null || days === null) return null;
  const cost = `Finding a lift of ${percentage(mde)} takes ${count(needed, "visitor")}, about ${count(days, "day")}.`;
  if (days <= LONG_DAYS) return <p role="status">{cost}</p>;
  return (
    <Note tone="caution" role="status">
      {cost} Few teams wait that long. Results are sharpest around the planned number of visitors, so earlier looks show
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
      // It is not a field of the form around it.
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
