// Creates a goal.

import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { outdate, type Schemas, send } from "~/api/query";
import { may, useSession } from "~/api/session";
import { FormText } from "~/ui/form/fields";
import { FormView, useForm } from "~/ui/form/form";
import { FormGuard } from "~/ui/form/guard";
import { useIdempotencyKey } from "~/lib/idempotency";
import { usePageTitle } from "~/lib/page";
import { Card, Page, PageHeader } from "~/ui/layout";
import { toast } from "~/ui/toast";
import { bodyOf, GOAL_LABELS, GoalFields, type GoalValues, NO_GOAL } from "~/experiment/goal-form";
import { TryOut } from "./try-out";

export function NewGoalPage() {
  usePageTitle("New goal");
  const { projectKey } = useParams({ from: "/app/p/$projectKey/goals/new" });
  const cache = useQueryClient();
  const navigate = useNavigate();
  const canWrite = may(useSession(), projectKey, "write");
  const keyOf = useIdempotencyKey();
  const form = useForm<GoalValues & { goal_key: string }>({
    name: `goal/new/${projectKey}`,
    stored: { ...NO_GOAL, goal_key: "" },
    submit: async (values) => {
      const { goal_key, ...goal } = values;
      const body = { ...bodyOf(goal, goal), ...(goal_key.trim() !== "" && { goal_key: goal_key.trim() }) };
      const { data } = await send("post", "/v2/project/{project_key}/goal", {
        params: { path: { project_key: projectKey } },
        body: body as Schemas["GoalBody"],
        idempotencyKey: keyOf(JSON.stringify(body)),
      });
      await outdate(cache, "/v2/project/{project_key}/goals");
      toast(`${values.goal_name} was created.`);
      await navigate({
        to: "/p/$projectKey/goals/$goalId",
        params: { projectKey, goalId: String(data.goal_profile_id) },
        ignoreBlocker: true,
      });
    },
  });
  const { goal_type, goal_value, element_url } = form.values;
  return (
    <Page>
      <PageHeader
        title="New goal"
        above={
          <Link to="/p/$projectKey/goals" params={{ projectKey }} className="link">
            Goals
          </Link>
        }
        about="Goals are matched with recorded events: a goal that you create now also counts events of last week, if they were recorded."
      />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_24rem]">
        <Card>
          <FormView
            form={form}
            act="Create goal"
            labels={{ ...GOAL_LABELS, goal_key: "Key" }}
            isAlwaysReady
            locked={canWrite ? undefined : "Your role in this project can view everything, but change nothing."}
          >
            <GoalFields form={form as never} />
            <FormText
              form={form}
              name="goal_key"
              label="Key"
              aside="optional"
              hint="Identifies the goal in code and files, and cannot be changed. If empty, it is derived from the name."
              maxLength={64}
              autoComplete="off"
              spellCheck={false}
              controlClassName="font-mono text-sm"
              className="max-w-90"
            />
            <FormGuard form={form} />
          </FormView>
        </Card>
        {canWrite && (
          <TryOut
            projectKey={projectKey}
            type={goal_type}
            value={goal_value}
            elementUrl={element_url}
            savedId={undefined}
          />
        )}
      </div>
    </Page>
  );
}
