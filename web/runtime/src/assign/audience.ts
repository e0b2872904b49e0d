// Whether rules hold for a visitor: docs/assignment.md, Targeting.

import type { Condition, EventRule, Plain, ScheduleGroup, Targeting } from "../ruleset";
import { holds, same } from "./condition";
import { isPage, parameterOf } from "./page";
import { folded } from "./text";
import { all, any, NO, type Tri, UNKNOWN, YES } from "./tri";
import { type At, DAY_MS, type Fact, type LocalTime, type Occurrence, type Visitor } from "./visitor";

/**
 * A rule that lists what may and what may not be, about one fact. No when an entry that keeps out means the fact,
 * whatever else does; otherwise yes when one that lets in does, or there are none.
 */
function listed<E, T>(entries: readonly E[] = [], fact: Fact<T>, means: (entry: E, fact: T) => boolean): Tri {
  let outside: Tri = YES;
  let inside: Tri = NO;
  if (entries.length && fact === undefined) return UNKNOWN;
  for (const entry of entries) {
    // Words and the hours of a schedule have neither, and let in.
    const { rule, allowed } = entry as { rule?: string; allowed?: boolean };
    const isMeant = fact && means(entry, fact);
    // `blacklist` and `notEqual` keep out; nothing else that a rule may be begins like them.
    if (allowed === false || /^[bn]/.test(rule!)) {
      if (isMeant) return NO;
    } else {
      outside = NO;
      if (isMeant) inside = YES;
    }
  }
  return outside || inside;
}

/** All of the groups, any condition of each; a group without conditions restricts nothing. */
const grouped = (groups: readonly Condition[][] = [], now: number, left: (criteria: string) => Fact<Plain>): Tri =>
  all(groups, (group) =>
    group.length ? any(group, ({ criteria, operator, value }) => holds(operator, value, left(criteria), now)) : YES,
  );

/** `Berlin` and `Berlin (Berlin)` mean each other; behind a blank and a bracket the longer one may say anything. */
function isSamePlace({ name }: { name: string }, place: string): boolean {
  const [one, other] = [`${folded(name)} (`, `${folded(place)} (`];
  return one.startsWith(other) || other.startsWith(one);
}

const isLanguage = (entry: string, tag: string): boolean =>
  // The empty text, behind a tag's end, is part of every text.
  folded(tag).startsWith(folded(entry)) && "-_".includes(tag.charAt(entry.length));

function counts({ name, timeframe_days, attributes }: EventRule, event: Occurrence, now: number): boolean {
  return (
    event.name === name &&
    (!timeframe_days || now - event.at <= timeframe_days * DAY_MS) &&
    (!attributes.length ||
      attributes.some((group) =>
        group.every(({ key, operand, value }) => holds(operand, value, event.attributes.get(key) ?? null, now)),
      ))
  );
}

function isDuring({ days, time_ranges }: ScheduleGroup, { weekday, time }: LocalTime): boolean {
  // Two letters tell the days apart, in the order of `Date.getDay`.
  const on = (day: number): boolean =>
    !days.length || days.some((name) => "sumotuwethfrsa".indexOf(name.slice(0, 2)) === (day % 7) * 2);
  return time_ranges.length
    ? time_ranges.some(({ start, end }) => {
        const begun = on(weekday) && time >= start;
        // A range that passes midnight goes on in the morning after its day.
        return start < end ? begun && time < end : begun || (on(weekday + 6) && time < end);
      })
    : on(weekday);
}

/** Whether all rules hold for a visitor. */
export function isEligible(rules: Targeting = {}, visitor: Visitor, { now, _sourceOf: sourceOf }: At): Tri {
  const { url, referrer, events, cookies } = visitor;
  return Math.min(
    listed(rules.allowed_country, visitor.country, (entry, country) => same(entry.code, country)),
    listed(rules.allowed_region, visitor.region, isSamePlace),
    listed(rules.allowed_city, visitor.city, isSamePlace),
    listed(rules.device_rule, visitor.device, same),
    listed(rules.browser_rule, visitor.browser, same),
    listed(rules.os_rule, visitor.os, same),
    listed(([] as string[]).concat(rules.user_rule ?? []), visitor.visitor_type, same),
    listed(rules.browser_language_rule, visitor.language, isLanguage),
    listed(rules.ga4_rule, visitor.audiences, (entry, names) => names.some((name) => same(entry, name))),
    listed(rules.url_rule, url, isPage),
    listed(rules.schedule_rule?.schedule_groups, visitor.local_time, isDuring),
    grouped(rules.segment_rule, now, (name) => visitor.attributes.get(name) ?? null),
    grouped(rules.parameter_rule, now, (name) => url && parameterOf(url, name)),
    grouped(rules.cookie_rule, now, (name) => cookies && (cookies.get(name) ?? null)),
    grouped(rules.referral_rule, now, (part) =>
      part === "source"
        ? visitor.source || (referrer === undefined ? referrer : sourceOf?.(referrer, url))
        : referrer && (referrer[part as "url" | "host"] || null),
    ),
    all(rules.event_rule ?? [], (entry) => {
      if (events === undefined) return UNKNOWN;
      const isEnough = (events ?? []).filter((event) => counts(entry, event, now)).length >= entry.min_count;
      return +(isEnough === (entry.rule === "equal"));
    }),
  );
}
