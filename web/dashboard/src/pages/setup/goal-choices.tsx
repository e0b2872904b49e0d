// Choice of the goals that an experiment reports: the primary goal, and others in an order.

import type { Schemas } from "~/api/query";
import type { Form } from "~/ui/form/form";
import { countsOf } from "~/lib/goal-types";
import { Button, IconButton } from "~/ui/button";
import { FieldError, Select } from "~/ui/field";
import { Note } from "~/ui/layout";
import { useExperiment } from "~/experiment/open";
import { GoalActivity } from "./goal-activity";
import type { GoalFields } from "./setup-goals";

type Goal = Schemas["Goal"];

interface ChoiceProps {
  form: Form<GoalFields>;
  goals: Goal[];
  label: string;
  /** Creates a missing goal. */
  make: () => void;
}

export function PrimaryGoal({ form, goals, label, make }: ChoiceProps) {
  const key = form.values.primary_goal_key;
  const goal = goals.find(({ goal_key }) => goal_key === key);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-2">
        <Select
          label={label}
          name="primary_goal_key"
          value={key}
          onChange={({ target }) => form.set("primary_goal_key", target.value)}
          error={form.errorOf("primary_goal_key")}
          className="min-w-0 flex-1 basis-60"
        >
          <option value="">None yet</option>
          {key !== "" && goal === undefined && <option value={key}>{key}</option>}
          {goals.map(({ goal_key, goal_name }) => (
            <option key={goal_key} value={goal_key}>
              {goal_name}
            </option>
          ))}
        </Select>
        <Button icon="plus" onClick={make}>
          New goal
        </Button>
      </div>
      {goal ? (
        <AboutGoal goal={goal} />
      ) : (
        key === "" && (
          <Note tone="caution">
            Without a primary goal, no variant can win. Visitors are counted anyway, so you can choose one later.
          </Note>
        )
      )}
    </div>
  );
}

/** Describes what a goal counts, and whether it was seen. */
function AboutGoal({ goal }: { goal: Goal }) {
  const { projectKey } = useExperiment();
  return (
    <div>
      <p className="text-sm break-words text-soft">
        {countsOf(goal)}
        {goal.min_count > 1 && `, at least ${goal.min_count} times`}
        {goal.window_days !== null && `, within ${goal.window_days === 1 ? "a day" : `${goal.window_days} days`}`}
      </p>
      <GoalActivity projectKey={projectKey} goalId={goal.goal_profile_id} />
    </div>
  );
}

export function SecondaryGoals({ form, goals, label, make }: ChoiceProps) {
  const keys = form.values.secondary_goal_keys;
  const set = (next: string[]) => form.set("secondary_goal_keys", next);
  const left = goals.filter(({ goal_key }) => !keys.includes(goal_key) && goal_key !== form.values.primary_goal_key);
  const error = form.errorOf("secondary_goal_keys");
  return (
    <div className="flex flex-col gap-2.5">
      {keys.length > 0 && (
        <ol aria-label={label} className="flex flex-col divide-y divide-line rounded-md border border-line">
          {keys.map((key, at) => (
            <SecondaryGoal
              key={key}
              name={goals.find(({ goal_key }) => goal_key === key)?.goal_name ?? key}
              goal={goals.find(({ goal_key }) => goal_key === key)}
              isFirst={at === 0}
              isLast={at === keys.length - 1}
              move={(by) => set(moved(keys, at, by))}
              remove={() => set(keys.filter((one) => one !== key))}
            />
          ))}
        </ol>
      )}
      <div className="flex flex-wrap items-end gap-2">
        <Select
          label={keys.length > 0 ? "Add another goal" : label}
          name="secondary_goal_keys"
          value=""
          disabled={left.length === 0}
          onChange={({ target }) => target.value !== "" && set([...keys, target.value])}
          className="min-w-0 flex-1 basis-60"
        >
          <option value="">{left.length === 0 ? "The project has no further goals" : "Choose a goal"}</option>
          {left.map(({ goal_key, goal_name }) => (
            <option key={goal_key} value={goal_key}>
              {goal_name}
            </option>
          ))}
        </Select>
        <Button icon="plus" onClick={make}>
          New goal
        </Button>
      </div>
      {error && <FieldError>{error}</FieldError>}
    </div>
  );
}

function moved(keys: string[], at: number, by: number): string[] {
  const next = [...keys];
  next.splice(at + by, 0, ...next.splice(at, 1));
  return next;
}

function SecondaryGoal({
  name,
  goal,
  isFirst,
  isLast,
  move,
  remove,
}: {
  name: string;
  goal: Goal | undefined;
  isFirst: boolean;
  isLast: boolean;
  move: (by: number) => void;
  remove: () => void;
}) {
  return (
    <li className="flex items-start gap-2 px-3 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="font-medium break-words">{name}</p>
        {goal && <AboutGoal goal={goal} />}
      </div>
      <div className="flex shrink-0">
        <IconButton small icon="arrowUp" label={`Move ${name} up`} disabled={isFirst} onClick={() => move(-1)} />
        <IconButton small icon="arrowDown" label={`Move ${name} down`} disabled={isLast} onClick={() => move(1)} />
        <IconButton small icon="close" label={`Remove ${name}`} onClick={remove} />
      </div>
    </li>
  );
}
