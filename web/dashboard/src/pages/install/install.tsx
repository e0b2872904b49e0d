// Installation of the script on the pages of a project, and its state. The page checks repeatedly until the script is
// there.

import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { query } from "~/api/query";
import { usePageTitle } from "~/lib/page";
import { Page, PageHeader } from "~/ui/layout";
import { Lines, Loaded } from "~/ui/loaded";
import { Developers } from "./developers";
import { CheckCard, PolicyCard, SnippetCard } from "./guide";
import { PagesCard, StatusCard } from "./status";
import { stateOf } from "./state";

const LOOK_AGAIN_MS = 4_000;
const LOOK_AGAIN_WORKING_MS = 30_000;

export function InstallPage() {
  usePageTitle("Install");
  const { projectKey } = useParams({ from: "/app/p/$projectKey/install" });
  const install = useQuery({
    ...query("/v2/project/{project_key}/install", { path: { project_key: projectKey } }),
    refetchInterval: ({ state }) =>
      state.data && stateOf(state.data) === "works" ? LOOK_AGAIN_WORKING_MS : LOOK_AGAIN_MS,
  });
  return (
    <Page width="form">
      <PageHeader
        title="Install"
        about="One script on the pages of your site shows your experiments and reports what visitors do."
      />
      <Loaded query={install} skeleton={<Lines count={12} />}>
        {(data) => (
          <>
            <StatusCard install={data} />
            <SnippetCard install={data} />
            <PagesCard pages={data.pages} />
            <CheckCard projectKey={projectKey} example={data.pages[0]?.url} />
            <PolicyCard install={data} />
          </>
        )}
      </Loaded>
      <Developers projectKey={projectKey} />
    </Page>
  );
}
