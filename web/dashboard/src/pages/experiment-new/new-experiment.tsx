// A new experiment: empty, or as a copy of another one. It creates a draft at once, which may be incomplete, and then
// opens the setup.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { ApiFailure } from "~/api/failure";
import { query, type Schemas, send } from "~/api/query";
import { may, useSession } from "~/api/session";
import { FormRadios, FormText } from "~/ui/form/fields";
import { type Form, FormView, useForm } from "~/ui/form/form";
import { FormGuard } from "~/ui/form/guard";
import { usePageTitle } from "~/lib/page";
import { TEST_TYPE } from "~/lib/words";
import { Card, Note, Page, PageHeader } from "~/ui/layout";
import { toast } from "~/ui/toast";
import { outdateExperiment } from "~/experiment/open";
import { CopyField } from "./copy-field";
import { HypothesisField } from "~/experiment/hypothesis-field";

interface NewExperiment {
  start: "empty" | "copy";
  copy: number | null;
  test_name: string;
  url: string;
  test_type: Schemas["TestType"];
  hypothesis_id: number | null;
}

export function NewExperimentPage() {
  usePageTitle("New experiment");
  const { projectKey } = useParams({ from: "/app/p/$projectKey/experiments/new" });
  const session = useSession();
  const project = session.projects.find((one) => one.project_key === projectKey);
  return (
    <Page width="form">
      <PageHeader
        title="New experiment"
        above={
          <>
            <Link to="/experiments" className="link">
              Experiments
            </Link>{" "}
            in {project?.name ?? projectKey}
          </>
        }
        about="This creates a draft. Nobody sees it until you launch it. Until then, you can change everything except its kind."
      />
      {may(session, projectKey, "write") ? (
        <NewForm projectKey={projectKey} />
      ) : (
        <Note>
          Your role in this project can view everything, but change nothing. Ask an editor to create the experiment.
        </Note>
      )}
    </Page>
  );
}

function NewForm({ projectKey }: { projectKey: string }) {
  const { hypothesis, copy } = useSearch({ from: "/app/p/$projectKey/experiments/new" });
  const create = useCreate(projectKey);
  const form = useForm<NewExperiment>({
    // The key contains the address, so that values typed for another hypothesis are not restored here.
    name: `new-experiment/${projectKey}/${hypothesis ?? ""}/${copy ?? ""}`,
    stored: {
      start: copy === undefined ? "empty" : "copy",
      copy: copy ?? null,
      test_name: "",
      url: "",
      test_type: "abtest",
      hypothesis_id: hypothesis ?? null,
    },
    submit: create,
  });
  const isCopy = form.values.start === "copy";
  return (
    <FormView
      form={form}
      act={isCopy ? "Create copy" : "Create draft"}
      isAlwaysReady
      className="flex flex-col gap-5"
      aside={
        <Link to="/experiments" className="link px-2">
          Cancel
        </Link>
      }
    >
      <Card>
        <div className="flex flex-col gap-5">
          <FormRadios
            form={form}
            name="start"
            legend="Start from"
            choices={[
              ["empty", "Nothing", "You name the page now, and define the rest in the setup."],
              [
                "copy",
                "A copy of an experiment",
                "With its variants, code, audience, goals, weights and plan. Without its dates and results.",
              ],
            ]}
          />
          {isCopy ? <CopyFields form={form} projectKey={projectKey} /> : <EmptyFields form={form} />}
          <HypothesisField
            projectKey={projectKey}
            value={form.values.hypothesis_id}
            onChange={(id) => form.set("hypothesis_id", id)}
            error={form.errorOf("hypothesis_id")}
          />
        </div>
      </Card>
      <FormGuard form={form} />
    </FormView>
  );
}

function EmptyFields({ form }: { form: Form<NewExperiment> }) {
  return (
    <>
      <FormText
        form={form}
        name="test_name"
        label="Name"
        hint="What you change and where, such as: Shorter checkout form."
        required
        maxLength={255}
        autoComplete="off"
      />
      <FormText
        form={form}
        name="url"
        label="Page"
        type="url"
        placeholder="https://"
        hint="The address of the page that you want to change."
        required
        maxLength={2048}
        autoComplete="off"
      />
      <FormRadios
        form={form}
        name="test_type"
        legend="Kind of test"
        hint="This cannot be changed later, unlike everything else here."
        choices={Object.entries(TEST_TYPE).map(([type, { text, about }]) => [type, text, about] as const)}
      />
    </>
  );
}

function CopyFields({ form, projectKey }: { form: Form<NewExperiment>; projectKey: string }) {
  const original = useQuery({
    ...query("/v2/project/{project_key}/experiment/{test_id}", {
      path: { project_key: projectKey, test_id: form.values.copy ?? 0 },
    }),
    enabled: form.values.copy !== null,
  });
  const hypothesis = original.data?.experiment.hypothesis;
  return (
    <>
      <CopyField
        projectKey={projectKey}
        value={form.values.copy}
        name={original.data?.experiment.test_name}
        onChange={(id) => form.set("copy", id)}
        error={form.errorOf("copy")}
      />
      <FormText
        form={form}
        name="test_name"
        label="Name"
        aside="optional"
        hint="Empty: the name of the original with “(copy)”."
        maxLength={255}
        autoComplete="off"
      />
      {hypothesis && form.values.hypothesis_id === null && (
        <Note>The copy keeps the hypothesis of the original, unless you choose another one.</Note>
      )}
    </>
  );
}

/** Creates the draft and opens its setup. Another attempt with the same form does not create a second one. */
function useCreate(projectKey: string): (values: NewExperiment) => Promise<void> {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [idempotencyKey, setIdempotencyKey] = useState(() => crypto.randomUUID());
  return async (values) => {
    try {
      const testId = await make(projectKey, values, idempotencyKey);
      await outdateExperiment(cache);
      await navigate({
        to: "/p/$projectKey/experiments/$testId/setup",
        params: { projectKey, testId: String(testId) },
      });
      toast("The draft was created.");
    } catch (thrown) {
      if (!(thrown instanceof ApiFailure)) throw thrown;
      if (thrown.code === "idempotency_key_reused") setIdempotencyKey(crypto.randomUUID());
      throw explained(thrown);
    }
  };
}

/** Messages for refusals. Those of the API are for programs. */
const EXPLAINED: Record<string, string> = {
  idempotency_key_reused:
    "An earlier attempt has created a draft, although its answer did not arrive. Look for it in the list before you create another one.",
  missing_scope:
    "The original has code that runs on your pages, and your role may not store code in this project. Ask an admin to create the copy.",
};

function explained(failure: ApiFailure): ApiFailure {
  const message = EXPLAINED[failure.code];
  const { status, code, requestId } = failure;
  return message === undefined ? failure : new ApiFailure(message, { status, code, requestId });
}

async function make(projectKey: string, values: NewExperiment, idempotencyKey: string): Promise<number> {
  const { start, copy, test_name, url, test_type, hypothesis_id } = values;
  if (start === "empty") {
    const body = { test_name, url, test_type, hypothesis_id, variants: [{ name: "Variant 1" }] };
    const { data } = await send("post", "/v2/project/{project_key}/create-experiment", {
      params: { path: { project_key: projectKey } },
      body,
      idempotencyKey,
    });
    return data.test_id;
  }
  if (copy === null) {
    const message = "Choose the experiment to copy.";
    throw new ApiFailure(message, { code: "invalid_field", fields: [{ field: "copy", message }] });
  }
  const { data } = await send("post", "/v2/project/{project_key}/experiment/{test_id}/duplicate", {
    params: { path: { project_key: projectKey, test_id: copy } },
    body: test_name.trim() === "" ? {} : { test_name },
    idempotencyKey,
  });
  for (const warning of data.warnings) toast(warning, "caution");
  if (hypothesis_id !== null) {
    await send("patch", "/v2/project/{project_key}/experiment/{test_id}", {
      params: { path: { project_key: projectKey, test_id: data.test_id } },
      body: { hypothesis_id },
    });
  }
  return data.test_id;
}
