// Links to holdouts of the experiment. A holdout measures the joint effect of several experiments, so its result is on
// its own page.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { percentage } from "~/lib/format";
import { Note } from "~/ui/layout";
import { concerns, groupsQuery } from "~/experiment/exclusion-groups";

export function HoldoutLinks({ projectKey, testId }: { projectKey: string; testId: number }) {
  const groups = useQuery(groupsQuery(projectKey));
  const holdouts = groups.data?.exclusion_groups.filter((one) => one.kind === "holdout" && concerns(one, testId)) ?? [];
  return holdouts.map(({ group_id: id, name, percent }) => (
    <Note key={id}>
      The holdout{" "}
      <Link to="/p/$projectKey/groups/$groupId" params={{ projectKey, groupId: String(id) }} className="link">
        {name}
      </Link>{" "}
      keeps {percentage(percent)} of visitors out of this experiment and others. Its page shows their joint effect.
    </Note>
  ));
}
