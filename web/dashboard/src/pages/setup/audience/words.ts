// Targeting in words. Each kind is a clause that fits after "Visitors". All clauses have to hold.

import type { Schemas } from "~/api/query";
import { capital } from "~/lib/capital";
import {
  BROWSERS,
  DAYS,
  DEVICES,
  isRule,
  isShown,
  type Rules,
  SOURCES,
  SYSTEMS,
  type Targeting,
  TITLES,
} from "./kinds";
import { countryInSentence, languageName } from "~/lib/locale-names";
import { operatorInfo } from "./operators";

type Condition = Schemas["Condition"];
type EventRule = Schemas["EventRule"];
type Place = Schemas["Place"];

export interface Clause {
  kind: string;
  text: string;
}

/** Clauses that are joined without a comma. */
const SHORT = ["allowed_country", "allowed_region", "allowed_city", "device_rule", "os_rule", "browser_rule"];

/** In the order of a sentence. */
const WRITERS: { [K in keyof Rules]: (rule: Rules[K]) => string | undefined } = {
  allowed_country: (rule) => countries(rule),
  allowed_region: (rule) => places(rule),
  allowed_city: (rule) => places(rule),
  device_rule: (rule) => chosen("on", rule, DEVICES),
  os_rule: (rule) => chosen("with", rule, SYSTEMS),
  browser_rule: (rule) => chosen("in", rule, BROWSERS),
  browser_language_rule: (rule) =>
    rule.length > 0 ? `whose browser prefers ${or(rule.map(languageName))}` : undefined,
  user_rule: (rule) => user(rule),
  referral_rule: (rule) => conditions(rule, referral),
  parameter_rule: (rule) =>
    conditions(
      rule,
      (one) => `whose parameter ${one.criteria} ${predicate(one.operator, one.value)}`,
      "at an address ",
    ),
  segment_rule: (rule) => conditions(rule, (one) => `whose ${one.criteria} ${predicate(one.operator, one.value)}`),
  ga4_rule: (rule) => (rule.length > 0 ? `in the audience ${or(rule.map(quoted))}` : undefined),
  event_rule: (rule) => (rule.length > 0 ? rule.map(event).join(", and ") : undefined),
  cookie_rule: (rule) =>
    conditions(rule, (one) => `whose cookie ${one.criteria} ${predicate(one.operator, one.value)}`),
  url_rule: (rule) => pages(rule),
  schedule_rule: (rule) => hours(rule),
};

/**
 * Clauses of the targeting, one per kind. `home` is the page on which the script runs an experiment without rules for
 * pages. Leave it out if pages do not matter.
 */
export function clauses(targeting: Targeting, home?: string): Clause[] {
  const found: Clause[] = [];
  for (const [kind, write] of Object.entries(WRITERS)) {
    const rule = targeting[kind as keyof Targeting];
    if (kind === "url_rule" && !isRule(rule)) {
      if (home !== undefined)
        found.push({ kind, text: `on ${home.includes("*") ? "addresses like" : "the page"} ${quoted(home)}` });
    } else if (!isRule(rule)) continue;
    else {
      const text = isShown(kind, rule) ? (write as (rule: unknown) => string | undefined)(rule) : unknown(kind);
      if (text !== undefined) found.push({ kind, text });
    }
  }
  const others = Object.keys(targeting).filter(
    (kind) => !Object.hasOwn(WRITERS, kind) && isRule(targeting[kind as keyof Targeting]),
  );
  return [...found, ...others.map((kind) => ({ kind, text: unknown(kind) }))];
}

function unknown(kind: string): string {
  return `who match the rule ${TITLES[kind] ?? kind}, which this page cannot describe`;
}

/** Joins the clauses to a sentence. */
export function sentence(found: readonly Clause[]): string {
  const asksOfVisitors = found.some(({ kind }) => kind !== "url_rule");
  let text = asksOfVisitors ? "Visitors" : "All visitors";
  let isShort = true;
  for (const clause of found) {
    const goesOn = isShort && (SHORT.includes(clause.kind) || clause.kind === "url_rule");
    text += `${goesOn ? "" : ","} ${clause.text}`;
    isShort = SHORT.includes(clause.kind) && !clause.text.includes(",");
  }
  // No comma between the noun and the first clause.
  return `${text.replace(/^Visitors, /, "Visitors ")}.`;
}

function or(items: readonly string[]): string {
  return joined(items, "or");
}

export function and(items: readonly string[]): string {
  return joined(items, "and");
}

function joined(items: readonly string[], word: string): string {
  return items.length < 2 ? (items[0] ?? "") : `${items.slice(0, -1).join(", ")} ${word} ${items[items.length - 1]}`;
}

function quoted(text: string): string {
  return `“${text}”`;
}

function chosen(before: string, rule: readonly string[], words: Record<string, string>): string | undefined {
  return rule.length > 0 ? `${before} ${or([...new Set(rule)].map((one) => words[one] ?? one))}` : undefined;
}

function countries(rule: Rules["allowed_country"]): string | undefined {
  const of = (mode: string) => [...new Set(rule.filter((one) => one.rule === mode).map((one) => one.code))];
  const [included, excluded] = [of("whitelist"), of("blacklist")];
  if (included.length === 0) return `outside ${or(excluded.map(countryInSentence))}`;
  // If some are included, all others are already excluded.
  const left = included.filter((code) => !excluded.includes(code));
  return left.length > 0
    ? `in ${or(left.map(countryInSentence))}`
    : "in no country, because all that are let in are also kept out";
}

function places(rule: readonly Place[]): string | undefined {
  const of = (mode: string) => [...new Set(rule.filter((one) => one.rule === mode).map((one) => one.name))];
  const excluded = of("notEqual");
  if (excluded.length === rule.length) return `outside ${or(excluded)}`;
  const left = of("equal").filter((name) => !excluded.some((out) => isWithin(name, out)));
  if (left.length === 0) return "nowhere, because all places that are let in are also kept out";
  return `in ${or(left)}${excluded.length > 0 ? `, but not in ${or(excluded)}` : ""}`;
}

/** Returns whether every location with this name is within the other: `Berlin (Berlin)` is within `Berlin`. */
function isWithin(name: string, other: string): boolean {
  const [inner, outer] = [folded(name), folded(other)];
  return inner === outer || inner.startsWith(`${outer} (`);
}

/** Folds case as the server does: only A to Z. */
function folded(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function user(rule: Rules["user_rule"]): string | undefined {
  const word = typeof rule === "string" ? rule : rule[0];
  return word === "new" ? "who come for the first time" : "who have come before";
}

/** All groups, any condition of a group. Groups without conditions restrict nothing. */
function conditions(
  rule: readonly Condition[][],
  words: (condition: Condition) => string,
  before = "",
): string | undefined {
  const full = rule.filter((group) => group.length > 0);
  if (full.length === 0) return undefined;
  const groups = full.map(
    (group) => `${full.length > 1 && group.length > 1 ? "either " : ""}${group.map(words).join(" or ")}`,
  );
  return before + groups.join(", and ");
}

/** Words for an operator with its value. */
function predicate(operator: string, value: unknown): string {
  const info = operatorInfo(operator);
  if (info === undefined) return `${operator} ${String(value)}`;
  if (info.takes === "text" && (value === "" || value == null))
    return info.says.replace("…", operator.endsWith("=") ? "empty" : "nothing");
  const shown = info.takes === "text" && typeof value === "string" ? quoted(value) : String(value ?? "…");
  return info.says.replace("…", () => shown);
}

function referral(one: Condition): string {
  const source = SOURCES[one.value as keyof typeof SOURCES];
  if (one.criteria === "source" && source !== undefined && one.operator === "==") return `who came ${source}`;
  if (one.criteria === "source" && source !== undefined && one.operator === "!=") return `who did not come ${source}`;
  const noun = { host: "the host of the previous page", url: "the previous page", source: "the kind of source" }[
    one.criteria
  ];
  return `for whom ${noun ?? one.criteria} ${predicate(one.operator, one.value)}`;
}

function event({ rule, name, attributes, min_count, timeframe_days }: EventRule): string {
  const often = min_count ?? 1;
  const within = timeframe_days ? ` in the last ${timeframe_days === 1 ? "day" : `${timeframe_days} days`}` : "";
  const where = attributesInWords(attributes);
  if (rule === "equal") return `who did ${quoted(name)}${often > 1 ? ` at least ${often} times` : ""}${within}${where}`;
  if (often > 1) return `who did ${quoted(name)} fewer than ${often} times${within}${where}`;
  return `who did not do ${quoted(name)}${within}${where}`;
}

/** Any group, all conditions of a group. A group without conditions matches every event. */
function attributesInWords(attributes: EventRule["attributes"]): string {
  if (attributes.length === 0 || attributes.some((group) => group.length === 0)) return "";
  const groups = attributes.map((group) =>
    and(group.map((one) => `its ${one.key} ${predicate(one.operand, one.value)}`)),
  );
  return ` where ${groups.join(", or ")}`;
}

const MATCHES: Record<Schemas["UrlMatch"], (url: string) => string> = {
  simple: (url) => `the page ${quoted(url)}`,
  exact: (url) => `exactly the address ${quoted(url)}`,
  contain: (url) => `addresses that contain ${quoted(url)}`,
  wildcard: (url) => `addresses like ${quoted(url)}`,
  regex: (url) => `addresses that match the expression ${quoted(url)}`,
};

function pages(rule: Rules["url_rule"]): string {
  const of = (isIn: boolean) => [
    ...new Set(
      rule.filter((one) => (one.allowed ?? true) === isIn).map((one) => MATCHES[one.rule]?.(one.url) ?? one.url),
    ),
  ];
  const [included, excluded] = [of(true), of(false)];
  if (included.length === 0) return `on all pages but ${and(excluded)}`;
  const left = included.filter((one) => !excluded.includes(one));
  if (left.length === 0) return "on no page, because all pages that are let in are also kept out";
  return `on ${or(left)}${excluded.length > 0 ? `, but not on ${or(excluded)}` : ""}`;
}

function hours(rule: Rules["schedule_rule"]): string | undefined {
  const groups = rule?.schedule_groups ?? [];
  if (groups.length === 0) return undefined;
  return `${groups.map(({ days, time_ranges }) => `${daysInWords(days)} ${timesInWords(time_ranges)}`).join(" or ")} their time`;
}

function daysInWords(days: readonly string[]): string {
  const at = DAYS.map((day) => days.includes(day));
  if (days.length === 0 || at.every(Boolean)) return "every day";
  const runs: string[] = [];
  for (let first = 0; first < DAYS.length; first += 1) {
    if (!at[first]) continue;
    let last = first;
    while (at[last + 1]) last += 1;
    const names = DAYS.slice(first, last + 1).map(capital);
    runs.push(...(names.length > 2 ? [`${names[0]} to ${names[names.length - 1]}`] : names));
    first = last;
  }
  return and(runs);
}

function timesInWords(ranges: readonly { start: string; end: string }[]): string {
  return ranges.length === 0 ? "all day" : and(ranges.map(rangeInWords));
}

function rangeInWords({ start, end }: { start: string; end: string }): string {
  if (start === "00:00" && (end === "00:00" || end === "24:00")) return "all day";
  if (start === end) return `from ${time(start)} for 24 hours`;
  if (end === "00:00") return `${time(start)}–24:00`;
  return `${time(start)}–${time(end)}${start < end ? "" : " on the next day"}`;
}

function time(text: string): string {
  return text.replace(/^0(?=\d)/, "");
}
