// Exclusion group and holdouts of the experiment.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { percentage } from "~/lib/format";
import { GROUP_KIND } from "~/lib/words";
import { Card } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { useExperiment } from "~/experiment/open";
import { concerns, type Group, groupsQuery } from "~/experiment/exclusion-groups";

export function PlacesCard() {
  const { projectKey, experiment } = useExperiment();
  const groups = useQuery(groupsQuery(projectKey));
  return (
    <Card
      title="Shared with other experiments"
      about="An exclusion group keeps experiments apart: no visitor meets two of them. A holdout keeps some visitors out of experiments."
    >
      <Loaded query={groups}>
        {({ exclusion_groups: all }) => {
          const own = all.filter((group) => concerns(group, experiment.test_id));
          if (own.length === 0) return <p className="text-soft">It is in no group, so all visitors can enter it.</p>;
          return (
            <ul className="flex flex-col gap-2.5">
              {own.map((group) => (
                <li key={group.group_id}>
                  <Place group={group} projectKey={projectKey} testId={experiment.test_id} />
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
      <p className="mt-4">
        <Link to="/p/$projectKey/groups" params={{ projectKey }} className="link">
          All groups and holdouts
        </Link>
      </p>
    </Card>
  );
}

function Place({ group, projectKey, testId }: { group: Group; projectKey: string; testId: number }) {
  const slot = group.members.find(({ test_id: id }) => id === testId);
  return (
    <>
      <Link
        to="/p/$projectKey/groups/$groupId"
        params={{ projectKey, groupId: String(group.group_id) }}
        className="link font-medium break-words"
      >
        {group.name}
      </Link>{" "}
      <span className="text-soft">{GROUP_KIND[group.kind].text}</span>
      <p>
        {slot
          ? `${percentage(slot.percent)} of all visitors can enter it: the group range from ${percentage(slot.from / 10_000)} to ${percentage(slot.to / 10_000)}.`
          : `${percentage(group.percent)} of all visitors are kept out of it and ${group.scope === "project" ? "of every other experiment of the project" : "of the other experiments of the holdout"}.`}
      </p>
    </>
  );
}
