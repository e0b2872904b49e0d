// Text and pictures of the programme's lifts and rates: the server's numbers, in percent.

import { NOTHING, percentage, signed } from "~/lib/format";
import { liftEnds } from "~/lib/lift-ends";
import type { Tone } from "~/lib/words";
import type { LineValues } from "~/ui/interval-line";

export function lift(value: number | null): string {
  return signed(value, "%");
}

/** `+2.1 % to +9.8 %`. */
export function liftRange(interval: number[] | null): string | undefined {
  const [low, high] = interval ?? [];
  return low === undefined || high === undefined ? undefined : `${lift(low)} to ${lift(high)}`;
}

/** A rate in whole percent. With so few experiments, more digits would not be meaningful. */
export function rate(value: number | null): string {
  return value === null ? NOTHING : percentage(Math.round(value));
}

/** `20 % to 45 %`. */
export function rateRange(interval: number[] | null): string | undefined {
  const [low, high] = interval ?? [];
  return low === undefined || high === undefined ? undefined : `${rate(low)} to ${rate(high)}`;
}

/** Values of the picture of one experiment's lift. */
export function drawnLift(estimate: number | null, interval: number[] | null, tone?: Tone): LineValues {
  return drawn(estimate, liftEnds(interval) ?? null, tone);
}

/** Values of the picture of an estimate. */
export function drawn(estimate: number | null, interval: number[] | null, tone?: Tone): LineValues {
  const [low = null, high = null] = interval ?? [];
  return { estimate, low, high, ...(tone && { tone }) };
}
