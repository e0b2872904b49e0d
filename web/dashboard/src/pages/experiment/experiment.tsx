// One experiment: the header with what it is and what can be done, and a tab for each of its pages.

import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useParams } from "@tanstack/react-router";
import { useSession } from "~/api/session";
import { usePageTitle } from "~/lib/page";
import { STATUS } from "~/lib/words";
import { Dot, Pill } from "~/ui/badge";
import { Page, PageHeader } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { Tab, Tabs } from "~/ui/tabs";
import { ExperimentContext, experimentQuery, type OpenExperiment } from "./open";
import { TABS } from "./tabs";

export function ExperimentLayout() {
  const { projectKey, testId } = useParams({ from: "/app/p/$projectKey/experiments/$testId" });
  const read = useQuery(experimentQuery(projectKey, Number(testId)));
  usePageTitle(read.data?.data.experiment.test_name ?? "Experiment");
  return (
    <Page>
      <Loaded query={read}>
        {({ data, etag }) => (
          <ExperimentContext value={{ projectKey, experiment: data.experiment, etag }}>
            <Header projectKey={projectKey} experiment={data.experiment} etag={etag} />
            <Outlet />
          </ExperimentContext>
        )}
      </Loaded>
    </Page>
  );
}

function Header({ projectKey, experiment }: OpenExperiment) {
  const { projects } = useSession();
  const project = projects.find((one) => one.project_key === projectKey);
  const params = { projectKey, testId: String(experiment.test_id) };
  return (
    <>
      <PageHeader
        title={experiment.test_name}
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
        {TABS.map(({ name, to }) => (
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
