// How the numbers of a result are written.

import { change, percent, percentage } from "~/lib/format";
import { liftEnds } from "~/lib/lift-ends";

/** What the API says in percent, as a change: 12.5 is `+12.5 %`. */
export function percentChange(value: number | null | undefined): string {
  return change(value == null ? value : value / 100);
}

/** A rate in percent, with as many digits in every row. */
export function rateWords(rate: number | null): string {
  return percent(rate === null ? rate : rate / 100, 2);
}

/** What is known to be more than nothing is not written as nothing, nor what is less than certain as certain. */
export function smallPercentage(value: number | null | undefined): string {
  if (value == null) return percentage(value);
  if (value > 99.99) return "> 99.99\u00a0%";
  return value < 0.01 ? "< 0.01\u00a0%" : percentage(value);
}

/** The interval of a lift: `+2.1 % to +9.8 %`. */
export function intervalWords(interval: number[] | null | undefined): string | undefined {
  const found = liftEnds(interval);
  return found && `${percentChange(found[0])} to ${percentChange(found[1])}`;
}
