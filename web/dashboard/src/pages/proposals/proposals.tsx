// Proposals of a project: those that wait for a decision, and those that were decided.

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { read } from "~/api/query";
import { may, useSession } from "~/api/session";
import { usePageTitle } from "~/lib/page";
import { Button } from "~/ui/button";
import { Card, Empty, Page, PageHeader } from "~/ui/layout";
import { ErrorPanel, Lines } from "~/ui/loaded";
import { BY_SEARCH, Tab, Tabs } from "~/ui/tabs";
import { experimentQuery } from "~/experiment/open";
import { ProposalCard } from "./proposal-card";

const FROM = "/app/p/$projectKey/proposals";
const PROPOSALS = "/v2/project/{project_key}/proposals";

export function ProposalsPage() {
  const { projectKey } = useParams({ from: FROM });
  const { state } = useSearch({ from: FROM });
  usePageTitle("Proposals");
  return (
    <Page>
      <PageHeader title="Proposals" about="Changes that need a second person. Nobody decides on their own proposal." />
      <Tabs label="Proposals">
        {STATES.map(([name, search]) => (
          <Tab key={name} to="/p/$projectKey/proposals" params={{ projectKey }} search={search} {...BY_SEARCH}>
            {name}
          </Tab>
        ))}
      </Tabs>
      <ProposalList key={state} projectKey={projectKey} isAll={state === "all"} />
    </Page>
  );
}

const STATES = [
  ["Open", {}],
  ["All", { state: "all" as const }],
] as const;

function ProposalList({ projectKey, isAll }: { projectKey: string; isAll: boolean }) {
  const path = { project_key: projectKey };
  const list = useInfiniteQuery({
    queryKey: [PROPOSALS, { path, isAll }, "pages"] as const,
    queryFn: ({ pageParam, signal }) =>
      read(PROPOSALS, { path, query: { ...(!isAll && { state: "open" }), ...pageParam } }, signal),
    initialPageParam: {} as { cursor?: string },
    getNextPageParam: ({ next_cursor }) => (next_cursor === null ? undefined : { cursor: next_cursor }),
  });
  const proposals = list.data?.pages.flatMap((page) => page.proposals) ?? [];
  return (
    <>
      {list.isError && <ErrorPanel error={list.error} retry={() => list.refetch()} isOutdated={proposals.length > 0} />}
      <Card flush>
        {list.isPending && <Lines count={6} />}
        {proposals.map((proposal) => (
          <ProposalCard
            key={proposal.proposal_id}
            projectKey={projectKey}
            proposal={proposal}
            experiment={<ExperimentLink projectKey={projectKey} testId={proposal.test_id} />}
          />
        ))}
        {list.isSuccess && proposals.length === 0 && <NoProposals projectKey={projectKey} isAll={isAll} />}
      </Card>
      {list.hasNextPage && (
        <div className="flex justify-center">
          <Button isBusy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}

/** Link to an experiment. Its name is read separately, because proposals contain only the id. */
function ExperimentLink({ projectKey, testId }: { projectKey: string; testId: number }) {
  const { data } = useQuery({ ...experimentQuery(projectKey, testId), staleTime: 60_000, retry: false });
  return (
    <p className="break-words">
      <Link
        to="/p/$projectKey/experiments/$testId/proposals"
        params={{ projectKey, testId: String(testId) }}
        className="link"
      >
        {data?.data.experiment.test_name ?? `Experiment ${testId}`}
      </Link>
    </p>
  );
}

function NoProposals({ projectKey, isAll }: { projectKey: string; isAll: boolean }) {
  const isAdmin = may(useSession(), projectKey, "admin");
  return (
    <Empty icon="approve" title={isAll ? "No proposals" : "Nothing waits for a decision"}>
      A project can require that a second person approves changes of code and of live experiments. Such changes are
      proposed, and wait here.{" "}
      {isAdmin && (
        <Link to="/settings/projects/$projectKey" params={{ projectKey }} className="link">
          Settings of the project
        </Link>
      )}
    </Empty>
  );
}
