// Setup: the steps beside the one that is open.

import { Link, Outlet } from "@tanstack/react-router";
import { useExperiment } from "../experiment/open";
import { STEPS } from "./steps";

export function SetupLayout() {
  const { projectKey, experiment } = useExperiment();
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
                className="flex gap-2.5 rounded-md px-2 py-1.5 font-medium whitespace-nowrap text-ink no-underline pointer-coarse:py-2.5 hover:bg-sunken aria-[current=page]:bg-accent-wash aria-[current=page]:text-accent"
              >
                <span className="num text-soft" aria-hidden="true">
                  {at + 1}
                </span>
                {name}
              </Link>
            </li>
          ))}
        </ol>
      </nav>
      <div className="flex min-w-0 max-w-200 flex-col gap-5">
        <Outlet />
      </div>
    </div>
  );
}
