// First steps of a new company, instead of an empty list.

import { useQuery } from "@tanstack/react-query";
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { query } from "~/api/query";
import { isAtLeast, may, useSession } from "~/api/session";
import { useProject } from "~/shell/project";
import { ButtonLink } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { Card, Empty } from "~/ui/layout";
import type { Item } from "./filters";

export function FirstSteps() {
  const session = useSession();
  const project = useProject();
  if (project === undefined) {
    const canMake = isAtLeast(session.role, "admin");
    return (
      <Empty
        icon="layers"
        title="No projects yet"
        action={canMake && <ButtonLink to="/settings/projects">Go to the projects</ButtonLink>}
      >
        {canMake
          ? "A project is a site or an app with its own experiments. Create one to begin."
          : "Ask an admin for access to a project."}
      </Empty>
    );
  }
  if (may(session, project.project_key, "write")) return <Steps projectKey={project.project_key} />;
  return (
    <Empty icon="flask" title="No experiments yet">
      An experiment shows visitors different versions of a page and measures which one does better.
    </Empty>
  );
}

/** Maximum number of experiments of a company that has just begun. */
const FEW = 5;

/**
 * Steps to the first result, above the first experiments. Shown until one of them has a verdict, or there are more than
 * `FEW`.
 */
export function GettingStarted({ items, total }: { items: readonly Item[]; total: number }) {
  const session = useSession();
  const project = useProject();
  const hasResult = items.some(
    ({ verdict, outcome }) => outcome !== null || (verdict !== null && verdict !== "keep_running"),
  );
  if (project === undefined || total > FEW || hasResult || !may(session, project.project_key, "write")) return null;
  return <Steps projectKey={project.project_key} items={items} />;
}

function Steps({ projectKey, items = [] }: { projectKey: string; items?: readonly Item[] }) {
  const path = { project_key: projectKey };
  const install = useQuery(query("/v2/project/{project_key}/install", { path }));
  const goals = useQuery(query("/v2/project/{project_key}/goals", { path }));
  const isInstalled = install.data?.last_event != null;
  const hasGoals = (goals.data?.goals.length ?? 0) > 0;
  const isNew = items.length === 0;
  const first = items.find(({ status }) => status === 1) ?? items[0];
  const hasStarted = items.some(({ status }) => status !== 9);
  const hasVisitors = items.some(({ visitors }) => (visitors ?? 0) > 0);
  return (
    <Card
      title={isNew ? "No experiments yet" : "On the way to the first result"}
      about={
        isNew
          ? "An experiment shows visitors different versions of a page and measures which one does better. Three steps lead to the first."
          : "These steps stay here until an experiment has a verdict."
      }
    >
      <ol className="flex flex-col gap-4">
        <Step
          at={1}
          name="Put the script on your pages"
          to="/p/$projectKey/install"
          {...{ projectKey }}
          isDone={isInstalled}
        >
          {isInstalled
            ? "The script is installed, and events arrive."
            : "Two lines in the head of each page. They serve all experiments."}
        </Step>
        <Step at={2} name="Define a goal" to="/p/$projectKey/goals" {...{ projectKey }} isDone={hasGoals}>
          A goal is an action of visitors that matters: to buy, sign up or click a button.
        </Step>
        <Step
          at={3}
          name="Create an experiment"
          to="/p/$projectKey/experiments/new"
          {...{ projectKey }}
          isDone={!isNew}
        >
          It is a draft until you start it. Visitors do not see drafts.
        </Step>
        {first && (
          <>
            <Step
              at={4}
              name="Start it"
              to={`/p/${first.project_key}/experiments/${first.test_id}/launch`}
              {...{ projectKey }}
              isDone={hasStarted}
            >
              The checklist under Launch says what to check first.
            </Step>
            <Step
              at={5}
              name="See the first visitor"
              to={`/p/${first.project_key}/experiments/${first.test_id}/results`}
              {...{ projectKey }}
              isDone={hasVisitors}
            >
              Visitors are counted within a minute. The live view shows your own visit.
            </Step>
            <Step
              at={6}
              name="Wait for the verdict"
              to={`/p/${first.project_key}/experiments/${first.test_id}`}
              {...{ projectKey }}
            >
              You can check it every day. The summary says what to do.
            </Step>
          </>
        )}
      </ol>
    </Card>
  );
}

interface StepProps {
  at: number;
  name: string;
  to: string;
  projectKey: string;
  isDone?: boolean;
  children: ReactNode;
}

function Step({ at, name, to, projectKey, isDone = false, children }: StepProps) {
  return (
    <li className="flex gap-3">
      <span
        aria-hidden="true"
        className={`num mt-px grid size-6 shrink-0 place-items-center rounded-full text-sm font-medium ${isDone ? "bg-good-wash text-good" : "bg-sunken text-soft"}`}
      >
        {isDone ? <Icon name="check" className="size-3.5" /> : at}
      </span>
      <div className="min-w-0">
        <Link to={to as LinkProps["to"]} params={{ projectKey } as never} className="link font-medium">
          {name}
        </Link>
        {isDone && <span className="text-sm text-good"> done</span>}
        <p className="text-soft">{children}</p>
      </div>
    </li>
  );
}
