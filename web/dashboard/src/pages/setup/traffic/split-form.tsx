// Traffic settings: the share of visitors who enter, the weights of the variants, and whether the clock changes them or
// serves a winner.

import { FormCheckbox, FormNumber } from "~/ui/form/fields";
import { moment, percentage } from "~/lib/format";
import { type Form, useForm } from "~/ui/form/form";
import { FormGuard } from "~/ui/form/guard";
import { nested } from "~/lib/nested";
import { Card, Note } from "~/ui/layout";
import { ShareBar } from "~/ui/share-bar";
import { type Changes, type Experiment, useExperiment, useLocked, useSave } from "~/experiment/open";
import { StepForm } from "../step-form";
import { armsOf } from "~/experiment/arms";
import { type Split, WeightsField } from "./weights";

export interface Values {
  "configuration.traffic_allocation": number | null;
  "configuration.distribution": Split;
  "configuration.is_mab": boolean;
  "configuration.is_autopilot": boolean;
}

const LABELS: Record<keyof Values, string> = {
  "configuration.traffic_allocation": "Visitors who enter, in percent",
  "configuration.distribution": "Weights",
  "configuration.is_mab": "Move the weights to what works better",
  "configuration.is_autopilot": "Serve a winner by itself",
};

export function SplitForm() {
  const { experiment } = useExperiment();
  const locked = useLocked();
  const save = useSave();
  const { configuration } = experiment;
  const form = useForm<Values>({
    name: `experiment/${experiment.test_id}/traffic`,
    stored: {
      "configuration.traffic_allocation": configuration.traffic_allocation ?? null,
      "configuration.distribution": splitOf(configuration.distribution),
      "configuration.is_mab": configuration.is_mab === 1,
      "configuration.is_autopilot": configuration.is_autopilot === 1,
    },
    submit: (_, changes) => save(toChanges(changes), { merge: true }),
  });
  return (
    <StepForm
      step="Traffic"
      form={form}
      act="Save traffic"
      labels={LABELS}
      locked={locked}
      className="flex flex-col gap-5"
    >
      {experiment.status === 1 && <LiveNote />}
      <Card
        title="Traffic"
        about="How many of the visitors whom the audience lets in take part. The others see the original."
      >
        <AllocationField form={form} />
      </Card>
      <Card title="Split" about="Everybody who takes part meets one variant, and keeps it.">
        <WeightsField form={form} arms={armsOf(experiment)} label={LABELS["configuration.distribution"]} />
        {experiment.test_type === "personalization" && <PersonalizationHint />}
      </Card>
      <Card
        title="Automation"
        about={`What the server does with the traffic while nobody looks. ${followed(experiment)}`}
      >
        <AutomationFields form={form} experiment={experiment} />
      </Card>
      <FormGuard form={form} />
    </StepForm>
  );
}

/** Weights, or the even split, which the server stores as null or `equal`. */
function splitOf(distribution: Experiment["configuration"]["distribution"]): Split {
  return typeof distribution === "object" && distribution !== null ? distribution : "equal";
}

/** In a merge-patch null means the default, so an empty field is sent as text, and the server reports the error. */
function toChanges(changes: Partial<Values>): Changes {
  const sent = Object.entries(changes).map(([name, value]) => [
    name,
    typeof value === "boolean" ? Number(value) : (value ?? ""),
  ]);
  return nested(Object.fromEntries(sent)) as Changes;
}

function LiveNote() {
  return (
    <Note>
      This experiment is live. A change of traffic or weights begins a new epoch: visitors of different epochs are
      compared among themselves, so the result stays fair. More traffic adds visitors and moves none; other weights move
      some to another variant.
    </Note>
  );
}

function AllocationField({ form }: { form: Form<Values> }) {
  const { "configuration.traffic_allocation": allocation } = form.values;
  const entering = Math.min(Math.max(allocation ?? 0, 0), 100);
  return (
    <div className="flex flex-col gap-3">
      <FormNumber
        form={form}
        name="configuration.traffic_allocation"
        label={LABELS["configuration.traffic_allocation"]}
        min={0}
        max={100}
        step={1}
        className="max-w-60"
      />
      <ShareBar
        shares={[
          { key: "in", name: `Enter: ${percentage(entering)}`, percent: entering, kind: "other" },
          { key: "out", name: `Do not: ${percentage(100 - entering)}`, percent: 100 - entering, kind: "nobody" },
        ]}
      />
    </div>
  );
}

function PersonalizationHint() {
  return (
    <p className="mt-3 text-sm text-soft">
      In a personalization each variant has an audience of its own. Its visitors get the variant or the control, in
      proportion to the weights of these two.
    </p>
  );
}

function AutomationFields({ form, experiment }: { form: Form<Values>; experiment: Experiment }) {
  const isPersonalization = experiment.test_type === "personalization";
  return (
    <div className="flex flex-col gap-4">
      <FormCheckbox
        form={form}
        name="configuration.is_mab"
        label={LABELS["configuration.is_mab"]}
        hint={
          isPersonalization
            ? "This has no effect here: each variant of a personalization has an audience of its own."
            : "A bandit. While the experiment is live, each variant gets as much of the traffic as it is probable to be the best by the primary goal. Fewer visitors meet what works worse, and it takes longer to be sure how large the difference is. A variant with weight 0 stays without. Turned off again, the weights stay as they are."
        }
      />
      <FormCheckbox
        form={form}
        name="configuration.is_autopilot"
        label={LABELS["configuration.is_autopilot"]}
        hint="Autopilot. Once a variant wins, no health check fails and no guardrail got worse, it is served: to some visitors first, then step by step to everybody. It stops as soon as the variant makes something worse. The experiment is not concluded by it."
      />
      {experiment.is_deploy === 1 && <ServingNote experiment={experiment} />}
    </div>
  );
}

function followed({ primary_goal: goal }: Experiment): string {
  return goal
    ? `Both follow the primary goal, ${goal.goal_name}.`
    : "Both follow the primary goal, and have no effect until there is one.";
}

function ServingNote({ experiment }: { experiment: Experiment }) {
  const { serving_variant_id: id, serving_traffic_allocation: rollout } = experiment;
  const { next } = experiment.schedule;
  const arm = armsOf(experiment).find(({ variantId }) => variantId === id);
  return (
    <Note>
      {arm?.name ?? "A winner"} is served to {percentage(rollout)} of the visitors whom the audience lets in. As long as
      it is, nobody enters the experiment, and traffic and weights have no effect.
      {next?.act === "ramp" && ` The next step is due ${moment(next.at)}.`}
    </Note>
  );
}
