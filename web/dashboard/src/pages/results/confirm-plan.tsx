// Confirms changes of the plan. The clock follows the old plan until a person confirms them.

import { useState } from "react";
import { ApiFailure } from "~/api/failure";
import { send } from "~/api/query";
import { may, useSession } from "~/api/session";
import { useIdempotencyKey } from "~/lib/idempotency";
import { Button } from "~/ui/button";
import { ConfirmDialog } from "~/ui/dialog";
import { TextBox } from "~/ui/field";
import { useAct } from "~/experiment/acts/act-dialogs";
import { useExperiment } from "~/experiment/open";

export function ConfirmPlan() {
  const { projectKey } = useExperiment();
  const { params, etag, run } = useAct();
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState("");
  const idempotencyKey = useIdempotencyKey();
  if (!may(useSession(), projectKey, "write")) return null;
  const confirm = async () => {
    await send("post", "/v2/project/{project_key}/experiment/{test_id}/confirm-plan", {
      params,
      body: { reason },
      ifMatch: etag,
      idempotencyKey: idempotencyKey(reason),
    });
    return "The clock now follows the changed plan.";
  };
  const propose = async () => {
    await send("post", "/v2/project/{project_key}/experiment/{test_id}/proposals", {
      params,
      body: { confirm_plan: reason },
    });
    return "Proposed. Somebody else has to approve it.";
  };
  const act = async () => {
    const done = await confirm().catch((thrown) => {
      if (thrown instanceof ApiFailure && thrown.code === "approval_needed") return propose();
      throw thrown;
    });
    await run(async () => ({ warnings: [] }), done);
  };
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        Let the clock follow it
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Let the clock follow the changed plan?"
        act="Let the clock follow it"
        danger={false}
        onConfirm={act}
      >
        <p>
          The clock then ends the experiment, serves winners and moves weights by the experiment's current settings.
          Results still list what was changed after the start. If the project requires approval, this is proposed, and
          somebody else has to approve it.
        </p>
        <TextBox
          label="Why it was changed"
          hint="Shown in the history and in results."
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </ConfirmDialog>
    </>
  );
}
