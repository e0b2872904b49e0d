// Shares in percent with at most two decimals, as the server takes them. They are added up in hundredths, so that 33.33 three times and
// 0.01 are 100.

const WHOLE = 10_000;

/** What these percentages are together. */
export function together(percents: readonly (number | null)[]): number {
  return percents.reduce<number>((sum, percent) => sum + Math.round((percent ?? 0) * 100), 0) / 100;
}

/** What is missing to the whole; below 0 where it is too much. */
export function missing(percents: readonly (number | null)[]): number {
  return (WHOLE - Math.round(together(percents) * 100)) / 100;
}

/** The even split over so many arms: what does not divide goes to the first, the control. */
export function evenShares(arms: number): number[] {
  const share = Math.floor(WHOLE / arms);
  return Array.from({ length: arms }, (_, at) => (at === 0 ? WHOLE - share * (arms - 1) : share) / 100);
}
