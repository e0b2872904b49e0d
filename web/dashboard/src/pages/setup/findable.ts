// Which lifts a site's traffic can find in so many weeks. Values in, values out: all numbers are the server's, rounded up here to what people
// plan with.

import type { Schemas } from "~/api/query";

type Plan = Schemas["PlanAnswer"];

/** What people plan in. */
export const HORIZONS = [
  { days: 14, name: "2 weeks" },
  { days: 28, name: "4 weeks" },
  { days: 56, name: "8 weeks" },
] as const;

/** Days after which a plan is hardly followed to its end. */
export const LONG_DAYS = 90;

/** Lifts in percent that people plan with. */
const ROUND = [
  0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 35, 40, 50, 60, 75, 100, 150, 200, 300, 500, 1000,
];

/** How many lifts are asked about for each horizon: the guess may be a little too small. */
const TRIED = 3;

/**
 * The lifts to ask the server about for so many days, smallest first: rounded, from about what can be found by then. The visitors that a
 * lift needs grow with the square of one over it, nearly.
 */
export function candidates(
  { mde, visitors_needed: needed, daily_visitors: daily }: Pick<Plan, "mde" | "visitors_needed" | "daily_visitors">,
  days: number,
): number[] {
  if (needed === null || daily === null || daily <= 0) return [];
  const guess = mde * Math.sqrt(needed / (daily * days));
  const from = ROUND.findIndex((one) => one >= guess);
  return from < 0 ? [] : ROUND.slice(from, from + TRIED);
}

/** The plan for the smallest lift that is found within so many days. */
export function firstWithin<P extends Pick<Plan, "days">>(
  plans: readonly (P | undefined)[],
  days: number,
): P | undefined {
  return plans.find((plan) => plan?.days != null && plan.days <= days);
}
