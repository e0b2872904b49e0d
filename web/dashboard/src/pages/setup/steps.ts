// Steps of an experiment's setup, in the usual order of decisions. Each is a page with its own form, which saves
// independently.

import type { Experiment } from "~/experiment/open";

const BASE = "/p/$projectKey/experiments/$testId/setup";

export const STEPS = [
  { name: "Page", to: BASE },
  { name: "Variants", to: `${BASE}/variants` },
  { name: "Goals", to: `${BASE}/goals` },
  { name: "Audience", to: `${BASE}/audience` },
  { name: "Traffic", to: `${BASE}/traffic` },
  { name: "Schedule", to: `${BASE}/schedule` },
  { name: "Review", to: `${BASE}/review` },
] as const;

export type StepName = (typeof STEPS)[number]["name"];

/**
 * `done`: the step is complete. `needed`: without it, the experiment cannot start, or no variant can win. `optional`:
 * nothing is set, which is fine.
 */
export type StepState = "done" | "needed" | "optional";

/** State of each step of a draft. The review has no state. */
export function stepStates({
  variants,
  primary_goal_key: goal,
  targeting,
  configuration,
}: Pick<Experiment, "variants" | "primary_goal_key" | "targeting" | "configuration">): Partial<
  Record<StepName, StepState>
> {
  const isSet = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));
  const { start_test_date, end_test_date, completion_after_period, completion_visitor, completion_conversion } =
    configuration;
  const ends = [start_test_date, end_test_date, completion_after_period, completion_visitor, completion_conversion];
  const hasSchedule = ends.some(isSet) || configuration.completion_stats_significant_flag === 1;
  const changes = variants.every(
    ({ customJS, customCSS, data }) => Boolean(customJS?.trim() || customCSS?.trim()) || isSet(data),
  );
  return {
    Page: "done",
    Variants: variants.length > 0 && changes ? "done" : "needed",
    Goals: goal === null ? "needed" : "done",
    Audience: Object.values(targeting).some(isSet) ? "done" : "optional",
    Traffic: configuration.traffic_allocation === 0 ? "needed" : "done",
    Schedule: hasSchedule ? "done" : "optional",
  };
}
