// Starts or resumes an experiment: shows what blocks it, what to check, and what will happen. If the project requires a
// second person, the start is proposed.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "~/api/query";
import { useIdempotencyKey } from "~/lib/idempotency";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { TextBox } from "~/ui/field";
import { Note } from "~/ui/layout";
import { ErrorPanel, Loaded } from "~/ui/loaded";
import { type ActDialogProps, useAct } from "./act-dialogs";
import { proposalsQuery, proposedStart } from "../proposal";
import { asksApproval, checklistQuery, obstacles } from "./checks";
import { useExperiment } from "../open";
import { ToLookAt } from "./to-look-at";
import { WhatHappens } from "./what-happens";

const EXPERIMENT = "/v2/project/{project_key}/experiment/{test_id}";

/** Words for the action: a first start or a later one, done or proposed. */
function actWords(isFirst: boolean, needsApproval: boolean) {
  if (needsApproval)
    return isFirst
      ? { title: "Propose to start this experiment?", act: "Propose the start" }
      : { title: "Propose to resume this experiment?", act: "Propose to resume" };
  return isFirst
    ? { title: "Start this experiment?", act: "Start the experiment" }
    : { title: "Resume this experiment?", act: "Resume the experiment" };
}

export function StartDialog({ onClose }: ActDialogProps) {
  const { projectKey } = useExperiment();
  const { params, etag, experiment, run } = useAct();
  const checklist = useQuery(checklistQuery(projectKey, experiment.test_id));
  const [note, setNote] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const idempotencyKey = useIdempotencyKey();

  const items = checklist.data?.items ?? [];
  const needsApproval = asksApproval(items);
  const proposals = useQuery(proposalsQuery(projectKey, experiment.test_id));
  const proposed = needsApproval ? proposedStart(proposals.data?.proposals) : undefined;
  const isBlocked = checklist.data === undefined || obstacles(items).length > 0 || proposed !== undefined;
  const { title, act } = actWords(experiment.epochs.length === 0, needsApproval);

  const start = async () => {
    const { data } = await send("patch", `${EXPERIMENT}/status`, { params, body: { status: 1 }, ifMatch: etag });
    return { warnings: data.warnings };
  };
  const propose = () =>
    send("post", `${EXPERIMENT}/proposals`, {
      params,
      body: { status: 1, ...(note.trim() !== "" && { note }) },
      ifMatch: etag,
      idempotencyKey: idempotencyKey(`${etag} ${note}`),
    });
  const confirm = async () => {
    setBusy(true);
    setError(undefined);
    try {
      if (needsApproval) await run(propose, "The start is proposed. Somebody else has to approve it.");
      else await run(start, "The experiment is live.");
      onClose();
    } catch (thrown) {
      setError(thrown);
      await checklist.refetch();
      setBusy(false);
    }
  };

  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" isBusy={isBusy} disabled={isBlocked} onClick={confirm}>
            {act}
          </Button>
        </>
      }
    >
      <Loaded query={checklist}>{(data) => <ToLookAt items={data.items} />}</Loaded>
      <section>
        <h3 className="mb-1.5 font-medium">What happens</h3>
        <WhatHappens experiment={experiment} />
      </section>
      {proposed && (
        <Note>{proposed.proposed_by.name} has already proposed the start. Somebody else has to approve it.</Note>
      )}
      {needsApproval && !proposed && (
        <TextBox
          label="Why"
          aside="optional"
          hint="In this project, a second person has to approve the start. That person sees this text."
          rows={2}
          maxLength={10_000}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
      )}
      {error !== undefined && <ErrorPanel error={error} />}
    </Dialog>
  );
}
