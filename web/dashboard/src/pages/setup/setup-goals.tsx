// Step "Goals": the metrics, the primary goal, and the confidence.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { query, type Schemas } from "~/api/query";
import { FormChecks } from "~/ui/form/fields";
import { type Form, useForm } from "~/ui/form/form";
import { FormGuard } from "~/ui/form/guard";
import { nested } from "~/lib/nested";
import { BUILTIN_METRIC } from "~/lib/words";
import { Labels } from "~/ui/labels";
import { Card } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { useExperiment, useLocked, useSave } from "~/experiment/open";
import { Judgement } from "./judgement";
import { PrimaryGoal, SecondaryGoals } from "./goal-choices";
import { NewGoalDialog } from "./new-goal";
import { StepForm } from "./step-form";

type Experiment = Schemas["ExperimentDetails"];

/** Values of the fields: an empty text for no goal, and words for flags. */
export interface GoalFields {
  primary_goal_key: string;
  secondary_goal_keys: string[];
  builtin_metrics: string[];
  event_metrics: string[];
  "plan.mde": number | null;
  "plan.visitors": number | null;
  "configuration.confidence_interval": number | null;
  "configuration.bayesian": string;
}

const LABELS: Record<keyof GoalFields, string> = {
  primary_goal_key: "Primary goal",
  secondary_goal_keys: "Secondary goals",
  builtin_metrics: "Guardrails",
  event_metrics: "Other events",
  "plan.mde": "Smallest lift worth acting on, in percent",
  "plan.visitors": "Planned visitors",
  "configuration.confidence_interval": "Confidence, in percent",
  "configuration.bayesian": "Numbers that results show",
};

/** Goals of a project that can be chosen: the server's maximum page size. */
const MOST = 500;

export function GoalsStep() {
  const { projectKey } = useExperiment();
  const goals = useQuery(
    query("/v2/project/{project_key}/goals", { path: { project_key: projectKey }, query: { limit: MOST } }),
  );
  return <Loaded query={goals}>{({ goals }) => <GoalsForm goals={goals} />}</Loaded>;
}

function storedOf(experiment: Experiment): GoalFields {
  const { plan, configuration } = experiment;
  return {
    primary_goal_key: experiment.primary_goal_key ?? "",
    secondary_goal_keys: experiment.secondary_goal_keys,
    builtin_metrics: experiment.builtin_metrics,
    event_metrics: experiment.event_metrics,
    "plan.mde": plan.mde ?? null,
    "plan.visitors": plan.visitors ?? null,
    "configuration.confidence_interval": configuration.confidence_interval ?? null,
    "configuration.bayesian": String(configuration.bayesian ?? 1),
  };
}

function toSend(changes: Partial<GoalFields>): Record<string, unknown> {
  const { primary_goal_key: primary, "configuration.bayesian": bayesian, ...others } = changes;
  return nested({
    ...others,
    ...(primary !== undefined && { primary_goal_key: primary || null }),
    ...(bayesian !== undefined && { "configuration.bayesian": Number(bayesian) }),
  });
}

function GoalsForm({ goals }: { goals: Schemas["Goal"][] }) {
  const { projectKey, experiment } = useExperiment();
  const locked = useLocked();
  const save = useSave();
  const [isMaking, setMaking] = useState<"primary" | "secondary">();
  const form = useForm<GoalFields>({
    name: `experiment/${experiment.test_id}/goals`,
    stored: storedOf(experiment),
    submit: (_, changes) => save(toSend(changes), { merge: true }),
  });
  const choose = (key: string) => {
    if (isMaking === "primary") form.set("primary_goal_key", key);
    else form.set("secondary_goal_keys", [...form.values.secondary_goal_keys, key]);
  };
  return (
    <>
      <StepForm
        step="Goals"
        form={form}
        act="Save goals"
        labels={LABELS}
        locked={locked}
        className="flex flex-col gap-5"
      >
        <Card
          title="The goal that decides"
          about="One goal decides whether a variant wins. Choose the one that the change is meant to improve."
        >
          <PrimaryGoal form={form} goals={goals} label={LABELS.primary_goal_key} make={() => setMaking("primary")} />
        </Card>
        <Card
          title="Also reported"
          about="Shown next to the primary goal, and corrected for their number. None of these decides."
        >
          <div className="flex flex-col gap-5">
            <SecondaryGoals
              form={form}
              goals={goals}
              label={LABELS.secondary_goal_keys}
              make={() => setMaking("secondary")}
            />
            <Guardrails form={form} />
          </div>
        </Card>
        <Judgement form={form} labels={LABELS} hasStarted={experiment.epochs.length > 0} />
        <FormGuard form={form} />
      </StepForm>
      {/* Outside the form: React would pass a submit event of the dialog to it. */}
      <NewGoalDialog
        projectKey={projectKey}
        isOpen={isMaking !== undefined}
        onClose={() => setMaking(undefined)}
        onMade={choose}
      />
      <StopRule />
    </>
  );
}

function Guardrails({ form }: { form: Form<GoalFields> }) {
  return (
    <>
      <FormChecks
        form={form}
        name="builtin_metrics"
        legend={LABELS.builtin_metrics}
        hint="Measured without a goal. They warn when a variant makes them worse, and never decide."
        choices={Object.entries(BUILTIN_METRIC).map(([metric, { text, about }]) => [metric, text, about] as const)}
      />
      <Labels
        label={LABELS.event_metrics}
        hint="Names of events that your pages or servers send. Results count the visitors who had such an event. No goal is needed."
        name="event_metrics"
        one="event"
        values={form.values.event_metrics}
        onChange={(events) => form.set("event_metrics", events)}
        error={form.errorOf("event_metrics")}
        maxLength={128}
        placeholder="Such as signed-up"
      />
    </>
  );
}

function StopRule() {
  const { projectKey, experiment } = useExperiment();
  const ends = experiment.configuration.completion_stats_significant_flag === 1;
  return (
    <p className="px-1 text-soft">
      {ends
        ? "This experiment ends automatically as soon as a variant wins or loses on the primary goal. "
        : "Results say when a variant wins or loses, and the experiment continues until you end it. "}
      <Link
        to={"/p/$projectKey/experiments/$testId/setup/schedule"}
        params={{ projectKey, testId: String(experiment.test_id) }}
        className="link"
      >
        Set the end under Schedule
      </Link>
      .
    </p>
  );
}
