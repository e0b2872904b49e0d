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
      title="How results are judged"
      about="Plan for a lift that your traffic can find. You can read results at any time, as often as you like."
    >
      <div className="flex flex-col gap-5">
        {hasStarted && (
          <Note>
            The planned number of visitors was locked when the experiment first started. Changing it now does not change
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
          hint="The lift is the difference between variant and control, divided by the control: from 4 % to 4.2 % is a lift of 5 %. Once the lift is known to be smaller than this, up or down, the verdict is “No difference”. A smaller value needs more visitors."
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
          hint="Of all variants together. The intervals are tuned for this number. If the field is empty, the number is computed when the experiment starts."
          min={1}
          step={1}
          className="[&_input]:max-w-40"
        />
        <FormNumber
          form={form}
          name="configuration.confidence_interval"
          label={labels["configuration.confidence_interval"]}
          hint="At 95 %, at most 5 of 100 experiments that change nothing ever show a winner or loser on the primary goal, however often you look. A higher confidence needs more visitors; a lower one gives more false results. From 50 to 99."
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
            ["0", "Frequentist", "Leaves that range out. Intervals and p-values hold at any time you look."],
          ]}
        />
      </div>
    </Card>
  );
}
