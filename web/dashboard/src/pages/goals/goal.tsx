// One goal: its fields, its activity, and the experiments that report it.

import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { ApiFailure } from "~/api/failure";
import { outdate, type Schemas, send, type Tagged, taggedQuery } from "~/api/query";
import { may, useSession } from "~/api/session";
import { moment } from "~/lib/format";
import { FormView, useForm } from "~/ui/form/form";
import { GOAL_TYPE } from "~/lib/goal-types";
import { FormGuard } from "~/ui/form/guard";
import { usePageTitle } from "~/lib/page";
import { Button } from "~/ui/button";
import { ConfirmDialog } from "~/ui/dialog";
import { Card, Facts, Page, PageHeader } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { toast } from "~/ui/toast";
import { HistorySection } from "~/experiment/history/history-section";
import { ACTIVITY, ActivityCard, activityQuery, UsedByCard } from "./goal-activity";
import { bodyOf, GOAL_LABELS, GoalFields, valuesOf } from "~/experiment/goal-form";
import { TryOut } from "./try-out";

type Goal = Schemas["Goal"];

const ONE = "/v2/project/{project_key}/goal/{goal_profile_id}" as const;

export function GoalPage() {
  const { projectKey, goalId } = useParams({ from: "/app/p/$projectKey/goals/$goalId" });
  const path = { project_key: projectKey, goal_profile_id: Number(goalId) };
  const read = useQuery(taggedQuery(ONE, { path }));
  usePageTitle(read.data?.data.goal.goal_name ?? "Goal");
  return (
    <Page>
      <Loaded query={read}>{(tagged) => <Opened projectKey={projectKey} tagged={tagged} />}</Loaded>
    </Page>
  );
}

interface OpenedProps {
  projectKey: string;
  tagged: Tagged<Schemas["GoalAnswer"]>;
}

function Opened({ projectKey, tagged: { data, etag } }: OpenedProps) {
  const { goal } = data;
  const id = goal.goal_profile_id;
  const canWrite = may(useSession(), projectKey, "write");
  const form = useGoalForm(projectKey, goal, etag);
  const cache = useQueryClient();
  const { revision } = useSearch({ from: "/app/p/$projectKey/goals/$goalId" });
  const { goal_type, goal_value, element_url } = form.values;
  return (
    <>
      <PageHeader
        title={goal.goal_name}
        above={
          <Link to="/p/$projectKey/goals" params={{ projectKey }} className="link">
            Goals
          </Link>
        }
        about={`Counts when ${GOAL_TYPE[goal.goal_type].about}.`}
        actions={canWrite && <DeleteButton projectKey={projectKey} goal={goal} etag={etag} />}
      />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="flex min-w-0 flex-col gap-5">
          <Card>
            <FormView
              form={form}
              act="Save goal"
              labels={GOAL_LABELS}
              locked={canWrite ? undefined : "Your role in this project can view everything, but change nothing."}
            >
              <GoalFields form={form} />
              <FormGuard form={form} />
            </FormView>
          </Card>
          <HistorySection
            subject={{ kind: "goal", projectKey, id }}
            chosen={revision}
            etag={etag}
            canRestore={canWrite}
            onRestored={() => outdateGoal(cache)}
          />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <ActivityCard projectKey={projectKey} goalId={id} />
          <UsedByCard projectKey={projectKey} goalId={id} />
          <TryOut
            projectKey={projectKey}
            type={goal_type}
            value={goal_value}
            elementUrl={element_url}
            savedId={"goal_type" in form.changes || "goal_value" in form.changes ? undefined : id}
          />
          <Card title="About">
            <Facts
              facts={[
                [
                  "Key",
                  <code key="key" className="font-mono text-sm break-all">
                    {goal.goal_key}
                  </code>,
                ],
                ["Created", moment(goal.created_at)],
              ]}
            />
          </Card>
        </div>
      </div>
    </>
  );
}

function outdateGoal(cache: QueryClient): Promise<void> {
  return outdate(cache, ONE, `${ONE}/history`, ACTIVITY, "/v2/project/{project_key}/goals");
}

function useGoalForm(projectKey: string, goal: Goal, etag: string | undefined) {
  const cache = useQueryClient();
  const path = { project_key: projectKey, goal_profile_id: goal.goal_profile_id };
  return useForm({
    name: `goal/${goal.goal_profile_id}`,
    stored: valuesOf(goal),
    submit: async (values, changes) => {
      try {
        await send("patch", ONE, { params: { path }, body: bodyOf(changes, values), ifMatch: etag });
        toast("The goal was saved. Results count it by its new settings, also for the past.");
      } catch (thrown) {
        // After a conflict, the form shows both values.
        if (thrown instanceof ApiFailure && thrown.status === 412) await outdateGoal(cache);
        throw thrown;
      }
      await outdateGoal(cache);
    },
  });
}

function DeleteButton({ projectKey, goal, etag }: { projectKey: string; goal: Goal; etag: string | undefined }) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const { data: activity } = useQuery(activityQuery(projectKey, goal.goal_profile_id));
  const remove = async () => {
    const params = { path: { project_key: projectKey, goal_profile_id: goal.goal_profile_id } };
    try {
      await send("delete", ONE, { params, ifMatch: etag });
    } catch (thrown) {
      if (thrown instanceof ApiFailure && thrown.status === 412) await outdateGoal(cache);
      throw thrown;
    }
    toast(`${goal.goal_name} was deleted.`);
    await navigate({ to: "/p/$projectKey/goals", params: { projectKey }, ignoreBlocker: true });
    cache.removeQueries({ queryKey: [ONE] });
    await outdate(cache, "/v2/project/{project_key}/goals");
  };
  const live = activity?.tests.filter(({ status }) => status === 1) ?? [];
  return (
    <>
      <Button onClick={() => setOpen(true)}>Delete goal</Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`Delete ${goal.goal_name}?`}
        act="Delete goal"
        onConfirm={remove}
      >
        <p>
          Experiments no longer report it. Its key <code className="font-mono text-sm break-all">{goal.goal_key}</code>{" "}
          can never be used again.
        </p>
        {live.length > 0 && (
          <p>
            A goal of a live experiment cannot be deleted. Stop these first, or remove the goal from them:{" "}
            {live.map(({ test_name }) => test_name).join(", ")}.
          </p>
        )}
      </ConfirmDialog>
    </>
  );
}
