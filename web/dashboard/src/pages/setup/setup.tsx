// Setup: a list of the steps next to the open one. In a draft, each shows whether it is done.

import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { names } from "~/lib/names";
import { Icon } from "~/ui/icon";
import { PartHeading } from "~/ui/layout";
import { useExperiment } from "~/experiment/open";
import { STEPS, type StepState, stepStates } from "./steps";

export function SetupLayout() {
  const { projectKey, experiment } = useExperiment();
  const states = experiment.status === 9 ? stepStates(experiment) : {};
  const path = useRouterState({ select: ({ location }) => location.pathname.replace(/\/$/, "") });
  const open = STEPS.findLastIndex(({ to }) => path.endsWith(to.slice(to.indexOf("/setup"))));
  return (
    <div className="grid gap-5 md:grid-cols-[11rem_minmax(0,1fr)]">
      <nav aria-label="Setup" className="max-md:overflow-x-auto">
        <ol className="flex gap-px md:sticky md:top-5 md:flex-col">
          {STEPS.map(({ name, to }, at) => (
            <li key={name}>
              <Link
                to={to as "/"}
                params={{ projectKey, testId: String(experiment.test_id) } as never}
                activeOptions={{ exact: to === STEPS[0].to }}
                activeProps={{ "aria-current": "page" }}
                className="relative flex items-center gap-2.5 rounded-md px-2 py-1.5 font-medium whitespace-nowrap text-ink no-underline pointer-coarse:py-2.5 hover:bg-sunken aria-[current=page]:bg-accent-wash aria-[current=page]:text-accent"
              >
                <Sign at={at} state={states[name]} />
                {name}
                {states[name] && <span className="sr-only"> ({states[name]})</span>}
              </Link>
            </li>
          ))}
        </ol>
      </nav>
      <div className="flex min-w-0 max-w-200 flex-col gap-5">
        <PartHeading>
          Step {open + 1} of {STEPS.length}: {STEPS[open]?.name}
        </PartHeading>
        <Outlet />
      </div>
    </div>
  );
}

/** Number of the step, or a tick. A step that is needed has a coloured border. */
function Sign({ at, state }: { at: number; state: StepState | undefined }) {
  return (
    <span
      aria-hidden="true"
      className={names(
        "num grid size-5 shrink-0 place-items-center rounded-full text-xs",
        state === "done" && "bg-good-wash text-good",
        state === "needed" && "border border-caution text-caution",
        (state === "optional" || state === undefined) && "text-soft",
      )}
    >
      {state === "done" ? <Icon name="check" className="size-3" /> : at + 1}
    </span>
  );
}
