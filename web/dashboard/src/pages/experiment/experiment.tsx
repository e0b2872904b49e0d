// One experiment: the header with its name, status and actions, and a tab for each of its pages.

import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useParams, useRouterState } from "@tanstack/react-router";
import { ApiFailure } from "~/api/failure";
import { useSession } from "~/api/session";
import { usePageTitle } from "~/lib/page";
import { STATUS } from "~/lib/words";
import { Absent } from "~/shell/fallbacks";
import { Dot, Pill } from "~/ui/badge";
import { Page, PageHeader, PartHeading } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { Tab, Tabs } from "~/ui/tabs";
import { ExperimentActs } from "~/experiment/acts/acts";
import { SaveProvider } from "./change-dialog";
import { ExperimentContext, experimentQuery, type OpenExperiment } from "~/experiment/open";
import { OpenProposals } from "./open-proposals";
import { proposalsQuery } from "~/experiment/proposal";
import { PROPOSALS_TAB, TABS } from "./tabs";
import { WatchButton } from "./watch";

export function ExperimentLayout() {
  const { projectKey, testId } = useParams({ from: "/app/p/$projectKey/experiments/$testId" });
  const read = useQuery(experimentQuery(projectKey, Number(testId)));
  usePageTitle(read.data?.data.experiment.test_name ?? "Experiment");
  if (isAbsent(read.error)) return <NoExperiment />;
  return (
    <Page>
      <Loaded query={read}>
        {({ data, etag }) => (
          <ExperimentContext value={{ projectKey, experiment: data.experiment, etag }}>
            <SaveProvider open={{ projectKey, experiment: data.experiment, etag }}>
              <Header projectKey={projectKey} experiment={data.experiment} etag={etag} />
              <TabHeading />
              <OpenProposals />
              <Outlet />
            </SaveProvider>
          </ExperimentContext>
        )}
      </Loaded>
    </Page>
  );
}

/** The id is not valid, or no experiment has it. */
function isAbsent(error: unknown): boolean {
  return error instanceof ApiFailure && (error.status === 404 || error.code === "invalid_parameter");
}

function NoExperiment() {
  return (
    <Absent title="There is no such experiment">
      It was deleted, or the address is wrong.{" "}
      <Link to="/experiments" className="link">
        Go to the experiments
      </Link>
      .
    </Absent>
  );
}

/** Parts that are not in `TABS`. */
const OTHERS: Record<string, string> = { conclude: "Conclusion", proposals: PROPOSALS_TAB.name };

/** Heading of the open tab. The summary uses the heading of the experiment, and the setup uses those of its steps. */
function TabHeading() {
  const part = useRouterState({ select: ({ location }) => location.pathname.split("/experiments/")[1]?.split("/")[1] });
  if (part === undefined || part === "setup") return null;
  const tab = TABS.find(({ to }) => to.endsWith(`/${part}`));
  return <PartHeading>{tab?.name ?? OTHERS[part] ?? part}</PartHeading>;
}

function Header({ projectKey, experiment }: OpenExperiment) {
  const { projects } = useSession();
  const project = projects.find((one) => one.project_key === projectKey);
  const params = { projectKey, testId: String(experiment.test_id) };
  const proposals = useQuery(proposalsQuery(projectKey, experiment.test_id));
  // The tab is hidden in most projects, which do not require a second person.
  const tabs = proposals.data?.proposals.length ? [...TABS, PROPOSALS_TAB] : TABS;
  return (
    <>
      <PageHeader
        title={experiment.test_name}
        actions={
          <>
            <WatchButton />
            <ExperimentActs />
          </>
        }
        above={
          <>
            <Link to="/experiments" className="link">
              Experiments
            </Link>{" "}
            in {project?.name ?? projectKey}
          </>
        }
        about={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Dot word={STATUS[experiment.status]} hollow={experiment.status !== 1} />
            {experiment.is_completed === 1 && <span>Concluded</span>}
            {experiment.is_deploy === 1 && <span>Its winner is served</span>}
            {experiment.archived && <span>In the archive</span>}
            {experiment.tags.length > 0 && (
              <span className="flex flex-wrap gap-1">
                {experiment.tags.map((tag) => (
                  <Pill key={tag}>{tag}</Pill>
                ))}
              </span>
            )}
          </span>
        }
      />
      <Tabs label="Experiment">
        {tabs.map(({ name, to }) => (
          <Tab
            key={name}
            to={to as "/"}
            params={params as never}
            activeOptions={{ exact: to === TABS[0].to }}
            activeProps={{ "aria-current": "page" }}
          >
            {name}
          </Tab>
        ))}
      </Tabs>
    </>
  );
}
