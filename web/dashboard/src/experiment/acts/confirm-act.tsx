// Confirms an act that the clock holds back because the result rests on one network.

import { useState } from "react";
import { send } from "~/api/query";
import { may, useSession } from "~/api/session";
import { useIdempotencyKey } from "~/lib/idempotency";
import { Button } from "~/ui/button";
import { ConfirmDialog } from "~/ui/dialog";
import { TextBox } from "~/ui/field";
import { useExperiment } from "../open";
import { useAct } from "./act-dialogs";

export function ConfirmAct() {
  const { projectKey } = useExperiment();
  const { params, etag, run } = useAct();
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState("");
  const idempotencyKey = useIdempotencyKey();
  if (!may(useSession(), projectKey, "write")) return null;
  const confirm = async () => {
    await send("post", "/v2/project/{project_key}/experiment/{test_id}/confirm-act", {
      params,
      body: { reason },
      ifMatch: etag,
      idempotencyKey: idempotencyKey(reason),
    });
    await run(async () => ({ warnings: [] }), "The clock acts at its next check, if the rule is still met.");
  };
  return (
    <div>
      <Button small onClick={() => setOpen(true)}>
        Let the clock act
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Let the clock act?"
        act="Let the clock act"
        danger={false}
        onConfirm={confirm}
      >
        <p>
          The result does not hold without the visitors of one network, so they may be made up. If you know them, the
          clock acts by this rule for a day, without this check.
        </p>
        <TextBox
          label="Why the result can be trusted"
          hint="Shown in the history."
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </ConfirmDialog>
    </div>
  );
}
