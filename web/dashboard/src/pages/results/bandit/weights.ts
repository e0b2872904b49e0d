// The weights of the arms over time, as steps: an epoch has the same ones from its beginning to the next. Values in, values out.

import type { Schemas } from "~/api/query";

export type WeightEpoch = Pick<Schemas["Epoch"], "epoch" | "started_at" | "weights">;

export interface Step {
  /** Milliseconds. */
  from: number;
  to: number;
  /** Percent. */
  weight: number;
}

/** The steps of one arm, by the name that weights have for it, until a moment. An arm that was not there yet has 0. */
export function stepsOf(epochs: readonly WeightEpoch[], name: string, until: number): Step[] {
  return epochs.flatMap(({ started_at: at, weights }, place) => {
    const from = Date.parse(at);
    const next = epochs[place + 1];
    const to = next === undefined ? Math.max(from, until) : Date.parse(next.started_at);
    return to > from || next === undefined ? [{ from, to, weight: weights[name] ?? 0 }] : [];
  });
}

/** The outline of the steps on a field of pixels: from the ground up, along the steps, and down to the ground. */
export function outline(steps: readonly Step[], x: (at: number) => number, y: (weight: number) => number): string {
  const [first, last] = [steps[0], steps[steps.length - 1]];
  if (first === undefined || last === undefined) return "";
  const along = steps.flatMap(({ from, to, weight }) => [`${x(from)} ${y(weight)}`, `${x(to)} ${y(weight)}`]);
  return `M${[`${x(first.from)} ${y(0)}`, ...along, `${x(last.to)} ${y(0)}`].join("L")}Z`;
}
