// Step "Schedule": the rules that start and end the experiment automatically.

import type { Schemas } from "~/api/query";
import { FormCheckbox, FormMoment, FormNumber } from "~/ui/form/fields";
import { type Form, useForm } from "~/ui/form/form";
import { FormGuard } from "~/ui/form/guard";
import { utcMoment } from "~/lib/format";
import { nested } from "~/lib/nested";
import { Card } from "~/ui/layout";
import { ClockCard } from "~/experiment/clock";
import { useExperiment, useLocked, useSave } from "~/experiment/open";
import { StepForm } from "./step-form";

/** Fields of the form. A rule that is off is empty here, and 0 on the server. */
interface ScheduleFields {
  "configuration.start_test_date": string | null;
  "configuration.end_test_date": string | null;
  "configuration.completion_after_period": number | null;
  "configuration.completion_visitor": number | null;
  "configuration.completion_conversion": number | null;
  "configuration.completion_stats_significant_flag": boolean;
}

const LABELS: Record<keyof ScheduleFields, string> = {
  "configuration.start_test_date": "Start",
  "configuration.end_test_date": "End",
  "configuration.completion_after_period": "After this many days",
  "configuration.completion_visitor": "After this many visitors",
  "configuration.completion_conversion": "After this many conversions",
  "configuration.completion_stats_significant_flag": "As soon as a variant wins or loses",
};

/** Normalises a time, so that the same time is always the same text. */
function momentOf(iso: string | null | undefined): string | null {
  if (iso == null) return null;
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : at.toISOString();
}

function storedOf(configuration: Schemas["Configuration"]): ScheduleFields {
  return {
    "configuration.start_test_date": momentOf(configuration.start_test_date),
    "configuration.end_test_date": momentOf(configuration.end_test_date),
    "configuration.completion_after_period": configuration.completion_after_period || null,
    "configuration.completion_visitor": configuration.completion_visitor || null,
    "configuration.completion_conversion": configuration.completion_conversion || null,
    "configuration.completion_stats_significant_flag": configuration.completion_stats_significant_flag === 1,
  };
}

function toSend(changes: Partial<ScheduleFields>): Record<string, unknown> {
  const { "configuration.completion_stats_significant_flag": flag, ...others } = changes;
  return nested({
    ...others,
    ...(flag !== undefined && { "configuration.completion_stats_significant_flag": flag ? 1 : 0 }),
  });
}

export function ScheduleStep() {
  const { experiment } = useExperiment();
  const locked = useLocked();
  const save = useSave();
  const form = useForm<ScheduleFields>({
    name: `experiment/${experiment.test_id}/schedule`,
    stored: storedOf(experiment.configuration),
    submit: (_, changes) => save(toSend(changes), { merge: true }),
  });
  return (
    <>
      <ClockCard />
      <StepForm
        step="Schedule"
        form={form}
        act="Save schedule"
        labels={LABELS}
        locked={locked}
        className="flex flex-col gap-5"
      >
        <Card
          title="Dates"
          about="Both are optional: you can start and stop by hand at any time. After a start by hand, the start date has no effect."
        >
          <div className="grid gap-4 sm:grid-cols-2">
            <StartOrEnd form={form} name="configuration.start_test_date" />
            <StartOrEnd form={form} name="configuration.end_test_date" />
          </div>
          <p className="mt-3 text-sm text-soft">
            Dates are in your time zone, {zone()}. Colleagues elsewhere see the same moments in theirs.
          </p>
        </Card>
        <EndRules form={form} />
        <FormGuard form={form} />
      </StepForm>
    </>
  );
}

function zone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function StartOrEnd({
  form,
  name,
}: {
  form: Form<ScheduleFields>;
  name: "configuration.start_test_date" | "configuration.end_test_date";
}) {
  const value = form.values[name];
  return (
    <FormMoment form={form} name={name} label={LABELS[name]} hint={value === null ? "By hand" : utcMoment(value)} />
  );
}

function EndRules({ form }: { form: Form<ScheduleFields> }) {
  return (
    <Card
      title="Automatic end"
      about="The rule that is met first ends the experiment: visitors get the original page again, and results stay. No rule concludes the experiment; people do. An empty field is off."
    >
      <div className="flex flex-col gap-5">
        <FormCheckbox
          form={form}
          name="configuration.completion_stats_significant_flag"
          label={LABELS["configuration.completion_stats_significant_flag"]}
          hint="On the primary goal, after a full day at least, and only while no health check fails. Verdicts hold at any time you look, so this rule does not raise the rate of false alarms."
        />
        <div className="grid gap-4 sm:grid-cols-3">
          <FormNumber
            form={form}
            name="configuration.completion_after_period"
            label={LABELS["configuration.completion_after_period"]}
            hint="From the first start. Pauses count. Whole weeks include every weekday."
            min={1}
            step={1}
          />
          <FormNumber
            form={form}
            name="configuration.completion_visitor"
            label={LABELS["configuration.completion_visitor"]}
            hint="Of all variants together."
            min={1}
            step={1}
          />
          <FormNumber
            form={form}
            name="configuration.completion_conversion"
            label={LABELS["configuration.completion_conversion"]}
            hint="Visitors who reached the primary goal, of all variants together."
            min={1}
            step={1}
          />
        </div>
      </div>
    </Card>
  );
}
