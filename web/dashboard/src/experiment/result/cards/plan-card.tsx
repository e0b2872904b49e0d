// The plan as it was locked at the first start, and the differences since.

import type { ReactNode } from "react";
import { count, moment, percentage } from "~/lib/format";
import { BUILTIN_METRIC } from "~/lib/words";
import { Card, Facts, Note } from "~/ui/layout";
import type { LockedPlan, Result } from "../reading";

interface PlanProps {
  result: Result;
  /** Action for changes that the clock does not follow yet. */
  heldBack?: ReactNode;
}

export function PlanCard({ result: { plan, plan_note: note }, heldBack }: PlanProps) {
  if (plan == null && note == null) return null;
  return (
    <Card
      title="The plan"
      about="It was locked at the first start. Anything added or changed later is labelled exploratory: good for ideas, but not proof."
    >
      <div className="flex flex-col gap-3">
        {note != null && <Note>{note}</Note>}
        {plan && <Locked plan={plan} />}
        {plan?.held_back != null && (
          <Note tone="caution">
            <p className="break-words">{withoutOperation(plan.held_back)}</p>
            {heldBack}
          </Note>
        )}
      </div>
    </Card>
  );
}

function Locked({ plan }: { plan: LockedPlan }) {
  const { hypothesis, primary_goal: primary, secondary_goals: secondary, guardrails } = plan;
  const solution = hypothesis?.solution ?? hypothesis?.problem ?? hypothesis?.observation;
  const guards = guardrails.map((one) => BUILTIN_METRIC[one as keyof typeof BUILTIN_METRIC]?.text ?? one);
  const facts: [string, React.ReactNode][] = [
    ["Locked", moment(plan.locked_at)],
    ["Hypothesis", solution ?? "None was given."],
    ["Primary goal", primary?.goal_name ?? "None was given."],
    ["Further goals", secondary.length > 0 ? secondary.map(({ goal_name: name }) => name).join(", ") : "None"],
    ["Guardrails", guards.length > 0 ? guards.join(", ") : "None"],
    ["Smallest lift", `${percentage(plan.mde)}: less is not worth acting on`],
    ["Confidence", percentage(plan.confidence_threshold_percent)],
    ["Planned", plannedWords(plan)],
  ];
  if (plan.confirmed) facts.push(["Confirmed", `${moment(plan.confirmed.confirmed_at)}: ${plan.confirmed.reason}`]);
  return (
    <>
      <Facts facts={facts} />
      {plan.changed_since.length > 0 && (
        <Note tone="caution">
          <p className="font-medium">Differences from the plan</p>
          <ul className="list-disc pl-5">
            {plan.changed_since.map((one) => (
              <li key={one} className="break-words">
                {one}
              </li>
            ))}
          </ul>
        </Note>
      )}
      <p className="text-sm text-soft">
        Fingerprint of the plan: <code className="font-mono break-all select-all">{plan.hash}</code>
      </p>
    </>
  );
}

/** A sentence of the server without its end, which names the operation that confirms a change. */
export function withoutOperation(sentence: string): string {
  return sentence.replace(/; a person confirms .*$/, ".");
}

function plannedWords({ planned_visitors: visitors, planned_from: from }: LockedPlan): string {
  if (visitors === null) return "No number of visitors";
  return `${count(visitors, "visitor")}${from === "computed" ? ", computed from the smallest lift" : ""}`;
}
