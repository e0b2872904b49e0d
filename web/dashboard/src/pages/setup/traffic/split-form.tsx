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
  "configuration.is_mab": "Move the weights to better variants",
  "configuration.is_autopilot": "Serve a winner automatically",
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
      <Card title="Traffic" about="The share of the audience that takes part. The others see the original.">
        <AllocationField form={form} />
      </Card>
      <Card title="Split" about="Everybody who takes part meets one variant, and keeps it.">
        <WeightsField form={form} arms={armsOf(experiment)} label={LABELS["configuration.distribution"]} />
        {experiment.test_type === "personalization" && <PersonalizationHint />}
      </Card>
      <Card
        title="Automation"
        about={`Changes of the traffic that the server makes automatically. ${followed(experiment)}`}
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
      This experiment is live. A change of traffic or weights begins a new epoch: visitors are compared only within
      their epoch, so the result stays fair. More traffic adds visitors and moves nobody; other weights move some
      visitors to another variant.
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
            : "A bandit. While the experiment is live, each variant gets a share of the traffic that equals its probability of being the best by the primary goal. Fewer visitors meet a worse variant, but it takes longer to measure the difference. A variant with weight 0 keeps weight 0. When you turn the bandit off, the weights do not change."
        }
      />
      <FormCheckbox
        form={form}
        name="configuration.is_autopilot"
        label={LABELS["configuration.is_autopilot"]}
        hint="Autopilot. Once a variant wins, no health check fails and no guardrail got worse, the server serves the variant: to some visitors first, then step by step to everybody. Autopilot stops as soon as the variant makes something worse. It does not conclude the experiment."
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
      {arm?.name ?? "A winner"} is served to {percentage(rollout)} of the audience. Meanwhile, nobody enters the
      experiment, and traffic and weights have no effect.
      {next?.act === "ramp" && ` The next step is due ${moment(next.at)}.`}
    </Note>
  );
}
