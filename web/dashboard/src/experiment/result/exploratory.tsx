// Label for parts that were added, changed or chosen after the plan was locked. A click shows the reason.

import { names } from "~/lib/names";
import { Icon } from "~/ui/icon";
import type { Labelled } from "./reading";

export function Exploratory({ of, className }: { of: Labelled; className?: string }) {
  if (of.exploratory !== true) return null;
  return (
    <details className={names("group inline-block max-w-full", className)}>
      <summary className="flex min-h-6 w-fit list-none items-center gap-0.5 rounded-sm bg-caution-wash px-1.5 text-xs font-medium whitespace-nowrap text-caution">
        Exploratory<span className="sr-only">: why</span>
        <Icon name="chevronDown" className="size-3 group-open:rotate-180" />
      </summary>
      <p className="mt-1 max-w-80 text-sm whitespace-normal text-soft">
        {of.exploratory_reason ?? "It is not part of the plan that was locked at the start."} Good for ideas, but not
        proof.
      </p>
    </details>
  );
}
