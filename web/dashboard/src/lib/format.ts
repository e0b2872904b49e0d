// Formats numbers, times and durations. No other module does. Numbers are shown with the class `num` (tabular figures).

const LOCALE = "en-GB";
/** Shown instead of a missing value. Screen readers get "none". */
export const NOTHING = "–";

const integers = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 });
const compacts = new Intl.NumberFormat(LOCALE, { notation: "compact", maximumSignificantDigits: 3 });
const dates = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", year: "numeric" });
const shortDates = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short" });
const moments = new Intl.DateTimeFormat(LOCALE, {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
});
const utcMoments = new Intl.DateTimeFormat(LOCALE, {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
  timeZoneName: "short",
});
const relatives = new Intl.RelativeTimeFormat(LOCALE, { numeric: "auto" });

type Maybe<T> = T | null | undefined;

/** `12,345`. */
export function integer(value: Maybe<number>): string {
  return value == null ? NOTHING : integers.format(value);
}

/** `12.3k`: for narrow places where the magnitude matters. */
export function compact(value: Maybe<number>): string {
  return value == null ? NOTHING : compacts.format(value);
}

/** A number with at most `digits` decimals. */
export function decimal(value: Maybe<number>, digits = 2): string {
  return value == null ? NOTHING : new Intl.NumberFormat(LOCALE, { maximumFractionDigits: digits }).format(value);
}

/** A fraction as percent: 0.0412 is `4.1 %`. */
export function percent(fraction: Maybe<number>, digits = 1): string {
  return fraction == null ? NOTHING : `${fixed(fraction * 100, digits)}\u00a0%`;
}

/** A fraction as a change in percent, with its sign: `+4.1 %`, `−0.3 %`. */
export function change(fraction: Maybe<number>, digits = 1): string {
  if (fraction == null) return NOTHING;
  const text = fixed(Math.abs(fraction) * 100, digits);
  if (Number(text) === 0) return `${text}\u00a0%`;
  return `${fraction > 0 ? "+" : "−"}${text}\u00a0%`;
}

/** A difference with its sign, and a unit after it: `+4.1 %`, `−0.30 points`. */
export function signed(value: Maybe<number>, unit: string, digits = 1): string {
  if (value == null) return NOTHING;
  const text = fixed(Math.abs(value), digits);
  const sign = Number(text) === 0 ? "" : value > 0 ? "+" : "−";
  return `${sign}${text}${unit && `\u00a0${unit}`}`;
}

/** A value that the API gives in percent: 12.5 is `12.5 %`. */
export function percentage(value: Maybe<number>): string {
  return value == null ? NOTHING : `${decimal(value, 2)}\u00a0%`;
}

/** A probability: `0.031`. Below 0.0001 the exact value no longer matters. */
export function probability(value: Maybe<number>): string {
  if (value == null) return NOTHING;
  return value < 0.0001 ? "< 0.0001" : decimal(value, value < 0.01 ? 4 : 3);
}

/** An amount in its currency, if known, with the decimals of that currency: `€12.50`, `JP¥1,250`, `KWD 12.505`. */
export function money(value: Maybe<number>, currency: Maybe<string>): string {
  if (value == null) return NOTHING;
  const how: Intl.NumberFormatOptions = currency ? { style: "currency", currency } : { maximumFractionDigits: 2 };
  return new Intl.NumberFormat(LOCALE, how).format(value);
}

/**
 * Significant digits of an average amount. Variants are compared by it, and may differ by less than the smallest coin.
 */
const AVERAGE_DIGITS = 3;

/** An average of amounts: `€8.64`, `€0.0431`, `JP¥4.38`. */
export function averageMoney(value: Maybe<number>, currency: Maybe<string>): string {
  if (!value || !currency) return money(value, currency);
  const style = { style: "currency", currency } as const;
  const usual = new Intl.NumberFormat(LOCALE, style).resolvedOptions().maximumFractionDigits ?? 2;
  const needed = AVERAGE_DIGITS - 1 - Math.floor(Math.log10(Math.abs(value)));
  // `Intl` accepts at least this many digits everywhere.
  const digits = Math.min(20, Math.max(usual, needed));
  return new Intl.NumberFormat(LOCALE, { ...style, maximumFractionDigits: digits }).format(value);
}

function fixed(value: number, digits: number): string {
  return new Intl.NumberFormat(LOCALE, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
}

/** `3 visitors`, `1 visitor`, `1,200 visitors`. */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${integers.format(value)} ${value === 1 ? one : many}`;
}

/** `5 Nov 2026`. With `short`, dates of the current year have no year. */
export function date(iso: Maybe<string>, short = false, now = new Date()): string {
  const at = parsed(iso);
  if (at === undefined) return NOTHING;
  return short && at.getFullYear() === now.getFullYear() ? shortDates.format(at) : dates.format(at);
}

const days = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const shortDays = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", timeZone: "UTC" });

/** A calendar day such as `2026-11-05`, independent of the browser's time zone: `5 Nov 2026`. */
export function day(iso: Maybe<string>, short = false): string {
  const at = parsed(iso);
  return at === undefined ? NOTHING : (short ? shortDays : days).format(at);
}

/** First and last day of a period: `5 Nov to 9 Dec`, with years unless both are in the current year. */
export function dayRange(from: Maybe<string>, to: Maybe<string>, now = new Date()): string {
  const isShort = [from, to].every((iso) => [undefined, now.getUTCFullYear()].includes(parsed(iso)?.getUTCFullYear()));
  return `${day(from, isShort)} to ${day(to, isShort)}`;
}

const months = new Intl.DateTimeFormat(LOCALE, { month: "short", year: "numeric", timeZone: "UTC" });

/** A calendar month such as `2026-11`: `Nov 2026`. */
export function month(iso: Maybe<string>): string {
  const at = parsed(iso);
  return at === undefined ? NOTHING : months.format(at);
}

/** `5 Nov 2026, 14:03 CET`. */
export function moment(iso: Maybe<string>): string {
  const at = parsed(iso);
  return at === undefined ? NOTHING : moments.format(at);
}

/** Like `moment`, in UTC, independent of the browser's time zone. */
export function utcMoment(iso: Maybe<string>): string {
  const at = parsed(iso);
  return at === undefined ? NOTHING : utcMoments.format(at);
}

const times = new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** `14:03:05`, for recent events. */
export function time(iso: Maybe<string>): string {
  const at = parsed(iso);
  return at === undefined ? NOTHING : times.format(at);
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** `3 hours ago`, `in 2 days`, `just now`; a date if it is more than two weeks away. */
export function ago(iso: Maybe<string>, now = new Date()): string {
  const at = parsed(iso);
  if (at === undefined) return NOTHING;
  const seconds = (at.getTime() - now.getTime()) / 1_000;
  if (Math.abs(seconds) > 14 * 86_400) return date(iso, true, now);
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return relatives.format(Math.trunc(seconds / length), unit);
  }
  return "just now";
}

/** A duration in seconds: `45 s`, `12 min`, `3 h 20 min`, `4 days`. */
export function duration(seconds: Maybe<number>): string {
  if (seconds == null) return NOTHING;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60)
    return [`${Math.floor(minutes / 60)} h`, minutes % 60 && `${minutes % 60} min`].filter(Boolean).join(" ");
  return count(Math.round(minutes / 60 / 24), "day");
}

function parsed(iso: Maybe<string>): Date | undefined {
  if (iso == null) return undefined;
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? undefined : at;
}
