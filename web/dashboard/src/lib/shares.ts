// Shares in percent with at most two decimals, as the server takes them. They are added in hundredths, so that three
// times 33.33 plus 0.01 is 100.

const WHOLE = 10_000;

/** Sum of the percentages. */
export function together(percents: readonly (number | null)[]): number {
  return percents.reduce<number>((sum, percent) => sum + Math.round((percent ?? 0) * 100), 0) / 100;
}

/** Difference to 100; negative if the sum is larger. */
export function missing(percents: readonly (number | null)[]): number {
  return (WHOLE - Math.round(together(percents) * 100)) / 100;
}

/** Even split over `arms` variants. The remainder goes to the first, the control. */
export function evenShares(arms: number): number[] {
  const share = Math.floor(WHOLE / arms);
  return Array.from({ length: arms }, (_, at) => (at === 0 ? WHOLE - share * (arms - 1) : share) / 100);
}
