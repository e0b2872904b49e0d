// Small cards of the summary: hypothesis, goals, integrations, and the experiment's own data.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { query, type Schemas } from "~/api/query";
import { may, useSession } from "~/api/session";
import { ago, count, moment, percentage } from "~/lib/format";
import { TEST_TYPE } from "~/lib/words";
import { Actor } from "~/ui/actor";
import { Card, Facts } from "~/ui/layout";
import { OutsideLink } from "~/ui/outside-link";
import { useExperiment } from "~/experiment/open";
import { standingQuery } from "~/experiment/standing";

export function HypothesisCard() {
  const { projectKey, experiment } = useExperiment();
  const { hypothesis, hypothesis_id } = experiment;
  if (hypothesis_id === null) return null;
  const texts: [string, string | null | undefined][] = [
    ["We saw", hypothesis?.observation],
    ["The problem", hypothesis?.problem],
    ["So we change", hypothesis?.solution],
  ];
  const said = texts.filter(([, text]) => text);
  return (
    <Card
      title="Hypothesis"
      actions={
        <Link
          to={"/p/$projectKey/hypotheses/$hypothesisId" as "/"}
          params={{ projectKey, hypothesisId: String(hypothesis_id) } as never}
          className="link"
        >
          Open hypothesis
        </Link>
      }
    >
      {said.length > 0 ? (
        <dl className="flex flex-col gap-2.5">
          {said.map(([name, text]) => (
            <div key={name}>
              <dt className="text-sm text-soft">{name}</dt>
              <dd className="max-w-150 break-words whitespace-pre-wrap">{text}</dd>
            </div>
          ))}
        </dl>
      ) : (
        <p className="text-soft">Hypothesis {hypothesis_id} has no text.</p>
      )}
    </Card>
  );
}

export function GoalsCard() {
  const { projectKey, experiment } = useExperiment();
  const { primary_goal: goal, secondary_goal_keys, plan } = experiment;
  const goals = useQuery({
    ...query("/v2/project/{project_key}/goals", { path: { project_key: projectKey }, query: { limit: 500 } }),
    enabled: secondary_goal_keys.length > 0,
  });
  const nameOf = (key: string) => goals.data?.goals.find(({ goal_key }) => goal_key === key)?.goal_name ?? key;
  return (
    <Card title="Goals">
      <Facts
        facts={[
          ["Primary", goal ? <GoalLink key="goal" goal={goal} /> : "None, so there is no verdict"],
          ...(secondary_goal_keys.length > 0
            ? [["Secondary", secondary_goal_keys.map(nameOf).join(", ")] as Fact]
            : []),
          ["Worth acting on", <>a lift of {percentage(plan.mde)}</>],
          ["Planned", plan.visitors ? count(plan.visitors, "visitor") : "no number of visitors"],
        ]}
      />
    </Card>
  );
}

function GoalLink({ goal }: { goal: Schemas["Goal"] }) {
  const { projectKey } = useExperiment();
  return (
    <Link
      to={"/p/$projectKey/goals/$goalId" as "/"}
      params={{ projectKey, goalId: String(goal.goal_profile_id) } as never}
      className="link"
    >
      {goal.goal_name}
    </Link>
  );
}

type Fact = [name: ReactNode, value: ReactNode];

export function AboutCard() {
  const { projectKey, experiment } = useExperiment();
  const standing = useQuery(standingQuery(projectKey, experiment.test_id)).data;
  const params = { projectKey, testId: String(experiment.test_id) };
  return (
    <Card title="About">
      <Facts
        facts={[
          ["Page", <OutsideLink key="page" url={experiment.url} />],
          ...(standing ? [["Owner", <Actor key="owner" actor={standing.owner} />] as Fact] : []),
          ["Kind", TEST_TYPE[experiment.test_type].text],
          [
            "Key",
            <code key="key" className="font-mono text-sm break-words">
              {experiment.experiment_key}
            </code>,
          ],
          ["Id", `#${experiment.test_id}`],
          ["Created", moment(experiment.created_at)],
          [
            "Last change",
            <span key="change">
              {moment(experiment.updated_at)}
              {standing && (
                <>
                  {" "}
                  by <Actor actor={standing.last_change.actor} />
                </>
              )}
            </span>,
          ],
        ]}
      />
      <p className="mt-3 flex flex-wrap gap-x-4 gap-y-1">
        <Link to="/p/$projectKey/experiments/$testId/history" params={params} className="link">
          All changes
        </Link>
        <AuditLink />
      </p>
    </Card>
  );
}

function AuditLink() {
  const { projectKey, experiment } = useExperiment();
  if (!may(useSession(), projectKey, "admin")) return null;
  return (
    <Link to="/settings/audit" search={{ object: `experiment:${experiment.test_id}` }} className="link">
      Audit log
    </Link>
  );
}

export function IntegrationsCard() {
  const { integrations } = useExperiment().experiment;
  if (integrations.length === 0) return null;
  return (
    <Card title="Integrations" about="Tools that receive the variants of visitors.">
      <Facts
        facts={integrations.map(({ name, last_success_at }) => [
          name,
          last_success_at ? (
            <span key={name} title={moment(last_success_at)}>
              Last sent {ago(last_success_at)}
            </span>
          ) : (
            <span key={name} className="text-soft">
              Not sent yet
            </span>
          ),
        ])}
      />
    </Card>
  );
}
