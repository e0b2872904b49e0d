// Exclusion groups and holdouts of a project.

import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { may, useSession } from "~/api/session";
import { count, percentage } from "~/lib/format";
import { usePageTitle } from "~/lib/page";
import { missing, together } from "~/lib/shares";
import { GROUP_KIND } from "~/lib/words";
import { Badge } from "~/ui/badge";
import { ButtonLink } from "~/ui/button";
import { Card, Empty, Page, PageHeader } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { useExperiments } from "./named-experiments";
import { GroupLine } from "./line";
import { type Group, groupsQuery, namedIn } from "~/experiment/exclusion-groups";

export function GroupsPage() {
  const { projectKey } = useParams({ from: "/app/p/$projectKey/groups" });
  usePageTitle("Groups and holdouts");
  const groups = useQuery(groupsQuery(projectKey));
  const mayWrite = may(useSession(), projectKey, "write");
  const isEmpty = groups.data?.exclusion_groups.length === 0;
  return (
    <Page>
      <PageHeader
        title="Groups and holdouts"
        about="An exclusion group keeps experiments apart: no visitor meets two of them. A holdout keeps some visitors out of experiments, to measure the joint effect of these experiments."
        actions={mayWrite && !isEmpty && <NewGroupLink projectKey={projectKey} />}
      />
      <Loaded query={groups}>
        {({ exclusion_groups: all }) =>
          all.length > 0 ? (
            <GroupList projectKey={projectKey} groups={all} />
          ) : (
            <Card>
              <Empty icon="split" title="No groups yet" action={mayWrite && <NewGroupLink projectKey={projectKey} />}>
                Without one, a visitor can meet all experiments of the project at once. That is fine as long as they
                change different things.
              </Empty>
            </Card>
          )
        }
      </Loaded>
    </Page>
  );
}

function NewGroupLink({ projectKey }: { projectKey: string }) {
  return (
    <ButtonLink kind="primary" icon="plus" to="/p/$projectKey/groups/new" params={{ projectKey }}>
      New group
    </ButtonLink>
  );
}

function GroupList({ projectKey, groups }: { projectKey: string; groups: Group[] }) {
  const experiments = useExperiments(projectKey, groups.flatMap(namedIn));
  const nameOf = (testId: number) => experiments.get(testId)?.test_name ?? `Experiment ${testId}`;
  return (
    <Card flush>
      <ul aria-label="Groups and holdouts">
        {groups.map((group) => (
          <li
            key={group.group_id}
            className="grid gap-x-6 gap-y-2 border-b border-line px-4 py-3.5 last:border-0 md:grid-cols-[minmax(0,2fr)_minmax(0,3fr)] md:px-5"
          >
            <div className="min-w-0">
              <Link
                to="/p/$projectKey/groups/$groupId"
                params={{ projectKey, groupId: String(group.group_id) }}
                className="link font-medium break-words"
              >
                {group.name}
              </Link>{" "}
              <Badge>{GROUP_KIND[group.kind].text}</Badge>
              <p className="text-soft">{inWords(group)}</p>
            </div>
            <div className="min-w-0">
              <GroupLine group={group} nameOf={nameOf} />
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The share of visitors of a group, and its experiments. */
function inWords(group: Group): string {
  if (group.kind === "exclusion") {
    if (group.members.length === 0) return "No experiments yet";
    const percents = group.members.map(({ percent }) => percent);
    const free = missing(percents);
    return `${count(percents.length, "experiment")}, ${percentage(together(percents))} together${free > 0 ? `, ${percentage(free)} free` : ""}`;
  }
  const named = namedIn(group).length;
  return `${percentage(group.percent)} of the visitors, ${group.scope === "project" ? "all experiments of the project" : count(named, "experiment")}`;
}
