// Interval of a lift. A lift below −100 % would mean negative sales, so that part of an interval is not shown.

/** Lift in percent at which nothing is left of the control's value. */
const LEAST = -100;

/**
 * Ends of a lift's interval in percent; undefined while it has no bound. The low end is at least −100, unless the
 * whole interval is below that.
 */
export function liftEnds(interval: readonly number[] | null | undefined): [low: number, high: number] | undefined {
  const [low, high] = interval ?? [];
  return low === undefined || high === undefined ? undefined : [high < LEAST ? low : Math.max(low, LEAST), high];
}
