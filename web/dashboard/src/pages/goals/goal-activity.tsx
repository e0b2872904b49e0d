// Matches of a goal in the last days, and the experiments that report it.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { query, type Schemas } from "~/api/query";
import { ago, day as dayWords, integer, moment } from "~/lib/format";
import { STATUS } from "~/lib/words";
import { Badge, Dot } from "~/ui/badge";
import { DayBars } from "~/ui/day-bars";
import { Card } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";

export type GoalActivity = Schemas["GoalActivity"];
export const ACTIVITY = "/v2/project/{project_key}/goal/{goal_profile_id}/activity" as const;

export function activityQuery(projectKey: string, id: number) {
  return {
    ...query(ACTIVITY, { path: { project_key: projectKey, goal_profile_id: id } }),
    staleTime: 60_000,
  };
}

/** The days as a small picture. */
export function ActivityBars({ activity, size }: { activity: GoalActivity; size?: "small" | "large" }) {
  const days = activity.days.map((day) => ({ date: day.date, value: day.matches }));
  return <DayBars label="Matches by day, in UTC" days={days} size={size ?? "small"} />;
}

export function lastSeen(activity: GoalActivity): string {
  return activity.last_seen === null ? `Not in ${activity.days.length} days` : ago(activity.last_seen);
}

export function ActivityCard({ projectKey, goalId }: { projectKey: string; goalId: number }) {
  const activity = useQuery(activityQuery(projectKey, goalId));
  return (
    <Card title="Activity" about="How often any visitor matched the goal. Bots do not count.">
      <Loaded query={activity}>
        {(data) => (
          <div className="flex flex-col gap-2">
            <p>
              {data.last_seen === null ? (
                `It was not matched in the last ${data.days.length} days.`
              ) : (
                <>
                  Last matched {ago(data.last_seen)} <span className="text-soft">({moment(data.last_seen)})</span>
                </>
              )}
            </p>
            <ActivityBars activity={data} size="large" />
            <p className="flex justify-between gap-2 text-xs text-soft">
              <span>{dayWords(data.days[0]?.date, true)}</span>
              <span>today, UTC</span>
            </p>
            <details>
              <summary className="link w-fit">Numbers by day</summary>
              <DayTable days={data.days} />
            </details>
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function DayTable({ days }: { days: GoalActivity["days"] }) {
  return (
    <table className="mt-2 w-full border-collapse text-sm">
      <thead>
        <tr className="border-b border-line text-soft">
          <th scope="col" className="py-1 text-left font-medium">
            Day
          </th>
          <th scope="col" className="py-1 text-right font-medium">
            Matches
          </th>
          <th scope="col" className="py-1 text-right font-medium">
            Visitors
          </th>
        </tr>
      </thead>
      <tbody>
        {[...days].reverse().map((day) => (
          <tr key={day.date}>
            <th scope="row" className="py-0.5 text-left font-normal">
              {dayWords(day.date, true)}
            </th>
            <td className="num py-0.5 text-right">{integer(day.matches)}</td>
            <td className="num py-0.5 text-right">{integer(day.visitors)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function UsedByCard({ projectKey, goalId }: { projectKey: string; goalId: number }) {
  const activity = useQuery(activityQuery(projectKey, goalId));
  return (
    <Card title="Used by" flush>
      <div className="px-4 pb-4 md:px-5">
        <Loaded query={activity}>
          {({ tests }) =>
            tests.length > 0 ? (
              <ul className="flex flex-col gap-2">
                {tests.map((test) => (
                  <li key={test.test_id} className="flex items-start justify-between gap-2">
                    <span className="min-w-0">
                      <Link
                        to="/p/$projectKey/experiments/$testId"
                        params={{ projectKey, testId: String(test.test_id) }}
                        className="link break-words"
                      >
                        {test.test_name}
                      </Link>{" "}
                      {test.role === "primary" && <Badge tone="accent">Primary goal</Badge>}
                    </span>
                    <span className="text-sm">
                      <Dot word={STATUS[test.status]} hollow={test.status !== 1} />
                    </span>
                  </li>
                ))}
              </ul>
            ) : (
              <p className="text-soft">No experiment reports this goal yet. Choose it in the setup of an experiment.</p>
            )
          }
        </Loaded>
      </div>
    </Card>
  );
}
