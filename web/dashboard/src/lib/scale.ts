// Scales of charts: map values to pixels, and choose ticks. The functions are pure.

export interface Domain {
  from: number;
  to: number;
}

/** Returns a function that maps values to pixels, on a line that begins at `start`. */
export function scaleOf({ from, to }: Domain, start: number, length: number): (value: number) => number {
  const span = to - from || 1;
  return (value) => start + ((value - from) / span) * length;
}

/** Step for at most `most` ticks over a span: 1, 2 or 5 times a power of ten. */
export function tickStep(span: number, most: number): number {
  const least = span / Math.max(1, most);
  if (!(least > 0) || !Number.isFinite(least)) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].find((digit) => digit * power >= least * (1 - 1e-9)) ?? 10;
  return step * power;
}

/** Decimals that are needed to distinguish ticks of this step. */
export function tickDigits(step: number): number {
  return Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
}

/**
 * Round values within a domain, in ascending order and at least `least` apart. 0 is one of them if it is in the domain.
 */
export function ticksOf({ from, to }: Domain, most: number, least = 0): { ticks: number[]; digits: number } {
  const step = Math.max(least, tickStep(to - from, most));
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  const digits = tickDigits(step);
  // Multiplied, not added up: 0.1 added ten times is not 1. Adding 0 removes the sign of −0.
  const ticks = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) =>
    Number(((first + at) * step + 0).toFixed(Math.min(20, digits))),
  );
  return { ticks, digits };
}

const DAY_STEPS = [1, 2, 3, 4, 7, 14, 28, 56, 91, 182, 364];

/** Indices of the days that have a tick, including the first day. With many days, the ticks are whole weeks apart. */
export function dayTicks(days: number, most: number): number[] {
  const step = DAY_STEPS.find((step) => Math.ceil(days / step) <= Math.max(1, most)) ?? 728;
  return Array.from({ length: Math.ceil(days / step) }, (_, at) => at * step);
}
