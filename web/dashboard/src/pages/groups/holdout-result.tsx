// Joint effect of all experiments of a holdout.

import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { query } from "~/api/query";
import { moment } from "~/lib/format";
import { Select } from "~/ui/field";
import { Card } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { HoldoutView } from "./holdout-view";
import type { Group } from "~/experiment/exclusion-groups";

export function HoldoutResultCard({ projectKey, group }: { projectKey: string; group: Group }) {
  const { goal } = useSearch({ from: "/app/p/$projectKey/groups/$groupId" });
  const path = { project_key: projectKey, group_id: group.group_id };
  const result = useQuery(
    query("/v2/project/{project_key}/exclusion-group/{group_id}/result", {
      path,
      ...(goal !== undefined && { query: { goal_key: goal } }),
    }),
  );
  return (
    <Card
      flush
      title="Joint effect of the experiments"
      about={`Visitors who are held out, compared with everybody else since ${moment(group.since)}. The result starts again when the percentage or the experiments change.`}
    >
      <div className="px-4 pb-4 md:px-5">
        <GoalSelect projectKey={projectKey} goal={goal} shown={result.data?.primary_goal?.goal_name} />
      </div>
      <Loaded query={result}>{(data) => <HoldoutView result={data} />}</Loaded>
    </Card>
  );
}

function GoalSelect({ projectKey, goal, shown }: { projectKey: string; goal?: string; shown?: string }) {
  const navigate = useNavigate({ from: "/p/$projectKey/groups/$groupId" });
  const goals = useQuery(
    query("/v2/project/{project_key}/goals", { path: { project_key: projectKey }, query: { limit: 500 } }),
  );
  return (
    <Select
      label="Goal"
      value={goal ?? ""}
      onChange={({ target }) =>
        navigate({ search: { goal: target.value || undefined }, replace: true, resetScroll: false })
      }
      className="max-w-90"
    >
      <option value="">
        {goal === undefined && shown !== undefined ? `${shown}, as in most experiments` : "As in most experiments"}
      </option>
      {goals.data?.goals.map(({ goal_key: key, goal_name: name }) => (
        <option key={key} value={key}>
          {name}
        </option>
      ))}
    </Select>
  );
}
