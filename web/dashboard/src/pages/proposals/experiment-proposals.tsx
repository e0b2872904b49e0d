// Proposals of one experiment.

import { useQuery } from "@tanstack/react-query";
import { Card, Empty } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { useExperiment } from "~/experiment/open";
import { proposalsQuery } from "~/experiment/proposal";
import { ProposalCard } from "./proposal-card";

export function ExperimentProposalsPage() {
  const { projectKey, experiment } = useExperiment();
  const proposals = useQuery(proposalsQuery(projectKey, experiment.test_id));
  return (
    <Card flush>
      <Loaded query={proposals}>
        {({ proposals }) =>
          proposals.length > 0 ? (
            proposals.map((proposal) => (
              <ProposalCard key={proposal.proposal_id} projectKey={projectKey} proposal={proposal} />
            ))
          ) : (
            <Empty icon="approve" title="No proposals">
              If a second person has to approve changes of this experiment, they are proposed, and wait here for a
              decision.
            </Empty>
          )
        }
      </Loaded>
    </Card>
  );
}
