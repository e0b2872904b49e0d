// Creates a goal in a dialog, without leaving the page.

import { useQueryClient } from "@tanstack/react-query";
import { outdate, type Schemas, send } from "~/api/query";
import { FormView, useForm } from "~/ui/form/form";
import { useIdempotencyKey } from "~/lib/idempotency";
import { Dialog } from "~/ui/dialog";
import { toast } from "~/ui/toast";
import { bodyOf, GOAL_LABELS, GoalFields, type GoalValues, NO_GOAL } from "~/experiment/goal-form";

interface NewGoalProps {
  projectKey: string;
  isOpen: boolean;
  onClose: () => void;
  onMade: (goalKey: string) => void;
}

export function NewGoalDialog({ projectKey, isOpen, onClose, onMade }: NewGoalProps) {
  const cache = useQueryClient();
  const keyOf = useIdempotencyKey();
  const form = useForm<GoalValues>({
    stored: NO_GOAL,
    submit: async (values) => {
      const body = bodyOf(values, values);
      const { data } = await send("post", "/v2/project/{project_key}/goal", {
        params: { path: { project_key: projectKey } },
        body: body as Schemas["GoalBody"],
        idempotencyKey: keyOf(JSON.stringify(body)),
      });
      await outdate(cache, "/v2/project/{project_key}/goals");
      toast(`${values.goal_name} was created.`);
      onMade(data.goal_key);
      onClose();
    },
  });
  const close = () => {
    form.reset();
    onClose();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title="New goal"
      about="Something that visitors do. Goals belong to the project: every experiment can use them. A goal that you create today also counts events of last week."
    >
      <FormView form={form} act="Create goal" labels={GOAL_LABELS} isAlwaysReady>
        <GoalFields form={form} />
      </FormView>
    </Dialog>
  );
}
