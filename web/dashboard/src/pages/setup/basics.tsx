// The first step: what the experiment is called, and on which page it runs.

import { FormText } from "~/lib/fields";
import { FormView, useForm } from "~/lib/form";
import { FormGuard } from "~/lib/guard";
import { Card } from "~/ui/layout";
import { useExperiment, useLocked, useSave } from "../experiment/open";

const LABELS = { test_name: "Name", url: "Page" };

export function BasicsStep() {
  const { experiment } = useExperiment();
  const locked = useLocked();
  const save = useSave();
  const form = useForm({
    name: `experiment/${experiment.test_id}/basics`,
    stored: { test_name: experiment.test_name, url: experiment.url },
    submit: (_, changes) => save(changes),
  });
  return (
    <Card title="Page">
      <FormView form={form} act="Save page" labels={LABELS} locked={locked}>
        <FormText form={form} name="test_name" label={LABELS.test_name} required maxLength={255} />
        <FormText
          form={form}
          name="url"
          label={LABELS.url}
          type="url"
          required
          hint="The page that previews and the live view open. Where the experiment runs is said under Audience."
        />
        <FormGuard form={form} />
      </FormView>
    </Card>
  );
}
