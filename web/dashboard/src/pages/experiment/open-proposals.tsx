// Note about proposals that wait for a decision, above every page of their experiment.

import { useQuery } from "@tanstack/react-query";
import { Link, useRouterState } from "@tanstack/react-router";
import { useSession } from "~/api/session";
import { ago } from "~/lib/format";
import { Note } from "~/ui/layout";
import { isOwn, proposalsQuery, whatOf } from "~/experiment/proposal";
import { useExperiment } from "~/experiment/open";

/** Maximum number of proposals that the note names. */
const NAMED = 3;

export function OpenProposals() {
  const session = useSession();
  const { projectKey, experiment } = useExperiment();
  const { data } = useQuery(proposalsQuery(projectKey, experiment.test_id));
  const open = data?.proposals.filter(({ state }) => state === "open") ?? [];
  // The page of proposals shows them itself.
  const isTheirs = useRouterState({ select: ({ location }) => location.pathname.endsWith("/proposals") });
  if (open.length === 0 || isTheirs) return null;
  return (
    <Note>
      <ul className="flex flex-col gap-0.5">
        {open.slice(0, NAMED).map((proposal) => (
          <li key={proposal.proposal_id} className="break-words">
            {isOwn(proposal, session) ? "You have" : `${proposal.proposed_by.name} has`} proposed to {whatOf(proposal)},{" "}
            {ago(proposal.proposed_at)}.
          </li>
        ))}
        {open.length > NAMED && <li>There are more.</li>}
      </ul>
      <Link
        to="/p/$projectKey/experiments/$testId/proposals"
        params={{ projectKey, testId: String(experiment.test_id) }}
        className="link"
      >
        Look at {open.length === 1 ? "the proposal" : "the proposals"}
      </Link>
    </Note>
  );
}
