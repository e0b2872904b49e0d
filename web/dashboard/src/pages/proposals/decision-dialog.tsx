// Decides a proposal. Before the change is made, the approver sees its current effect.

import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Schemas, send } from "~/api/query";
import { useIdempotencyKey } from "~/lib/idempotency";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { TextBox } from "~/ui/field";
import { ErrorPanel, Loaded } from "~/ui/loaded";
import { toast } from "~/ui/toast";
import { ChangeEffects } from "~/experiment/changes/change-effects";
import { checklistQuery } from "~/experiment/acts/checks";
import { inWords } from "~/experiment/changes/conflict";
import { FieldChanges } from "~/experiment/changes/field-changes";
import { outdateExperiment } from "~/experiment/open";
import { ToLookAt } from "~/experiment/acts/to-look-at";
import { type Proposal, statusOf } from "~/experiment/proposal";
import type { Decision } from "./proposal-card";

const EXPERIMENT = "/v2/project/{project_key}/experiment/{test_id}";
const PROPOSAL = "/v2/project/{project_key}/proposals/{proposal_id}";

const WORDS: Record<Decision, { title: string; act: string; done: string; about: string }> = {
  approve: {
    title: "Approve this change?",
    act: "Approve the change",
    done: "Approved. The experiment is changed.",
    about: "The experiment is changed at once.",
  },
  reject: {
    title: "Reject this proposal?",
    act: "Reject it",
    done: "The proposal was rejected.",
    about: "Nothing is changed. The person who proposed it sees the reason.",
  },
  withdraw: {
    title: "Withdraw your proposal?",
    act: "Withdraw it",
    done: "The proposal was withdrawn.",
    about: "Nothing is changed. You can propose it again.",
  },
  again: {
    title: "Propose it again?",
    act: "Propose it again",
    done: "Proposed again. Somebody else has to approve it.",
    about: "The same change is proposed for the current state of the experiment, and replaces this proposal.",
  },
};

/** Words for the approval of a change of status. */
const APPROVE_STATUS: Partial<Record<Schemas["StatusCode"], (typeof WORDS)["approve"]>> = {
  1: {
    title: "Approve the start?",
    act: "Approve and start it",
    done: "Approved. The experiment is live.",
    about: "The experiment reaches visitors within a minute.",
  },
  0: {
    title: "Approve the stop?",
    act: "Approve and stop it",
    done: "Approved. The experiment is stopped.",
    about: "Visitors get the original page within a minute.",
  },
};

interface DecisionProps {
  projectKey: string;
  proposal: Proposal;
  decision: Decision;
  onClose: () => void;
}

export function DecisionDialog({ projectKey, proposal, decision, onClose }: DecisionProps) {
  const cache = useQueryClient();
  const [reason, setReason] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const idempotencyKey = useIdempotencyKey();
  const status = statusOf(proposal);
  const words = (decision === "approve" && status !== undefined && APPROVE_STATUS[status]) || WORDS[decision];
  const act = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await decide(projectKey, proposal, decision, reason, idempotencyKey(reason));
      toast(words.done);
      await outdateExperiment(cache);
      onClose();
    } catch (thrown) {
      setError(await inWords(thrown, cache, "Close this dialog to see it."));
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width={decision === "approve" ? "wide" : "narrow"}
      title={words.title}
      about={words.about}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind={decision === "reject" ? "danger" : "primary"} isBusy={isBusy} onClick={act}>
            {words.act}
          </Button>
        </>
      }
    >
      {decision === "approve" && <WhatItDoes projectKey={projectKey} proposal={proposal} />}
      {decision !== "again" && (
        <TextBox
          label="Why"
          aside="optional"
          rows={2}
          maxLength={10_000}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      )}
      {error !== undefined && <ErrorPanel error={error} />}
    </Dialog>
  );
}

async function decide(projectKey: string, proposal: Proposal, decision: Decision, reason: string, key: string) {
  const { proposal_id, test_id } = proposal;
  const params = { path: { project_key: projectKey, proposal_id } };
  const sent = { params, body: reason.trim() === "" ? {} : { reason }, idempotencyKey: key };
  switch (decision) {
    case "approve":
      return send("post", `${PROPOSAL}/approve`, sent);
    case "reject":
      return send("post", `${PROPOSAL}/reject`, sent);
    case "withdraw":
      return send("post", `${PROPOSAL}/withdraw`, sent);
    case "again":
      await send("post", `${EXPERIMENT}/proposals`, {
        params: { path: { project_key: projectKey, test_id } },
        body: { ...proposal.body, ...(proposal.note !== "" && { note: proposal.note }) } as never,
        merge: isMerged(proposal),
        idempotencyKey: `${key}/again`,
      });
      return send("post", `${PROPOSAL}/withdraw`, sent);
  }
}

function isMerged({ content_type }: Proposal): boolean {
  return content_type === "application/merge-patch+json";
}

function WhatItDoes({ projectKey, proposal }: { projectKey: string; proposal: Proposal }) {
  const status = statusOf(proposal);
  if (status === undefined) return <EditEffects projectKey={projectKey} proposal={proposal} />;
  return (
    <>
      <FieldChanges changes={proposal.changes} />
      {status === 1 && <StartChecks projectKey={projectKey} testId={proposal.test_id} />}
    </>
  );
}

function StartChecks({ projectKey, testId }: { projectKey: string; testId: number }) {
  const checklist = useQuery(checklistQuery(projectKey, testId));
  return <Loaded query={checklist}>{({ items }) => <ToLookAt items={items} />}</Loaded>;
}

function EditEffects({ projectKey, proposal }: { projectKey: string; proposal: Proposal }) {
  const preview = useQuery(previewQuery(projectKey, proposal));
  return <Loaded query={preview}>{(data) => <ChangeEffects preview={data} />}</Loaded>;
}

/** Preview of the change as of now. It is a request with a body, and changes nothing. */
function previewQuery(projectKey: string, proposal: Proposal) {
  return queryOptions({
    queryKey: ["change-preview", projectKey, proposal.proposal_id] as const,
    queryFn: async ({ signal }) => {
      const { data } = await send("post", `${EXPERIMENT}/change-preview`, {
        params: { path: { project_key: projectKey, test_id: proposal.test_id } },
        body: proposal.body as never,
        merge: isMerged(proposal),
        signal,
      });
      return data;
    },
    gcTime: 0,
  });
}
