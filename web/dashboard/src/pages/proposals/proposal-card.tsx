// One proposal: its author, reason and changes, and the actions on it.

import { type ReactNode, useState } from "react";
import { may, useSession } from "~/api/session";
import { ago, moment } from "~/lib/format";
import { PROPOSAL } from "~/lib/words";
import { WordBadge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Note } from "~/ui/layout";
import { FieldChanges } from "~/experiment/changes/field-changes";
import { DecisionDialog } from "./decision-dialog";
import { isOutdated, isOwn, type Proposal, whatOf } from "~/experiment/proposal";

interface CardProps {
  projectKey: string;
  proposal: Proposal;
  /** Name of the experiment, in lists with the proposals of several. */
  experiment?: ReactNode;
}

export function ProposalCard({ projectKey, proposal, experiment }: CardProps) {
  const { state, note, decided_by, reason } = proposal;
  return (
    <article className="flex flex-col gap-3 border-b border-line px-4 py-4 last:border-0 md:px-5">
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <div className="min-w-0">
          {experiment}
          <h2 className="font-medium break-words">
            {proposal.proposed_by.name} proposes to {whatOf(proposal)}
          </h2>
          <p className="text-sm text-soft">
            <time dateTime={proposal.proposed_at} title={moment(proposal.proposed_at)}>
              {ago(proposal.proposed_at)}
            </time>
          </p>
        </div>
        {state !== "open" && <WordBadge word={PROPOSAL[state]} />}
      </header>
      {note !== "" && <p className="max-w-150 break-words whitespace-pre-wrap">{note}</p>}
      {state === "open" ? (
        <OpenPart projectKey={projectKey} proposal={proposal} />
      ) : (
        <p className="text-soft break-words">
          {PROPOSAL[state].text} by {decided_by?.name ?? "somebody"}, {moment(proposal.decided_at)}
          {reason !== "" && <span className="whitespace-pre-wrap">: {reason}</span>}
        </p>
      )}
    </article>
  );
}

function OpenPart({ projectKey, proposal }: { projectKey: string; proposal: Proposal }) {
  return (
    <>
      {proposal.changes.length > 0 ? (
        <FieldChanges changes={proposal.changes} />
      ) : (
        <p className="text-soft">
          It would change nothing: the experiment already has these values, or the change is no longer possible.
        </p>
      )}
      {isOutdated(proposal) && (
        <Note tone="caution">
          <p className="font-medium">
            The experiment has changed since this was proposed, so it cannot be approved. Propose it again.
          </p>
          <div className="mt-2 text-ink">
            <FieldChanges changes={proposal.changed_since} />
          </div>
        </Note>
      )}
      <Decisions projectKey={projectKey} proposal={proposal} />
    </>
  );
}

export type Decision = "approve" | "reject" | "withdraw" | "again";

function Decisions({ projectKey, proposal }: { projectKey: string; proposal: Proposal }) {
  const session = useSession();
  const [decision, setDecision] = useState<Decision>();
  if (!may(session, projectKey, "write")) return null;
  const own = isOwn(proposal, session);
  const outdated = isOutdated(proposal);
  return (
    <div className="flex flex-wrap items-center gap-2">
      {own && outdated && <Button onClick={() => setDecision("again")}>Propose it again</Button>}
      {own && <Button onClick={() => setDecision("withdraw")}>Withdraw</Button>}
      {!own && !outdated && <Button onClick={() => setDecision("approve")}>Approve</Button>}
      {!own && <Button onClick={() => setDecision("reject")}>Reject</Button>}
      {own && !outdated && <span className="text-sm text-soft">Somebody else has to approve it.</span>}
      {decision && (
        <DecisionDialog
          projectKey={projectKey}
          proposal={proposal}
          decision={decision}
          onClose={() => setDecision(undefined)}
        />
      )}
    </div>
  );
}
