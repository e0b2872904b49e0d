// Confirms an act that the clock holds back because the result rests on one network.

import { useState } from "react";
import { send } from "~/api/query";
import { may, useSession } from "~/api/session";
import { useIdempotencyKey } from "~/lib/idempotency";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { TextBox } from "~/ui/field";
import { ErrorPanel } from "~/ui/loaded";
import { useExperiment } from "../open";
import { useAct } from "./act-dialogs";

export function ConfirmAct() {
  const { projectKey } = useExperiment();
  const [isOpen, setOpen] = useState(false);
  if (!may(useSession(), projectKey, "write")) return null;
  return (
    <>
      <div>
        <Button small onClick={() => setOpen(true)}>
          Let the clock act
        </Button>
      </div>
      {isOpen && <ConfirmActDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function ConfirmActDialog({ onClose }: { onClose: () => void }) {
  const { params, etag, run } = useAct();
  const [reason, setReason] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const idempotencyKey = useIdempotencyKey();
  const act = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await send("post", "/v2/project/{project_key}/experiment/{test_id}/confirm-act", {
        params,
        body: { reason },
        ifMatch: etag,
        idempotencyKey: idempotencyKey(reason),
      });
      await run(async () => ({ warnings: [] }), "The clock acts at its next check, if the rule is still met.");
      onClose();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Let the clock act?"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" isBusy={isBusy} onClick={act}>
            Let the clock act
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
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
        {error != null && <ErrorPanel error={error} />}
      </div>
    </Dialog>
  );
}
