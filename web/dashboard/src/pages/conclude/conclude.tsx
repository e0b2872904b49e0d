// Concludes an experiment: the user enters its outcome, and whether to serve a variant from now on.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ApiFailure } from "~/api/failure";
import { send } from "~/api/query";
import { FormNumber, FormRadios, FormSelect, FormTextBox } from "~/ui/form/fields";
import { type Form, FormView, useForm } from "~/ui/form/form";
import { FormGuard } from "~/ui/form/guard";
import { useIdempotencyKey } from "~/lib/idempotency";
import { ButtonLink } from "~/ui/button";
import { Card, Empty, Note } from "~/ui/layout";
import { toast } from "~/ui/toast";
import { type Experiment, outdateExperiment, useExperiment, useLocked } from "~/experiment/open";
import { standingQuery } from "~/experiment/standing";
import { HypothesisField } from "~/experiment/hypothesis-field";
import { armName, OUTCOMES, type Outcome } from "~/experiment/outcomes";

interface Fields {
  outcome: Outcome | "";
  note: string;
  learned: string;
  override_reason: string;
  /** Id of the variant to serve; empty for none. */
  serve_variant_id: string;
  traffic_allocation: number | null;
  follow_up_hypothesis_id: number | null;
}

const LABELS: Record<keyof Fields, string> = {
  outcome: "Outcome",
  note: "Why it ended this way",
  learned: "What we learned",
  override_reason: "Why this outcome is still right",
  serve_variant_id: "What visitors get from now on",
  traffic_allocation: "Visitors who get it, in percent",
  follow_up_hypothesis_id: "What to try next",
};

const NOTHING: Fields = {
  outcome: "",
  note: "",
  learned: "",
  override_reason: "",
  serve_variant_id: "",
  traffic_allocation: 100,
  follow_up_hypothesis_id: null,
};

export function ConcludePage() {
  const { experiment } = useExperiment();
  return experiment.is_completed === 1 ? <IsConcluded /> : <ConcludeForm />;
}

function IsConcluded() {
  const { projectKey, experiment } = useExperiment();
  return (
    <Card>
      <Empty
        icon="check"
        title="This experiment is concluded"
        action={
          <ButtonLink
            to="/p/$projectKey/experiments/$testId"
            params={{ projectKey, testId: String(experiment.test_id) }}
          >
            Show the conclusion
          </ButtonLink>
        }
      >
        The summary has its conclusion. It can be reopened there.
      </Empty>
    </Card>
  );
}

/** A choice for which the server requires a reason, and why. */
interface Asked {
  choice: string;
  why: "contradicted" | "no verdict";
}

function ConcludeForm() {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const { projectKey, experiment, etag } = useExperiment();
  const locked = useLocked();
  const keyFor = useIdempotencyKey();
  /** The choice that the verdict contradicts, or that could not be compared with a verdict, according to the server. */
  const [asked, setAsked] = useState<Asked>();
  const params = { projectKey, testId: String(experiment.test_id) };

  const submit = async (typed: Fields) => {
    const fields = chosenOf(typed, experiment);
    const isAsked =
      asked?.choice === choiceOf(fields) && (asked.why === "contradicted" || fields.override_reason !== "");
    const body = bodyOf(fields, isAsked);
    try {
      await send("post", "/v2/project/{project_key}/experiment/{test_id}/conclude", {
        params: { path: { project_key: projectKey, test_id: experiment.test_id } },
        body: body as never,
        ifMatch: etag,
        idempotencyKey: keyFor(JSON.stringify([body, etag])),
      });
    } catch (thrown) {
      if (!(thrown instanceof ApiFailure)) throw thrown;
      if (thrown.status === 412 || OUTDATED.includes(thrown.code)) await outdateExperiment(cache);
      if (thrown.code === "unavailable") setAsked({ choice: choiceOf(fields), why: "no verdict" });
      if (thrown.code !== "verdict_contradicted") throw thrown;
      setAsked({ choice: choiceOf(fields), why: "contradicted" });
      return "keep";
    }
    toast("The experiment was concluded.");
    await navigate({ to: "/p/$projectKey/experiments/$testId", params, ignoreBlocker: true });
    await outdateExperiment(cache);
    return undefined;
  };
  const form = useForm<Fields>({ name: `experiment/${experiment.test_id}/conclude`, stored: NOTHING, submit });
  const chosen = chosenOf(form.values, experiment);
  const why = asked?.choice === choiceOf(chosen) ? asked.why : undefined;
  return (
    <div className="flex max-w-170 flex-col gap-5">
      <Known />
      <FormView
        form={form}
        act="Conclude experiment"
        labels={LABELS}
        isAlwaysReady
        locked={locked}
        className="flex flex-col gap-5"
        aside={
          <ButtonLink to="/p/$projectKey/experiments/$testId" params={params}>
            Cancel
          </ButtonLink>
        }
      >
        <Card title="Conclude this experiment" about="Say how it ended, for people who find it later.">
          <div className="flex flex-col gap-4">
            <FormRadios form={form} name="outcome" legend={LABELS.outcome} choices={OUTCOMES} />
            {why !== undefined && <Override form={form} why={why} />}
            <FormTextBox form={form} name="note" label={LABELS.note} rows={3} maxLength={10_000} />
            <FormTextBox
              form={form}
              name="learned"
              label={LABELS.learned}
              hint="Beyond this experiment: what the next one can build on."
              rows={3}
              maxLength={10_000}
            />
            <FollowUp form={form} />
          </div>
        </Card>
        <Serving form={form} experiment={experiment} />
        <Consequences experiment={experiment} serves={chosen.serve_variant_id} share={chosen.traffic_allocation} />
        <FormGuard form={form} />
      </FormView>
    </div>
  );
}

/** Refusals that mean that the experiment has changed since it was read. */
const OUTDATED = ["concluded", "already_serving"];

/** The form has no winner to choose while one is already served. An earlier choice is then dropped. */
function chosenOf(fields: Fields, { is_deploy }: Experiment): Fields {
  if (is_deploy !== 1) return fields;
  const { serve_variant_id, traffic_allocation } = NOTHING;
  return { ...fields, serve_variant_id, traffic_allocation };
}

/** The part of the choice that a verdict can contradict. */
function choiceOf({ outcome, serve_variant_id }: Fields): string {
  return `${outcome} ${serve_variant_id}`;
}

function bodyOf(fields: Fields, isAsked: boolean) {
  const { outcome, note, learned, override_reason, serve_variant_id, follow_up_hypothesis_id } = fields;
  return {
    outcome,
    note,
    ...(learned !== "" && { learned }),
    ...(isAsked && { override_reason }),
    ...(serve_variant_id !== "" && { serve_variant_id, traffic_allocation: fields.traffic_allocation ?? 100 }),
    ...(follow_up_hypothesis_id !== null && { follow_up_hypothesis_id }),
  };
}

/** Current state: the server's sentence. */
function Known() {
  const { projectKey, experiment } = useExperiment();
  const standing = useQuery(standingQuery(projectKey, experiment.test_id)).data;
  if (!standing) return null;
  return (
    <Note>
      <p className="break-words">{standing.sentence}</p>
    </Note>
  );
}

function Override({ form, why }: { form: Form<Fields>; why: Asked["why"] }) {
  const word = OUTCOMES.find(([outcome]) => outcome === form.values.outcome)?.[1] ?? form.values.outcome;
  return (
    <div className="flex flex-col gap-3">
      <Note tone="caution" role="alert">
        {why === "contradicted"
          ? `The current verdict does not say “${word}”. Say why this outcome is still right, or choose another one.`
          : "The verdict is stored with the conclusion, but there is none at the moment. Try again later, or say why you conclude without one."}{" "}
        Your reason is stored with the conclusion.
      </Note>
      <FormTextBox
        form={form}
        name="override_reason"
        label={LABELS.override_reason}
        rows={2}
        required={why === "contradicted"}
        maxLength={10_000}
        autoFocus
      />
    </div>
  );
}

function Serving({ form, experiment }: { form: Form<Fields>; experiment: Experiment }) {
  if (experiment.is_deploy === 1) return null;
  return (
    <Card
      title="What visitors get"
      about="A variant can be served until your own code contains it: to everybody, or to some at first. You can change that at any time."
    >
      <div className="flex flex-wrap items-start gap-4">
        <FormSelect
          form={form}
          name="serve_variant_id"
          label={LABELS.serve_variant_id}
          choices={[
            ["", "The page without the experiment"],
            ["0", `Control${named(experiment.control.nickname, "Control")}`],
            ...experiment.variants.map(
              ({ name, nickname }, at) => [String(at + 1), `${name}${named(nickname, name)}`] as const,
            ),
          ]}
        />
        {form.values.serve_variant_id !== "" && (
          <FormNumber
            form={form}
            name="traffic_allocation"
            label={LABELS.traffic_allocation}
            min={1}
            max={100}
            step={1}
            className="max-w-60"
          />
        )}
      </div>
    </Card>
  );
}

function FollowUp({ form }: { form: Form<Fields> }) {
  const { projectKey } = useExperiment();
  return (
    <HypothesisField
      projectKey={projectKey}
      label={LABELS.follow_up_hypothesis_id}
      hint="The hypothesis that continues this test, if there is one."
      name="follow_up_hypothesis_id"
      value={form.values.follow_up_hypothesis_id}
      onChange={(chosen) => form.set("follow_up_hypothesis_id", chosen)}
      error={form.errorOf("follow_up_hypothesis_id")}
    />
  );
}

function named(nickname: string, name: string): string {
  return nickname && nickname !== name ? ` (${nickname})` : "";
}

interface ConsequencesProps {
  experiment: Experiment;
  serves: string;
  share: number | null;
}

function Consequences({ experiment, serves, share }: ConsequencesProps) {
  return (
    <Card title="What this does">
      <ul className="flex list-disc flex-col gap-1.5 pl-5">
        <li>{forVisitors(experiment, serves, share ?? 100)}</li>
        <li>The current verdict is stored, with everything that it was computed from.</li>
        <li>Automatic rules, such as an end date, no longer act.</li>
        <li>You can undo it: anyone who may change the experiment can reopen it.</li>
      </ul>
    </Card>
  );
}

function forVisitors(
  { status, is_deploy, serving_variant_id, serving_traffic_allocation }: Experiment,
  serves: string,
  share: number,
) {
  if (is_deploy === 1) {
    const toWhom =
      serving_traffic_allocation == null ? "" : `, to ${serving_traffic_allocation}\u00a0% of the visitors`;
    return `${armName(serving_variant_id ?? "")} continues to be served${toWhom}.`;
  }
  if (serves !== "") {
    const whom = share === 100 ? "All visitors" : `${share}\u00a0% of the visitors`;
    return `${whom} get ${armName(serves)} from now on, and nobody is counted any more.`;
  }
  if (status === 1) return "It stops at once and becomes inactive: visitors see the page without it.";
  return "It stays inactive: visitors see the page without it.";
}
