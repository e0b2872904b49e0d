// Settings for the analysis of results, with the meaning of each number.

import { FormNumber, FormRadios } from "~/ui/form/fields";
import type { Form } from "~/ui/form/form";
import { Card, Note } from "~/ui/layout";
import { useLocked } from "~/experiment/open";
import { PlanFirst } from "./plan-first";
import type { GoalFields } from "./setup-goals";

interface JudgementProps {
  form: Form<GoalFields>;
  labels: Record<keyof GoalFields, string>;
  hasStarted: boolean;
}

export function Judgement({ form, labels, hasStarted }: JudgementProps) {
  const locked = useLocked();
  return (
    <Card
      title="How it is judged"
      about="Plan for a lift that your traffic can find. Results may be read at any time, as often as you like."
    >
      <div className="flex flex-col gap-5">
        {hasStarted && (
          <Note>
            How many visitors are planned was settled when the experiment first started. Changing it now does not change
            how results are judged.
          </Note>
        )}
        {!hasStarted && (
          <PlanFirst
            mde={form.values["plan.mde"]}
            choose={(mde) => form.set("plan.mde", mde)}
            isLocked={locked !== undefined}
          />
        )}
        <FormNumber
          form={form}
          name="plan.mde"
          label={labels["plan.mde"]}
          hint="A lift is how much better the variant does than the control, relative to it: from 4 % to 4.2 % is a lift of 5 %. Once it is sure that the lift is smaller than this, up or down, the verdict is “No difference”. The smaller it is, the more visitors are needed."
          min={0.01}
          max={1000}
          step="any"
          className="[&_input]:max-w-40"
        />
        <FormNumber
          form={form}
          name="plan.visitors"
          label={labels["plan.visitors"]}
          aside="optional"
          hint="Of all variants together. Results are sharpest around this number. Left empty, it is worked out when the experiment starts."
          min={1}
          step={1}
          className="[&_input]:max-w-40"
        />
        <FormNumber
          form={form}
          name="configuration.confidence_interval"
          label={labels["configuration.confidence_interval"]}
          hint="At 95 %, at most 5 of 100 experiments that change nothing ever show a winner or loser on the primary goal, however often somebody looks. More needs more visitors; less errs more often. From 50 to 99."
          min={50}
          max={99}
          step={1}
          className="[&_input]:max-w-40"
        />
        <FormRadios
          form={form}
          name="configuration.bayesian"
          legend={labels["configuration.bayesian"]}
          hint="Verdicts are the same with either."
          choices={[
            ["1", "Bayesian", "Adds the range in which the lift probably is, given that most changes do little."],
            ["0", "Frequentist", "Leaves that range out. Intervals and p-values hold at every look."],
          ]}
        />
      </div>
    </Card>
  );
}
