// Recent matches of a goal, to check that it is measured before an experiment depends on it.

import { useQuery } from "@tanstack/react-query";
import { query } from "~/api/query";
import { ago, count } from "~/lib/format";
import { Icon } from "~/ui/icon";

const DAYS = 7;

export function GoalActivity({ projectKey, goalId }: { projectKey: string; goalId: number }) {
  const activity = useQuery({
    ...query("/v2/project/{project_key}/goal/{goal_profile_id}/activity", {
      path: { project_key: projectKey, goal_profile_id: goalId },
      query: { days: DAYS },
    }),
    staleTime: 60_000,
  });
  if (activity.isPending) return <p className="skeleton my-1 h-3.5 w-48" />;
  if (activity.isError) return <p className="text-sm text-soft">Recent events of this goal could not be loaded.</p>;
  const { days, last_seen } = activity.data;
  if (last_seen === null) {
    return (
      <p className="flex items-start gap-1.5 text-sm text-caution">
        <Icon name="warning" className="mt-0.5 size-4" />
        Not seen in the last {DAYS} days
      </p>
    );
  }
  const matches = days.reduce((total, day) => total + day.matches, 0);
  return (
    <p className="flex items-start gap-1.5 text-sm text-good">
      <Icon name="check" className="mt-0.5 size-4" />
      Seen {count(matches, "time")} in the last {DAYS} days, last {ago(last_seen)}
    </p>
  );
}
