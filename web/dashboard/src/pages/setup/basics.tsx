// First step: the name of the experiment, its page, and its hypothesis.

import { useState } from "react";
import { FormText } from "~/ui/form/fields";
import { useForm } from "~/ui/form/form";
import { FormGuard } from "~/ui/form/guard";
import { copy } from "~/lib/page";
import { TEST_TYPE } from "~/lib/words";
import { Button } from "~/ui/button";
import { Labels } from "~/ui/labels";
import { Card, Facts } from "~/ui/layout";
import { HypothesisField } from "~/experiment/hypothesis-field";
import { useExperiment, useLocked, useSave } from "~/experiment/open";
import { StepForm } from "./step-form";

const LABELS = { test_name: "Name", url: "Page", tags: "Tags", hypothesis_id: "Hypothesis" };

export function BasicsStep() {
  const { projectKey, experiment } = useExperiment();
  const locked = useLocked();
  const save = useSave();
  const { test_name, url, tags, hypothesis_id } = experiment;
  const form = useForm({
    name: `experiment/${experiment.test_id}/basics`,
    stored: { test_name, url, tags, hypothesis_id },
    submit: (_, changes) => save(changes),
  });
  return (
    <>
      <Card title="Page">
        <StepForm step="Page" form={form} act="Save page" labels={LABELS} locked={locked}>
          <FormText form={form} name="test_name" label={LABELS.test_name} required maxLength={255} />
          <FormText
            form={form}
            name="url"
            label={LABELS.url}
            type="url"
            required
            maxLength={2048}
            hint="Previews and the live view open this page. Audience sets the pages on which the experiment runs."
          />
          <Labels
            label={LABELS.tags}
            hint="Tags filter the list of experiments. Enter or a comma completes a tag."
            name="tags"
            one="tag"
            values={form.values.tags}
            onChange={(tags) => form.set("tags", tags)}
            error={form.errorOf("tags")}
            maxLength={64}
          />
          <HypothesisField
            projectKey={projectKey}
            value={form.values.hypothesis_id}
            onChange={(id) => form.set("hypothesis_id", id)}
            error={form.errorOf("hypothesis_id")}
          />
          <FormGuard form={form} />
        </StepForm>
      </Card>
      <Permanent />
    </>
  );
}

function Permanent() {
  const { experiment } = useExperiment();
  const { text, about } = TEST_TYPE[experiment.test_type];
  const [isCopied, setCopied] = useState(false);
  return (
    <Card
      title="Cannot be changed"
      about="Set when the experiment was created. For another kind of test, create another experiment."
    >
      <Facts
        facts={[
          [
            "Kind of test",
            <span key="kind">
              {text}
              <span className="block text-sm text-soft">{about}</span>
            </span>,
          ],
          [
            "Key",
            <span key="key" className="flex flex-wrap items-center gap-2">
              <code className="font-mono text-sm break-all">{experiment.experiment_key}</code>
              <Button
                small
                icon={isCopied ? "check" : "clipboard"}
                onClick={async () => setCopied(await copy(experiment.experiment_key))}
              >
                {isCopied ? "Copied" : "Copy key"}
              </Button>
              <span className="block w-full text-sm text-soft">Servers and integrations use this key.</span>
            </span>,
          ],
        ]}
      />
    </Card>
  );
}
