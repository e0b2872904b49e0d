// Validates a ruleset: docs/assignment.md, What is refused. The script on pages leaves this out, as the server delivers
// valid rulesets only.

import type { Condition, Experiment, GroupStretch, Scalar, Ruleset, Targeting } from "../ruleset";
import { numberOf } from "./condition";
import { Refused } from "./refused";

export { Refused };

const utf8 = new TextEncoder();
const bytes = (value: string): number => utf8.encode(value).length;

// A shape is a predicate on a value. The shape of an optional member also accepts `undefined`.

type Shape = (value: unknown) => boolean;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const text: Shape = (value) => typeof value === "string";
const flag: Shape = (value) => typeof value === "boolean";
const integer: Shape = (value) => Number.isInteger(value);
const natural: Shape = (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32;
const plain: Shape = (value) => text(value) || flag(value) || typeof value === "number";
const word =
  (...words: unknown[]): Shape =>
  (value) =>
    words.includes(value);
const list =
  (of: Shape): Shape =>
  (value) =>
    Array.isArray(value) && value.every(of);
const object =
  (members: Record<string, Shape>): Shape =>
  (value) =>
    isObject(value) && Object.entries(members).every(([name, of]) => of(value[name]));
const optional =
  (of: Shape): Shape =>
  (value) =>
    value === undefined || of(value);
const nullable =
  (of: Shape): Shape =>
  (value) =>
    value === undefined || value === null || of(value);

const GROUPS = list(list(object({ criteria: text, operator: text, value: nullable(plain) })));
const PLACES = list(object({ name: text, rule: word("equal", "notEqual") }));
const RULES: Record<string, Shape> = {
  referral_rule: optional(GROUPS),
  allowed_country: optional(list(object({ name: text, code: text, rule: word("whitelist", "blacklist") }))),
  allowed_region: optional(PLACES),
  allowed_city: optional(PLACES),
  device_rule: optional(list(text)),
  browser_rule: optional(list(text)),
  os_rule: optional(list(text)),
  user_rule: optional((value) => text(value) || list(text)(value)),
  browser_language_rule: optional(list(text)),
  segment_rule: optional(GROUPS),
  event_rule: optional(
    list(
      object({
        rule: word("equal", "notEqual"),
        name: text,
        min_count: integer,
        timeframe_days: integer,
        attributes: list(list(object({ key: text, operand: text, value: nullable(plain) }))),
      }),
    ),
  ),
  parameter_rule: optional(GROUPS),
  ga4_rule: optional(list(text)),
  cookie_rule: optional(GROUPS),
  schedule_rule: nullable(
    object({
      schedule_groups: list(object({ days: list(text), time_ranges: list(object({ start: text, end: text })) })),
    }),
  ),
};
const PAGES = optional(
  list(object({ url: text, allowed: flag, rule: word("simple", "exact", "contain", "wildcard", "regex") })),
);
const CODE = { customJS: optional(text), customCSS: optional(text) };
const GROUP_STRETCH = object({ salt: text, from: natural, to: natural });
const EXPERIMENT = object({
  test_id: integer,
  experiment_key: text,
  test_type: text,
  live: flag,
  epoch: integer,
  salt: text,
  traffic_allocation: natural,
  ranges: list((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(natural)),
  serving: nullable(object({ variant_id: text, traffic_allocation: natural })),
  exclusion: nullable(GROUP_STRETCH),
  holdouts: optional(list(GROUP_STRETCH)),
  targeting: optional(object({ ...RULES, url_rule: PAGES })),
  variants_data_key: text,
  dom_change_path: nullable(text),
  trigger_variant_change: nullable(text),
  custom_js: optional(text),
  custom_css: optional(text),
  control: optional(object(CODE)),
  variants: list(object({ ...CODE, data: optional(list(isObject)), targeting: nullable(object(RULES)) })),
  tools: optional(list(object({ name: text, settings: optional(isObject) }))),
  name: nullable(text),
});
const RULESET = object({
  format: natural,
  hash: natural,
  project_key: text,
  goals: optional(
    list(object({ goal_key: text, goal_type: text, goal_value: (value) => text(value) || integer(value) })),
  ),
  experiments: list(EXPERIMENT),
});

const isRuleset = (document: unknown): document is Ruleset => RULESET(document);

/**
 * Parses a document as a ruleset. Throws `Refused` with the paths of the invalid members, or with null when the document
 * does not have the shape of a ruleset.
 */
export function rulesetOf(document: unknown): Ruleset {
  if (!isRuleset(document)) throw new Refused(null);
  const wrong: string[] = [];
  if (document.format !== 1 && document.format !== 2) wrong.push("format");
  if (document.hash !== 1) wrong.push("hash");
  const keys = new Set<string>();
  document.experiments.forEach((experiment, at) => {
    const found = flawsOf(experiment);
    if (found.length === 0) {
      if (keys.has(experiment.experiment_key)) found.push("experiment_key");
      keys.add(experiment.experiment_key);
    }
    wrong.push(...found.map((place) => `experiments[${at}].${place}`));
  });
  if (wrong.length > 0) throw new Refused(wrong);
  return document;
}

const isSalt = (salt: string): boolean => salt !== "" && bytes(salt) <= 128;
const isArm = (id: string, last: number): boolean => /^(0|[1-9]\d*)$/.test(id) && Number(id) <= last;

function flawsOf(experiment: Experiment): string[] {
  const { test_type, variants, salt, traffic_allocation, exclusion, serving, ranges, targeting } = experiment;
  const { holdouts = [] } = experiment;
  const wrong: string[] = [];
  const must = (good: boolean, place: string): void => {
    if (!good) wrong.push(place);
  };
  must(["abtest", "split", "personalization"].includes(test_type), "test_type");
  must(variants.length <= 50, "variants");
  must(isSalt(salt), "salt");
  must(traffic_allocation <= 100, "traffic_allocation");
  const mustBeStretch = ({ salt: own, from, to }: GroupStretch, place: string): void => {
    must(isSalt(own), `${place}.salt`);
    must(from <= to && to <= 10_000, place);
  };
  if (exclusion) mustBeStretch(exclusion, "exclusion");
  must(holdouts.length <= 100, "holdouts");
  holdouts.forEach((holdout, at) => mustBeStretch(holdout, `holdouts[${at}]`));
  if (serving) {
    must(serving.traffic_allocation <= 100, "serving.traffic_allocation");
    must(isArm(serving.variant_id, variants.length), "serving.variant_id");
  }
  let before = 0;
  ranges.forEach(([end, arm], at) => {
    must(end > before && end <= 10_000, `ranges[${at}][0]`);
    must(arm <= variants.length, `ranges[${at}][1]`);
    before = end;
  });
  must(before === 10_000, "ranges");
  wrong.push(...flawsOfRules(targeting ?? {}).map((place) => `targeting.${place}`));
  if (test_type === "personalization") {
    variants.forEach((variant, at) => {
      const found = flawsOfRules({ ...variant.targeting, url_rule: [] });
      wrong.push(...found.map((place) => `variants[${at}].targeting.${place}`));
    });
  }
  return wrong;
}

function flawsOfRules(rules: Targeting): string[] {
  const wrong: string[] = [];
  const must = (good: boolean, place: string): void => {
    if (!good) wrong.push(place);
  };
  must(typeof rules.user_rule !== "object" || rules.user_rule.length <= 1, "user_rule");
  const groups = (name: string, of: Condition[][] | undefined, isCriteria = (_: string): boolean => true): void =>
    of?.forEach((group, at) =>
      group.forEach(({ criteria, operator, value }, nth) =>
        must(isCriteria(criteria) && isOperator(operator, value), `${name}[${at}][${nth}]`),
      ),
    );
  groups("segment_rule", rules.segment_rule);
  groups("parameter_rule", rules.parameter_rule);
  groups("cookie_rule", rules.cookie_rule);
  groups("referral_rule", rules.referral_rule, (criteria) => ["url", "host", "source"].includes(criteria));
  rules.url_rule?.forEach(({ url, rule }, at) => must(rule !== "regex" || isPortable(url), `url_rule[${at}].url`));
  rules.event_rule?.forEach(({ min_count, timeframe_days, attributes }, at) => {
    must(min_count >= 1 && min_count <= 1_000_000, `event_rule[${at}].min_count`);
    must(timeframe_days >= 0 && timeframe_days <= 3_650, `event_rule[${at}].timeframe_days`);
    attributes.forEach((group, nth) =>
      group.forEach(({ operand, value }, within) =>
        must(isOperator(operand, value), `event_rule[${at}].attributes[${nth}][${within}]`),
      ),
    );
  });
  rules.schedule_rule?.schedule_groups.forEach(({ days, time_ranges }, at) => {
    const place = `schedule_rule.schedule_groups[${at}]`;
    must(
      days.every((day) => /^(mon|tues|wednes|thurs|fri|satur|sun)day$/.test(day)),
      `${place}.days`,
    );
    const areTimes = time_ranges.every(({ start, end }) => isTime(start) && (end === "24:00" || isTime(end)));
    must(areTimes, `${place}.time_ranges`);
  });
  return wrong;
}

const isTime = (time: string): boolean => /^([01]\d|2[0-3]):[0-5]\d$/.test(time);

function isOperator(operator: string, value: Scalar | null | undefined): boolean {
  if (/^(ex|nx|bt|bf)$/.test(operator)) return true;
  if (value === undefined || value === null) return false;
  if (/^(==|!=|\*\*|!\*)$/.test(operator)) return true;
  return /^((days_)?[gl]te?|[<>]=?)$/.test(operator) && !isNaN(numberOf(value));
}

/**
 * Returns whether this engine accepts a regular expression that has no syntax specific to JavaScript. The server makes
 * the further checks, which keep expressions portable and fast.
 */
function isPortable(expression: string): boolean {
  try {
    RegExp(expression);
  } catch {
    return false;
  }
  return bytes(expression) <= 512 && !/\(\?[=!<]|\\[1-9k]/.test(expression);
}
