// The interval of a lift. Nobody sells less than nothing, so what a computation gives below that is not shown.

/** Percent. A lift by which nothing is left of what the control does. */
const LEAST = -100;

/** The ends of the interval of a lift, in percent; undefined while there is no bound. An interval that lies below is left as it is. */
export function liftEnds(interval: readonly number[] | null | undefined): [low: number, high: number] | undefined {
  const [low, high] = interval ?? [];
  return low === undefined || high === undefined ? undefined : [high < LEAST ? low : Math.max(low, LEAST), high];
}
