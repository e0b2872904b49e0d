// One experiment.

import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type Schemas, taggedQuery } from "~/api/query";
import { useSession } from "~/api/session";
import { moment } from "~/lib/format";
import { usePageTitle } from "~/lib/page";
import { STATUS } from "~/lib/words";
import { Dot, Pill } from "~/ui/badge";
import { Card, Facts, Page, PageHeader } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";

export function ExperimentPage() {
  const { projectKey, testId } = useParams({ from: "/app/p/$projectKey/experiments/$testId" });
  const experiment = useQuery(
    taggedQuery("/v2/project/{project_key}/experiment/{test_id}", {
      path: { project_key: projectKey, test_id: Number(testId) },
    }),
  );
  usePageTitle(experiment.data?.data.experiment.test_name ?? "Experiment");
  return (
    <Page>
      <Loaded query={experiment}>
        {({ data }) => <Details projectKey={projectKey} experiment={data.experiment} />}
      </Loaded>
    </Page>
  );
}

function Details({ projectKey, experiment }: { projectKey: string; experiment: Schemas["ExperimentDetails"] }) {
  const { projects } = useSession();
  const project = projects.find((one) => one.project_key === projectKey);
  return (
    <>
      <PageHeader
        title={experiment.test_name}
        above={
          <Link to="/experiments" className="link">
            Experiments
          </Link>
        }
      />
      <Card title="About">
        <Facts
          facts={[
            ["Status", <Dot key="status" word={STATUS[experiment.status]} hollow={experiment.status !== 1} />],
            ["Project", project?.name ?? projectKey],
            [
              "Page",
              <span key="page" className="break-all">
                {experiment.url}
              </span>,
            ],
            [
              "Key",
              <code key="key" className="font-mono text-sm">
                {experiment.experiment_key}
              </code>,
            ],
            ["Variants", 1 + experiment.variants.length],
            [
              "Tags",
              experiment.tags.length > 0 ? (
                <span key="tags" className="flex flex-wrap gap-1">
                  {experiment.tags.map((tag) => (
                    <Pill key={tag}>{tag}</Pill>
                  ))}
                </span>
              ) : (
                "None"
              ),
            ],
            ["Created", moment(experiment.created_at)],
            ["Last change", moment(experiment.updated_at)],
          ]}
        />
      </Card>
    </>
  );
}
