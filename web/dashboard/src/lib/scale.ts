// Scales of pictures: from values to pixels, and where their ticks are. Values in, values out.

export interface Domain {
  from: number;
  to: number;
}

/** Places of values on a line of pixels that begins at `start`. */
export function scaleOf({ from, to }: Domain, start: number, length: number): (value: number) => number {
  const span = to - from || 1;
  return (value) => start + ((value - from) / span) * length;
}

/** The step of at most `most` ticks over a span: 1, 2 or 5 times a power of ten. */
export function tickStep(span: number, most: number): number {
  const least = span / Math.max(1, most);
  if (!(least > 0) || !Number.isFinite(least)) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].find((digit) => digit * power >= least * (1 - 1e-9)) ?? 10;
  return step * power;
}

/** Digits after the point that tell ticks of this step apart. */
export function tickDigits(step: number): number {
  return Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
}

/** Round values within a domain, in order: 0 among them, where it is in the domain. They are at least `least` apart. */
export function ticksOf({ from, to }: Domain, most: number, least = 0): { ticks: number[]; digits: number } {
  const step = Math.max(least, tickStep(to - from, most));
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  const digits = tickDigits(step);
  // Multiplied, not added up: 0.1 ten times is not 1. Adding 0 takes the sign from −0.
  const ticks = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) =>
    Number(((first + at) * step + 0).toFixed(Math.min(20, digits))),
  );
  return { ticks, digits };
}

const DAY_STEPS = [1, 2, 3, 4, 7, 14, 28, 56, 91, 182, 364];

/** Places among so many days that have a tick, the first one's among them: whole weeks apart where there are many. */
export function dayTicks(days: number, most: number): number[] {
  const step = DAY_STEPS.find((step) => Math.ceil(days / step) <= Math.max(1, most)) ?? 728;
  return Array.from({ length: Math.ceil(days / step) }, (_, at) => at * step);
}
