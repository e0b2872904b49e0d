// Evaluates targeting rules for a visitor: docs/assignment.md, Targeting.

import type { Condition, EventRule, Scalar, ScheduleGroup, Targeting } from "../ruleset";
import { holds, same } from "./condition";
import { parameterOf } from "./referrer";
import { asciiLowercase } from "./text";
import { allHold, anyHolds, NO, type Tri, UNKNOWN, YES } from "./tri";
import { isPage } from "./url-rule";
import { type DecisionContext, DAY_MS, type Fact, type LocalTime, type PastEvent, type Visitor } from "./visitor";

/**
 * Evaluates a rule that lists allowed and denied values of one fact. `NO` when a denying entry matches, whatever else
 * matches; otherwise `YES` when an allowing entry matches or there is no allowing entry.
 */
function listHolds<E, T>(entries: readonly E[] = [], fact: Fact<T>, means: (entry: E, fact: T) => boolean): Tri {
  let outside: Tri = YES;
  let inside: Tri = NO;
  if (entries.length && fact === undefined) return UNKNOWN;
  for (const entry of entries) {
    // Plain strings and schedule groups have neither member: they allow.
    const { rule, allowed } = entry as { rule?: string; allowed?: boolean };
    const isMeant = fact && means(entry, fact);
    // `blacklist` and `notEqual` deny; no other value of `rule` starts with these letters.
    if (allowed === false || /^[bn]/.test(rule!)) {
      if (isMeant) return NO;
    } else {
      outside = NO;
      if (isMeant) inside = YES;
    }
  }
  return outside || inside;
}

/** All groups must hold, each by any of its conditions; a group without conditions always holds. */
const groupsHold = (groups: readonly Condition[][] = [], now: number, left: (criteria: string) => Fact<Scalar>): Tri =>
  allHold(groups, (group) =>
    group.length
      ? anyHolds(group, ({ criteria, operator, value }) => holds(operator, value, left(criteria), now))
      : YES,
  );

/** `Berlin` equals `Berlin (Berlin)`: the longer name may have anything in brackets at its end. */
function isSamePlace({ name }: { name: string }, place: string): boolean {
  const [one, other] = [`${asciiLowercase(name)} (`, `${asciiLowercase(place)} (`];
  return one.startsWith(other) || other.startsWith(one);
}

const isLanguage = (entry: string, tag: string): boolean =>
  // Beyond the end of the tag `charAt` gives the empty string, which every string includes.
  asciiLowercase(tag).startsWith(asciiLowercase(entry)) && "-_".includes(tag.charAt(entry.length));

function isCounted({ name, timeframe_days, attributes }: EventRule, event: PastEvent, now: number): boolean {
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
  // Two letters distinguish the days, in the order of `Date.getDay`.
  const on = (day: number): boolean =>
    !days.length || days.some((name) => "sumotuwethfrsa".indexOf(name.slice(0, 2)) === (day % 7) * 2);
  return time_ranges.length
    ? time_ranges.some(({ start, end }) => {
        const begun = on(weekday) && time >= start;
        // A range that passes midnight continues on the morning of the next day.
        return start < end ? begun && time < end : begun || (on(weekday + 6) && time < end);
      })
    : on(weekday);
}

/** Evaluates all rules for a visitor; `YES` when they all hold. */
export function isEligible(
  rules: Targeting = {},
  visitor: Visitor,
  { now, _sourceOf: sourceOf }: DecisionContext,
): Tri {
  const { url, referrer, events, cookies } = visitor;
  return Math.min(
    listHolds(rules.allowed_country, visitor.country, (entry, country) => same(entry.code, country)),
    listHolds(rules.allowed_region, visitor.region, isSamePlace),
    listHolds(rules.allowed_city, visitor.city, isSamePlace),
    listHolds(rules.device_rule, visitor.device, same),
    listHolds(rules.browser_rule, visitor.browser, same),
    listHolds(rules.os_rule, visitor.os, same),
    listHolds(([] as string[]).concat(rules.user_rule ?? []), visitor.visitor_type, same),
    listHolds(rules.browser_language_rule, visitor.language, isLanguage),
    listHolds(rules.ga4_rule, visitor.audiences, (entry, names) => names.some((name) => same(entry, name))),
    listHolds(rules.url_rule, url, isPage),
    listHolds(rules.schedule_rule?.schedule_groups, visitor.local_time, isDuring),
    groupsHold(rules.segment_rule, now, (name) => visitor.attributes.get(name) ?? null),
    groupsHold(rules.parameter_rule, now, (name) => url && parameterOf(url, name)),
    groupsHold(rules.cookie_rule, now, (name) => cookies && (cookies.get(name) ?? null)),
    groupsHold(rules.referral_rule, now, (part) =>
      part === "source"
        ? visitor.source || (referrer === undefined ? referrer : sourceOf?.(referrer, url))
        : referrer && (referrer[part as "url" | "host"] || null),
    ),
    allHold(rules.event_rule ?? [], (entry) => {
      if (events === undefined) return UNKNOWN;
      const isEnough = (events ?? []).filter((event) => isCounted(entry, event, now)).length >= entry.min_count;
      return +(isEnough === (entry.rule === "equal"));
    }),
  );
}
