// Copies an experiment to a new draft.

import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { outdate, send } from "~/api/query";
import { FormText } from "~/ui/form/fields";
import { FormView, useForm } from "~/ui/form/form";
import { useIdempotencyKey } from "~/lib/idempotency";
import { Dialog } from "~/ui/dialog";
import { toast } from "~/ui/toast";
import type { ActDialogProps } from "./act-dialogs";
import { useExperiment } from "../open";
import { plainSentence } from "../plain-sentence";

/** Maximum length of a name in characters, including the suffix. */
const NAME_MAX = 255;

export function DuplicateDialog({ onClose }: ActDialogProps) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const { projectKey, experiment } = useExperiment();
  const idempotencyKey = useIdempotencyKey();
  const form = useForm({
    stored: { test_name: `${experiment.test_name.slice(0, NAME_MAX - " (copy)".length)} (copy)` },
    submit: async ({ test_name }) => {
      const { data } = await send("post", "/v2/project/{project_key}/experiment/{test_id}/duplicate", {
        params: { path: { project_key: projectKey, test_id: experiment.test_id } },
        body: { test_name },
        idempotencyKey: idempotencyKey(test_name),
      });
      for (const warning of data.warnings) toast(plainSentence(warning), "caution");
      toast("The copy is a draft. It is open now.");
      await outdate(cache, "/v2/overview");
      onClose();
      const params = { projectKey, testId: String(data.test_id) };
      await navigate({ to: "/p/$projectKey/experiments/$testId/setup", params });
    },
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Duplicate this experiment"
      about="The copy is a draft with the same variants, code, audience, goals, traffic and plan. It has no start and end date."
    >
      <FormView form={form} act="Create copy" labels={{ test_name: "Name" }} isAlwaysReady>
        <FormText form={form} name="test_name" label="Name" required maxLength={NAME_MAX} />
      </FormView>
    </Dialog>
  );
}
