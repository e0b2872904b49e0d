// Experiments that need attention, above the list: their count by kind, as filters of the list.

import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { query } from "~/api/query";
import { integer } from "~/lib/format";
import { names } from "~/lib/names";
import type { Tone } from "~/lib/words";
import { Icon, type IconName } from "~/ui/icon";
import { BY_SEARCH } from "~/ui/tabs";
import { type Filters, isSameFilter, parametersOf } from "./filters";

interface Need {
  name: string;
  icon: IconName;
  tone: Tone;
  filters: Filters;
}

/** In order of urgency. Concluded experiments need no attention. */
export const NEEDS: readonly Need[] = [
  {
    name: "broken",
    icon: "warning",
    tone: "bad",
    filters: { status: ["live"], health: ["fail"], outcome: ["none"] },
  },
  {
    name: "to serve",
    icon: "check",
    tone: "good",
    filters: { status: ["live", "inactive"], verdict: ["win"], outcome: ["none"], served: "false" },
  },
  {
    name: "to stop or conclude",
    icon: "stop",
    tone: "neutral",
    filters: { status: ["live", "inactive"], verdict: ["loss", "no_difference"], outcome: ["none"] },
  },
  {
    name: "complete without an answer",
    icon: "flag",
    tone: "neutral",
    filters: { verdict: ["keep_running", "do_not_trust", "unknown"], outcome: ["none"], complete: "true" },
  },
  {
    name: "waiting for approval",
    icon: "people",
    tone: "neutral",
    filters: { waiting: "true" },
  },
];

const COLORS: Partial<Record<Tone, string>> = { bad: "text-bad", good: "text-good" };
const chip = names(
  "inline-flex items-center gap-1.5 rounded-md border border-line bg-panel px-2.5 py-1 text-ink no-underline hover:border-edge pointer-coarse:py-2",
  "aria-[current=true]:border-accent aria-[current=true]:bg-accent-wash",
);

export function Needs({ filters }: { filters: Filters }) {
  const totals = useQueries({
    queries: NEEDS.map((need) => ({
      ...query("/v2/overview", { query: { ...parametersOf(need.filters), sort: undefined, limit: 1 } }),
      staleTime: 30_000,
      // A failure is not shown here: the list below shows the error.
      retry: false,
    })),
  });
  const found = NEEDS.flatMap((need, at) => {
    const total = totals[at]?.data?.total ?? 0;
    return total > 0 ? [{ ...need, total }] : [];
  });
  if (found.length === 0) return null;
  return (
    <nav aria-label="Needs attention" className="flex flex-wrap items-center gap-2">
      {found.map(({ name, icon, tone, filters: own, total }) => {
        const isOn = isSameFilter(filters, own);
        return (
          <Link
            key={name}
            to="/experiments"
            search={isOn ? { sort: filters.sort } : { ...own, sort: filters.sort }}
            // Otherwise the router marks every address of this path as the current page.
            activeOptions={BY_SEARCH.activeOptions}
            aria-current={isOn}
            className={chip}
          >
            <Icon name={icon} className={names("size-3.5", COLORS[tone] ?? "text-soft")} />
            <span className="num font-semibold">{integer(total)}</span> {name}
          </Link>
        );
      })}
    </nav>
  );
}
