// Weights of the variants over time, as steps: they are constant from the start of an epoch to the next. Pure
// functions.

import type { Schemas } from "~/api/query";

export type WeightEpoch = Pick<Schemas["Epoch"], "epoch" | "started_at" | "weights">;

export interface Step {
  /** Milliseconds. */
  from: number;
  to: number;
  /** Percent. */
  weight: number;
}

/**
 * Steps of one variant until a time. `name` is the variant's key in the weights. Before the variant existed, its weight
 * is 0.
 */
export function stepsOf(epochs: readonly WeightEpoch[], name: string, until: number): Step[] {
  return epochs.flatMap(({ started_at: at, weights }, place) => {
    const from = Date.parse(at);
    const next = epochs[place + 1];
    const to = next === undefined ? Math.max(from, until) : Date.parse(next.started_at);
    return to > from || next === undefined ? [{ from, to, weight: weights[name] ?? 0 }] : [];
  });
}

/** SVG path of the steps in pixels: up from the axis, along the steps, and down to the axis. */
export function outline(steps: readonly Step[], x: (at: number) => number, y: (weight: number) => number): string {
  const [first, last] = [steps[0], steps[steps.length - 1]];
  if (first === undefined || last === undefined) return "";
  const along = steps.flatMap(({ from, to, weight }) => [`${x(from)} ${y(weight)}`, `${x(to)} ${y(weight)}`]);
  return `M${[`${x(first.from)} ${y(0)}`, ...along, `${x(last.to)} ${y(0)}`].join("L")}Z`;
}
