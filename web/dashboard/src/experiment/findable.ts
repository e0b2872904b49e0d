// Lifts to plan with. All numbers are the server's. Here the lifts are only rounded up to common values.

/** Usual horizons of plans, by the days of the server's answer. */
export const HORIZONS: ReadonlyMap<number, string> = new Map([
  [14, "2 weeks"],
  [28, "4 weeks"],
  [56, "8 weeks"],
]);

/** Days in which the proposed lift should be found. */
export const PROPOSED_DAYS = 28;
/** Days after which plans are hardly followed to their end. */
export const LONG_DAYS = 90;

/** Common lifts to plan with, in percent. */
const ROUND = [
  0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 35, 40, 50, 60, 75, 100, 150, 200, 300, 500, 1000,
];

/** Smallest common lift of at least `mde` percent; undefined if `mde` exceeds all of them. */
export function rounded(mde: number | null): number | undefined {
  return mde === null ? undefined : ROUND.find((one) => one >= mde);
}
