// State of the experiment, the effect of a start, and the button for it.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "~/api/query";
import { useSession } from "~/api/session";
import { Button, ButtonLink } from "~/ui/button";
import { Card, Note } from "~/ui/layout";
import { ReopenDialog, StopDialog } from "~/experiment/acts/act-dialogs";
import { type StatusAct, statusAct } from "~/experiment/acts/acts";
import { asksApproval, checkPlace, type Check, obstacles } from "~/experiment/acts/checks";
import { useExperiment, useLocked } from "~/experiment/open";
import { plainSentence } from "~/experiment/plain-sentence";
import { StartDialog } from "~/experiment/acts/start-dialog";
import { WhatHappens } from "~/experiment/acts/what-happens";
import { isOwn, proposalsQuery, proposedStart } from "~/experiment/proposal";

export function StartPanel({ checklist }: { checklist: Schemas["Checklist"] | undefined }) {
  const { experiment } = useExperiment();
  const locked = useLocked();
  const status = statusAct(experiment);
  const blocked = status?.act === "stop" ? [] : obstacles(checklist?.items ?? []);
  return (
    <Card title={status?.act === "stop" ? "It is live" : (status?.name ?? "It is concluded")}>
      <div className="flex flex-col gap-4">
        {blocked.length > 0 && <Blocked items={blocked} />}
        {status && <WhatHappens experiment={experiment} />}
        {locked ? <Note>{locked}</Note> : <Act status={status} checklist={checklist} isBlocked={blocked.length > 0} />}
      </div>
    </Card>
  );
}

function Blocked({ items }: { items: Check[] }) {
  return (
    <Note tone="bad">
      {items.map(({ check, sentence }) => (
        <p key={check} className="break-words">
          <span className="font-medium">{checkPlace(check).name}:</span> {plainSentence(sentence)}
        </p>
      ))}
    </Note>
  );
}

interface ActProps {
  /** Undefined for a concluded experiment, which has to be reopened. */
  status: StatusAct | undefined;
  checklist: Schemas["Checklist"] | undefined;
  isBlocked: boolean;
}

function Act({ status, checklist, isBlocked }: ActProps) {
  const { projectKey, experiment } = useExperiment();
  const session = useSession();
  const proposals = useQuery(proposalsQuery(projectKey, experiment.test_id));
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const needsApproval = asksApproval(checklist?.items ?? []);
  const proposed = status?.act === "start" && needsApproval ? proposedStart(proposals.data?.proposals) : undefined;
  if (proposed && isOwn(proposed, session))
    return <Note>You have proposed the start. Somebody else has to approve it.</Note>;
  if (proposed)
    return (
      <div>
        <ButtonLink
          kind="primary"
          to="/p/$projectKey/experiments/$testId/proposals"
          params={{ projectKey, testId: String(experiment.test_id) }}
        >
          Decide on the proposed start
        </ButtonLink>
      </div>
    );
  const isStart = status?.act === "start";
  return (
    <div>
      <Button
        kind={isStart ? "primary" : "plain"}
        disabled={isStart && (checklist === undefined || isBlocked)}
        onClick={() => setOpen(true)}
      >
        {actName(status, needsApproval)}
      </Button>
      {isOpen && isStart && <StartDialog onClose={close} />}
      {isOpen && status?.act === "stop" && <StopDialog onClose={close} />}
      {isOpen && status === undefined && <ReopenDialog onClose={close} />}
    </div>
  );
}

function actName(status: StatusAct | undefined, needsApproval: boolean): string {
  if (status === undefined) return "Reopen the experiment";
  if (status.act === "start" && needsApproval)
    return status.name === "Resume" ? "Propose to resume" : "Propose the start";
  return `${status.name} the experiment`;
}
