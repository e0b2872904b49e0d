// Holdouts, next to the sum. They measure the joint effect that the sum can only estimate by addition.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { query, type Schemas } from "~/api/query";
import { may, useSession } from "~/api/session";
import { percentage } from "~/lib/format";
import { liftEnds } from "~/lib/lift-ends";
import { useProject } from "~/shell/project";
import { lift, liftRange } from "./numbers";

type Holdout = Schemas["ProgrammeHoldout"];

/** Maximum number of holdouts whose results are read. The others are linked. */
const READ_MAX = 3;

export function Holdouts({ holdouts }: { holdouts: Holdout[] }) {
  return (
    <section className="flex flex-col gap-2 border-t border-line px-4 py-4 md:px-5">
      <h3 className="font-semibold">Measured instead of added up</h3>
      {holdouts.length > 0 ? (
        <>
          <p className="max-w-160 text-soft">
            A holdout keeps some visitors out of experiments. The difference between these and all other visitors is the
            joint effect of the experiments: the only number here that needs no assumptions.
          </p>
          <ul className="flex flex-col gap-1.5">
            {holdouts.map((holdout, at) => (
              <HoldoutLine
                key={`${holdout.project_key}/${holdout.group_id}`}
                holdout={holdout}
                isRead={at < READ_MAX}
              />
            ))}
          </ul>
        </>
      ) : (
        <None />
      )}
    </section>
  );
}

function None() {
  const session = useSession();
  const project = useProject();
  return (
    <p className="max-w-160 text-soft">
      There is no holdout. A holdout keeps some visitors out of all experiments, and so measures the joint effect of the
      experiments: the only number that needs no assumptions. It has to begin before the experiments that it measures.{" "}
      {project && may(session, project.project_key, "write") && (
        <Link
          to="/p/$projectKey/groups/new"
          params={{ projectKey: project.project_key }}
          search={{ kind: "holdout" }}
          className="link"
        >
          Create one for {project.name}
        </Link>
      )}
    </p>
  );
}

function HoldoutLine({ holdout, isRead }: { holdout: Holdout; isRead: boolean }) {
  const { project_key: projectKey, group_id: id, name } = holdout;
  const { projects } = useSession();
  const project = projects.find((one) => one.project_key === projectKey)?.name;
  return (
    <li className="min-w-0 break-words">
      <Link
        to="/p/$projectKey/groups/$groupId"
        params={{ projectKey, groupId: String(id) }}
        className="link font-medium"
      >
        {name}
      </Link>{" "}
      <span className="text-soft">
        keeps {percentage(holdout.percent)} of visitors out
        {projects.length > 1 && project !== undefined && <>, in {project}</>}
        {isRead ? ":" : "."}
      </span>{" "}
      {isRead && <Measured projectKey={projectKey} id={id} />}
    </li>
  );
}

/** Result of a holdout on the goal of most experiments, with the server's numbers. */
function Measured({ projectKey, id }: { projectKey: string; id: number }) {
  const path = { project_key: projectKey, group_id: id };
  const result = useQuery(query("/v2/project/{project_key}/exclusion-group/{group_id}/result", { path }));
  if (result.data === undefined) {
    return <span className="text-soft">{result.isError ? "its result could not be read." : "…"}</span>;
  }
  const { variants, primary_goal: goal } = result.data;
  const analysis = variants[1]?.analysis;
  if (analysis == null || analysis.lift === null) return <span>no result yet.</span>;
  return (
    <span className="num">
      <span className="font-semibold">{lift(analysis.lift)}</span>
      {analysis.lift_interval != null && (
        <span className="text-soft">
          {" "}
          ({liftRange(liftEnds(analysis.lift_interval as number[]) ?? null) ?? "no bound yet"})
        </span>
      )}
      {goal != null && <span className="text-soft"> on {goal.goal_name}</span>}
    </span>
  );
}
