// The question that a result answers (visitors, goal, dates), in the address and as parameters of the operation.

import { id, list, text, word } from "~/lib/search";

export const DIMENSIONS = [
  "device",
  "browser",
  "os",
  "country",
  "user_type",
  "landing_page",
  "referrer",
  "utm_source",
  "utm_medium",
  "utm_campaign",
] as const;

export type Dimension = (typeof DIMENSIONS)[number];

export const PHASES = ["post_deploy", "all_time"] as const;

export type Phase = (typeof PHASES)[number];

/** Filters that exclude each other. */
export const DEVICES = ["mobile", "desktop", "tablet"] as const;
export const KINDS = ["new", "returning"] as const;
/** Filters that can be combined. */
export const WAYS = ["paid", "search", "direct"] as const;

const WORDS: readonly string[] = [...DEVICES, ...KINDS, ...WAYS];

/** Prefix of a country code. Countries exclude each other. */
export const COUNTRY = "country-";

export interface Question {
  goal?: string;
  filter_by?: string[];
  breakdown_by?: Dimension;
  epoch?: number;
  report_phase?: Phase;
  start_date?: string;
  end_date?: string;
  tz?: string;
}

/** Reads the question from an address. Values that the server would refuse are dropped. */
export function readQuestion(search: Record<string, unknown>): Question {
  return {
    goal: text(search.goal),
    filter_by: filters(list(search.filter_by) ?? []),
    breakdown_by: word(search.breakdown_by, DIMENSIONS),
    epoch: id(search.epoch),
    report_phase: word(search.report_phase, PHASES),
    start_date: day(search.start_date),
    end_date: day(search.end_date),
    tz: text(search.tz)?.slice(0, 64),
  };
}

function filters(given: string[]): string[] | undefined {
  const known = given.filter((one) => WORDS.includes(one) || /^country-[A-Z]{2}$/.test(one));
  return known.length > 0 ? known : undefined;
}

/** A day from the year 2000 on: while a year is typed, browsers give the years 2, 20 and 202. */
export function day(value: unknown): string | undefined {
  return typeof value === "string" && /^[2-9]\d{3}-\d\d-\d\d$/.test(value) ? value : undefined;
}

/** Parameters of the operation. */
export function parametersOf(question: Question) {
  const { goal, filter_by: filterBy, epoch, ...same } = question;
  const query = {
    ...same,
    goal_key: goal,
    filter_by: filterBy?.join(","),
    epoch: epoch === undefined ? undefined : String(epoch),
  };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as typeof query;
}

export function countriesIn(filterBy: string[]): string[] {
  return filterBy.filter((one) => one.startsWith(COUNTRY)).map((one) => one.slice(COUNTRY.length));
}

export function withCountries(filterBy: string[], countries: string[]): string[] {
  return [...filterBy.filter((one) => !one.startsWith(COUNTRY)), ...countries.map((one) => COUNTRY + one)];
}

/** Filter for one segment of a breakdown; undefined if the segment cannot be filtered. */
export function filterOf(dimension: string, value: string | null): string | undefined {
  if (value === null) return undefined;
  const found = dimension === "country" ? COUNTRY + value : value;
  if (!["device", "user_type", "country"].includes(dimension)) return undefined;
  return filters([found])?.[0];
}
