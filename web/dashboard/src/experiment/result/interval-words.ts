// Formats of a result's numbers.

import { change, percent, percentage } from "~/lib/format";
import { liftEnds } from "~/lib/lift-ends";

/** A change that the API gives in percent: 12.5 is `+12.5 %`. */
export function percentChange(value: number | null | undefined): string {
  return change(value == null ? value : value / 100);
}

/** A rate in percent, with the same number of decimals in every row. */
export function rateWords(rate: number | null): string {
  return percent(rate === null ? rate : rate / 100, 2);
}

/** A percentage that is not rounded to 0 or to 100, because it is neither. */
export function smallPercentage(value: number | null | undefined): string {
  if (value == null) return percentage(value);
  if (value > 99.99) return "> 99.99\u00a0%";
  return value < 0.01 ? "< 0.01\u00a0%" : percentage(value);
}

/** Interval of a lift: `+2.1 % to +9.8 %`. */
export function intervalWords(interval: number[] | null | undefined): string | undefined {
  const found = liftEnds(interval);
  return found && `${percentChange(found[0])} to ${percentChange(found[1])}`;
}
