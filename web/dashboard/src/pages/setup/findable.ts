// What people plan with. All numbers are the server's; the lifts are rounded up here to those that people say.

/** What people plan in, by the days of the server's answer. */
export const HORIZONS: ReadonlyMap<number, string> = new Map([
  [14, "2 weeks"],
  [28, "4 weeks"],
  [56, "8 weeks"],
]);

/** Days in which the lift should be found that is proposed. */
export const PROPOSED_DAYS = 28;
/** Days after which a plan is hardly followed to its end. */
export const LONG_DAYS = 90;

/** Lifts in percent that people plan with. */
const ROUND = [
  0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 35, 40, 50, 60, 75, 100, 150, 200, 300, 500, 1000,
];

/** The smallest lift to plan with that is found where lifts from `mde` percent on are; undefined where none is. */
export function rounded(mde: number | null): number | undefined {
  return mde === null ? undefined : ROUND.find((one) => one >= mde);
}
