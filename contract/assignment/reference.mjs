// The assignment specification in plain JavaScript: docs/assignment.md and docs/assignment-pages.md, section by section, for
// reading and for checking other implementations against. Nothing here is tuned; every decision starts from the document.

export const BUCKETS = 1_000_000;
const DAY_MS = 86_400_000;
const utf8 = new TextEncoder();
const bytes = (text) => utf8.encode(text).length;

// Hashing

export function murmur3(text) {
  const data = utf8.encode(text);
  const mixed = (block) => {
    block = Math.imul(block, 0xcc9e2d51);
    return Math.imul((block << 15) | (block >>> 17), 0x1b873593);
  };
  let hash = 0;
  const whole = data.length & ~3;
  for (let at = 0; at < whole; at += 4) {
    hash ^= mixed(data[at] | (data[at + 1] << 8) | (data[at + 2] << 16) | (data[at + 3] << 24));
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let at = data.length - 1; at >= whole; at--) tail = (tail << 8) | data[at];
  hash ^= mixed(tail) ^ data.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

export const bucket = (text) => Math.floor((murmur3(text) * BUCKETS) / 4294967296);

// Texts, numbers, dates

const folded = (text) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const same = (left, right) => folded(left) === folded(right);

/** The number that a plain value reads as, or null. */
export function asNumber(value) {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return null;
  const text = value.replace(/^[\t\n\f\r ]+/, "").replace(/[\t\n\f\r ]+$/, "");
  if (!/^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text)) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

/** A plain value as text. */
export function asText(value) {
  if (typeof value !== "number") return String(value);
  const size = Math.abs(value);
  return size === 0 ? "0" : size < 1e-6 || size >= 1e21 ? "" : String(value);
}

/** Milliseconds since 1970 of a date, or null. */
export function dateMs(text) {
  const form =
    /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d):(\d\d))?)?$/.exec(text);
  if (!form) return null;
  const [year, month, day, hour, minute, second] = form.slice(1, 7).map((part) => Number(part ?? 0));
  const [offsetHour, offsetMinute] = form.slice(9).map((part) => Number(part ?? 0));
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return null;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  const offset = (offsetHour * 60 + offsetMinute) * (form[8] === "-" ? -1 : 1);
  const fraction = Number((form[7] ?? "").padEnd(3, "0").slice(0, 3));
  return date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + fraction;
}

/** The moment that a plain value names, or null. */
export function asMoment(value) {
  const number = asNumber(value);
  if (number !== null) return Math.floor(Math.abs(number) < 1e11 ? number * 1000 : number);
  return typeof value === "string" ? dateMs(value) : null;
}

// Operators

const COMPARES = {
  gt: (left, right) => left > right,
  gte: (left, right) => left >= right,
  lt: (left, right) => left < right,
  lte: (left, right) => left <= right,
};
const SIGNS = { ">": "gt", ">=": "gte", "<": "lt", "<=": "lte" };
const WITHOUT_VALUE = ["ex", "nx", "bt", "bf"];
const OF_TEXT = ["==", "!=", "**", "!*"];

function isOperator(operator, value) {
  if (WITHOUT_VALUE.includes(operator)) return true;
  if (value === undefined || value === null) return false;
  if (OF_TEXT.includes(operator)) return true;
  const compares = SIGNS[operator] ?? operator.replace(/^days_/, "");
  return Object.hasOwn(COMPARES, compares) && asNumber(value) !== null;
}

function equals(left, value) {
  if (typeof left === "number" || typeof value === "number") {
    const [one, other] = [asNumber(left), asNumber(value)];
    if (one !== null && other !== null) return one === other;
  }
  return same(asText(left), asText(value));
}

/** Whether an operator holds; `left` is undefined where there is none. */
export function holds(operator, value, left, now) {
  const none = left === undefined;
  const contains = () => folded(asText(left)).includes(folded(asText(value)));
  const says = (word, number) =>
    left === (word === "true") ||
    left === number ||
    left === String(number) ||
    (typeof left === "string" && same(left, word));
  switch (operator) {
    case "ex":
      return !none;
    case "nx":
      return none;
    case "==":
      return !none && equals(left, value);
    case "!=":
      return none || !equals(left, value);
    case "**":
      return !none && contains();
    case "!*":
      return none || !contains();
    case "bt":
      return !none && says("true", 1);
    case "bf":
      return !none && says("false", 0);
  }
  if (none) return false;
  if (operator.startsWith("days_")) {
    const moment = asMoment(left);
    return moment !== null && COMPARES[operator.slice(5)](now - moment, asNumber(value) * DAY_MS);
  }
  const number = asNumber(left);
  return number !== null && COMPARES[SIGNS[operator] ?? operator](number, asNumber(value));
}

// Yes (true), no (false), unknown (null)

const all = (answers) => (answers.includes(false) ? false : answers.includes(null) ? null : true);
const any = (answers) => (answers.includes(true) ? true : answers.includes(null) ? null : false);

// The context. Facts are `undefined` when not known, `null` when known to be none.

const FACTS = [
  "country",
  "region",
  "city",
  "device",
  "browser",
  "os",
  "language",
  "visitor_type",
  "source",
  "referrer",
];
const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const TEXT_MAX = 8192;
const LIST_MAX = 1000;

const isText = (value) => typeof value === "string" && bytes(value) <= TEXT_MAX;
const isPlain = (value) => isText(value) || typeof value === "boolean" || Number.isFinite(value);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** A context, checked. Throws a `Refused` with the names of what is wrong. */
export function visitorOf(context) {
  const wrong = [];
  const must = (good, name) => good || (wrong.push(name), false);
  const visitor = { attributes: new Map(), sticky: new Map() };
  const beside = new Map();
  const listed = (value) => Array.isArray(value) && value.length <= LIST_MAX;
  const named = (value) => isObject(value) && Object.keys(value).length <= LIST_MAX;
  const attributes = (value) => named(value) && Object.values(value).every((each) => each === null || isPlain(each));
  const some = (value) => Object.entries(value ?? {}).filter(([, each]) => each !== null);
  const occurrence = (event) => {
    if (!isObject(event) || Object.keys(event).some((key) => !["name", "at", "attributes"].includes(key))) return null;
    const { name, at, attributes: given = null } = event;
    const ms =
      typeof at === "string" ? dateMs(at) : typeof at === "number" && Math.abs(at) <= 8.64e15 ? Math.floor(at) : null;
    const good = isText(name) && name !== "" && ms !== null && (given === null || attributes(given));
    return good ? { name, at: ms, attributes: new Map(some(given)) } : null;
  };

  for (const [name, value] of Object.entries(context)) {
    if (name === "targetingKey") {
      if (must(typeof value === "string" && value !== "" && bytes(value) <= 512, name)) visitor.id = value;
    } else if (FACTS.includes(name)) {
      if (must(value === null || isText(value), name)) visitor[name] = value || null;
    } else if (name === "url") {
      if (must(value === null || isText(value), name)) {
        visitor.url = value ? addressOf(value) : null;
        must(!value || visitor.url, name);
      }
    } else if (name === "audiences") {
      if (must(value === null || (listed(value) && value.every(isText)), name)) visitor.audiences = value;
    } else if (name === "events") {
      const events = listed(value) ? value.map(occurrence) : null;
      if (must(value === null || (events && !events.includes(null)), name)) visitor.events = events;
    } else if (name === "cookies") {
      if (must(value === null || (named(value) && Object.values(value).every(isText)), name)) {
        visitor.cookies = value && new Map(Object.entries(value));
      }
    } else if (name === "local_time") {
      const form = /^([a-z]+) ([01]\d|2[0-3]):([0-5]\d)$/.exec(value ?? "");
      const good = form && DAYS.includes(form[1]) && typeof value === "string";
      if (must(value === null || value === "" || good, name)) {
        visitor.local_time = good ? { day: DAYS.indexOf(form[1]), minute: form[2] * 60 + Number(form[3]) } : null;
      }
    } else if (name === "sticky") {
      const arms = named(value) ? Object.entries(value).map(([key, text]) => [key, armOf(text)]) : [];
      if (must(value === null || (named(value) && arms.every(([, arm]) => arm !== null)), name))
        visitor.sticky = new Map(arms);
    } else if (name === "attributes") {
      if (must(value === null || attributes(value), name)) {
        for (const [key, each] of some(value)) visitor.attributes.set(key, each);
      }
    } else if (isPlain(value)) {
      beside.set(name, value);
    }
  }
  for (const [name, value] of beside) if (!visitor.attributes.has(name)) visitor.attributes.set(name, value);
  if (visitor.id === undefined && !wrong.includes("targetingKey")) wrong.push("targetingKey");
  if (wrong.length > 0) throw new Refused(wrong);
  return visitor;
}

const armName = (arm) => (arm === 0 ? "Control" : `Variant ${arm}`);

function armOf(name) {
  if (name === "Control") return 0;
  const form = /^Variant ([1-9]\d{0,9})$/.exec(name);
  return typeof name === "string" && form && Number(form[1]) < 2 ** 32 ? Number(form[1]) : null;
}

// The ruleset

/** What is wrong with a document or a context; `places` is null when it has not the shape of one at all. */
export class Refused extends Error {
  constructor(places) {
    super(places ? places.join(", ") : "not of this shape");
    this.places = places;
  }
}

// Shapes: whether a value has one. A shape of an optional member also takes `undefined`.
const text = (value) => typeof value === "string";
const flag = (value) => typeof value === "boolean";
const integer = (value) => Number.isInteger(value);
const natural = (value) => Number.isInteger(value) && value >= 0 && value < 2 ** 32;
const scalar = (value) => text(value) || flag(value) || typeof value === "number";
const word =
  (...words) =>
  (value) =>
    words.includes(value);
const list = (of) => (value) => Array.isArray(value) && value.every(of);
const object = (members) => (value) => isObject(value) && Object.entries(members).every(([key, of]) => of(value[key]));
const optional = (of) => (value) => value === undefined || of(value);
const nullable = (of) => (value) => value === undefined || value === null || of(value);

const groupsOf = list(list(object({ criteria: text, operator: text, value: nullable(scalar) })));
const placesOf = list(object({ name: text, rule: word("equal", "notEqual") }));
const RULES = {
  referral_rule: optional(groupsOf),
  allowed_country: optional(list(object({ name: text, code: text, rule: word("whitelist", "blacklist") }))),
  allowed_region: optional(placesOf),
  allowed_city: optional(placesOf),
  device_rule: optional(list(text)),
  browser_rule: optional(list(text)),
  os_rule: optional(list(text)),
  user_rule: optional((value) => text(value) || list(text)(value)),
  browser_language_rule: optional(list(text)),
  segment_rule: optional(groupsOf),
  event_rule: optional(
    list(
      object({
        rule: word("equal", "notEqual"),
        name: text,
        min_count: integer,
        timeframe_days: integer,
        attributes: list(list(object({ key: text, operand: text, value: nullable(scalar) }))),
      }),
    ),
  ),
  parameter_rule: optional(groupsOf),
  ga4_rule: optional(list(text)),
  cookie_rule: optional(groupsOf),
  schedule_rule: nullable(
    object({
      schedule_groups: list(object({ days: list(text), time_ranges: list(object({ start: text, end: text })) })),
    }),
  ),
};
const URLS = {
  url_rule: optional(
    list(
      object({
        url: text,
        allowed: flag,
        rule: word("simple", "exact", "contain", "wildcard", "regex"),
      }),
    ),
  ),
};
const CODE = { customJS: optional(text), customCSS: optional(text) };
const STRETCH = { salt: text, from: natural, to: natural };
const DOCUMENT = object({
  format: natural,
  hash: natural,
  project_key: text,
  goals: optional(
    list(object({ goal_key: text, goal_type: text, goal_value: (value) => text(value) || integer(value) })),
  ),
  experiments: list(
    object({
      test_id: integer,
      experiment_key: text,
      test_type: text,
      live: flag,
      epoch: integer,
      salt: text,
      traffic_allocation: natural,
      ranges: list((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(natural)),
      serving: nullable(object({ variant_id: text, traffic_allocation: natural })),
      exclusion: nullable(object(STRETCH)),
      holdouts: optional(list(object(STRETCH))),
      targeting: optional(object({ ...RULES, ...URLS })),
      variants_data_key: text,
      dom_change_path: nullable(text),
      trigger_variant_change: nullable(text),
      custom_js: optional(text),
      custom_css: optional(text),
      control: optional(object(CODE)),
      variants: list(object({ ...CODE, data: optional(list(isObject)), targeting: nullable(object(RULES)) })),
      tools: optional(list(object({ name: text, settings: optional(isObject) }))),
      name: nullable(text),
    }),
  ),
});

/** A document's experiments, checked. Throws a `Refused` with the places of what is wrong. */
export function rulesetOf(document) {
  if (!DOCUMENT(document)) throw new Refused(null);
  const wrong = [];
  if (document.format !== 1 && document.format !== 2) wrong.push("format");
  if (document.hash !== 1) wrong.push("hash");
  const keys = new Set();
  document.experiments.forEach((experiment, at) => {
    const found = flaws(experiment);
    if (found.length === 0 && keys.has(experiment.experiment_key)) found.push("experiment_key");
    if (found.length === 0) keys.add(experiment.experiment_key);
    wrong.push(...found.map((place) => `experiments[${at}].${place}`));
  });
  if (wrong.length > 0) throw new Refused(wrong);
  return document.experiments;
}

function flaws(experiment) {
  const wrong = [];
  const { test_type, variants, salt, exclusion, serving, ranges, holdouts = [] } = experiment;
  const refuse = (bad, place) => bad && wrong.push(place);
  refuse(!["abtest", "split", "personalization"].includes(test_type), "test_type");
  refuse(variants.length > 50, "variants");
  refuse(bytes(salt) < 1 || bytes(salt) > 128, "salt");
  refuse(experiment.traffic_allocation > 100, "traffic_allocation");
  const refuseStretch = ({ salt, from, to }, place) => {
    refuse(bytes(salt) < 1 || bytes(salt) > 128, `${place}.salt`);
    refuse(from > to || to > 10_000, place);
  };
  if (exclusion) refuseStretch(exclusion, "exclusion");
  refuse(holdouts.length > 100, "holdouts");
  holdouts.forEach((holdout, at) => refuseStretch(holdout, `holdouts[${at}]`));
  if (serving) {
    refuse(serving.traffic_allocation > 100, "serving.traffic_allocation");
    refuse(!isArmId(serving.variant_id, variants.length), "serving.variant_id");
  }
  let before = 0;
  ranges.forEach(([end, arm], at) => {
    refuse(end <= before || end > 10_000, `ranges[${at}][0]`);
    refuse(arm > variants.length, `ranges[${at}][1]`);
    before = end;
  });
  refuse(before !== 10_000, "ranges");
  wrong.push(...flawsOfRules(experiment.targeting ?? {}).map((place) => `targeting.${place}`));
  if (test_type === "personalization") {
    variants.forEach(({ targeting }, at) => {
      const found = flawsOfRules({ ...targeting, url_rule: [] });
      wrong.push(...found.map((place) => `variants[${at}].targeting.${place}`));
    });
  }
  return wrong;
}

const isArmId = (id, last) => /^(0|[1-9]\d*)$/.test(id) && Number(id) <= last;

function flawsOfRules(rules) {
  const wrong = [];
  const each = (entries, visit) => (entries ?? []).forEach(visit);
  if (Array.isArray(rules.user_rule) && rules.user_rule.length > 1) wrong.push("user_rule");
  for (const rule of ["segment_rule", "parameter_rule", "cookie_rule", "referral_rule"]) {
    each(rules[rule], (group, at) =>
      group.forEach(({ criteria, operator, value }, within) => {
        const known = rule !== "referral_rule" || ["host", "url", "source"].includes(criteria);
        if (!known || !isOperator(operator, value)) wrong.push(`${rule}[${at}][${within}]`);
      }),
    );
  }
  each(rules.url_rule, ({ url, rule }, at) => {
    if (rule === "regex" && !isPortable(url)) wrong.push(`url_rule[${at}].url`);
  });
  each(rules.event_rule, (entry, at) => {
    if (entry.min_count < 1 || entry.min_count > 1_000_000) wrong.push(`event_rule[${at}].min_count`);
    if (entry.timeframe_days < 0 || entry.timeframe_days > 3_650) wrong.push(`event_rule[${at}].timeframe_days`);
    entry.attributes.forEach((group, nth) =>
      group.forEach(({ operand, value }, within) => {
        if (!isOperator(operand, value)) wrong.push(`event_rule[${at}].attributes[${nth}][${within}]`);
      }),
    );
  });
  each(rules.schedule_rule?.schedule_groups, ({ days, time_ranges }, at) => {
    const place = `schedule_rule.schedule_groups[${at}]`;
    days.forEach((day) => {
      if (!DAYS.includes(day)) wrong.push(`${place}.days`);
    });
    time_ranges.forEach(({ start, end }) => {
      if (minutes(start) === null || (end !== "24:00" && minutes(end) === null)) wrong.push(`${place}.time_ranges`);
    });
  });
  return wrong;
}

function minutes(time) {
  const form = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time);
  return form && form[1] * 60 + Number(form[2]);
}

// The decision

/** What a visitor gets of an experiment. `at` is `{now, place, forced?: {test_id, variant_id}}`. */
export function decide(experiment, visitor, at) {
  const [variant, reason] = decided(experiment, visitor, at);
  return {
    variant: variant === null ? null : armName(variant),
    reason,
    in_experiment: reason === "split" || reason === "sticky",
    unenforced: at.place === "server" ? unenforced(experiment).join(",") : "",
  };
}

function decided(experiment, visitor, at) {
  const { salt, variants, serving, exclusion, holdouts = [] } = experiment;
  const { forced } = at;
  if (forced && forced.test_id === experiment.test_id && isArmId(forced.variant_id, variants.length)) {
    return [Number(forced.variant_id), "forced"];
  }
  const isWithin = (stretch) => {
    const groupBucket = bucket(`${stretch.salt}:g:${visitor.id}`);
    return stretch.from * 100 <= groupBucket && groupBucket < stretch.to * 100;
  };
  if (holdouts.some(isWithin)) return [null, "holdout"];
  const trafficBucket = bucket(`${salt}:t:${visitor.id}`);
  if (serving) {
    const eligible = isEligible(experiment.targeting, visitor, at);
    if (eligible !== true) return [null, eligible === false ? "targeting" : "unknown"];
    return trafficBucket < serving.traffic_allocation * 10_000
      ? [Number(serving.variant_id), "served"]
      : [null, "rollout"];
  }
  if (!experiment.live) return [null, "disabled"];
  if (exclusion && !isWithin(exclusion)) return [null, "excluded"];
  const sticky = visitor.sticky.get(experiment.experiment_key);
  if (sticky !== undefined) {
    if (sticky > variants.length) return [null, "variant_gone"];
  } else if (trafficBucket >= experiment.traffic_allocation * 10_000) {
    return [null, "traffic"];
  }
  const eligible = isEligible(experiment.targeting, visitor, at);
  if (eligible !== true) return [null, eligible === false ? "targeting" : "unknown"];
  const variantBucket = bucket(`${salt}:v:${visitor.id}`);
  if (experiment.test_type === "personalization") return personal(experiment, visitor, at, sticky, variantBucket);
  if (sticky !== undefined) return [sticky, "sticky"];
  return [experiment.ranges.find(([end]) => variantBucket < end * 100)[1], "split"];
}

function personal(experiment, visitor, at, sticky, variantBucket) {
  const belongs = experiment.variants.map(({ targeting }) => isEligible({ ...targeting, url_rule: [] }, visitor, at));
  const arm = belongs.indexOf(true) + 1;
  if (arm === 0) return [null, belongs.includes(null) ? "unknown" : "audience"];
  if (sticky === arm || sticky === 0) return [sticky, "sticky"];
  const [control, own] = [weight(experiment.ranges, 0), weight(experiment.ranges, arm)];
  if (control + own === 0) return [null, "traffic"];
  const place = Math.floor((variantBucket * (control + own) * 100) / BUCKETS);
  return [place < control * 100 ? 0 : arm, "split"];
}

function weight(ranges, arm) {
  return ranges.reduce(
    (sum, [end, owner], at) => sum + (owner === arm ? end - (at > 0 ? ranges[at - 1][0] : 0) : 0),
    0,
  );
}

// Targeting

const BROWSER_ONLY = ["cookie_rule", "schedule_rule"];
const isEmpty = (groups) => (groups ?? []).every((group) => group.length === 0);
const restricts = (rules, rule) =>
  rule === "schedule_rule" ? (rules?.schedule_rule?.schedule_groups ?? []).length > 0 : !isEmpty(rules?.[rule]);

function unenforced({ targeting, test_type, variants }) {
  const audiences = [
    targeting,
    ...(test_type === "personalization" ? variants.map((variant) => variant.targeting) : []),
  ];
  return BROWSER_ONLY.filter((rule) => audiences.some((rules) => restricts(rules, rule)));
}

/** Whether all rules hold for a visitor. */
export function isEligible(rules, visitor, { now, place }) {
  const answers = [];
  const asked = (rule) => restricts(rules, rule) && !(place === "server" && BROWSER_ONLY.includes(rule));
  // A rule about one fact: what it says of the fact when it is known, and when there is none.
  const about = (fact, ofValue, ofNone) =>
    answers.push(fact === undefined ? null : fact === null ? ofNone() : ofValue(fact));
  const no = () => false;
  const filled = (rule) => (rules?.[rule] ?? []).length > 0;

  for (const [rule, fact] of [
    ["device_rule", "device"],
    ["browser_rule", "browser"],
    ["os_rule", "os"],
  ]) {
    if (filled(rule)) about(visitor[fact], (value) => rules[rule].some((entry) => same(entry, value)), no);
  }
  const userRule = rules?.user_rule === undefined ? [] : [rules.user_rule].flat();
  if (userRule.length > 0) about(visitor.visitor_type, (value) => same(userRule[0], value), no);
  if (filled("browser_language_rule")) {
    const means = (tag) => (entry) => {
      const next = tag.charAt(entry.length);
      return folded(tag).startsWith(folded(entry)) && ["", "-", "_"].includes(next);
    };
    about(visitor.language, (tag) => rules.browser_language_rule.some(means(tag)), no);
  }
  for (const [rule, fact, means, into, out] of [
    ["allowed_country", "country", (entry, value) => same(entry.code, value), "whitelist", "blacklist"],
    ["allowed_region", "region", (entry, value) => isSamePlace(entry.name, value), "equal", "notEqual"],
    ["allowed_city", "city", (entry, value) => isSamePlace(entry.name, value), "equal", "notEqual"],
  ]) {
    if (!filled(rule)) continue;
    const entries = (mode) => rules[rule].filter((entry) => entry.rule === mode);
    const one = (mode, value) => entries(mode).some((entry) => means(entry, value));
    const open = () => entries(into).length === 0;
    about(visitor[fact], (value) => !one(out, value) && (open() || one(into, value)), open);
  }
  if (filled("ga4_rule")) {
    about(visitor.audiences, (names) => rules.ga4_rule.some((entry) => names.some((name) => same(entry, name))), no);
  }

  // Groups: all of them, any condition of each.
  const grouped = (rule, ofCondition) =>
    all(rules[rule].filter((group) => group.length > 0).map((group) => any(group.map(ofCondition))));
  const lookedUp = (look) => (condition) => holds(condition.operator, condition.value, look(condition.criteria), now);
  if (asked("segment_rule"))
    answers.push(
      grouped(
        "segment_rule",
        lookedUp((name) => visitor.attributes.get(name)),
      ),
    );
  if (asked("parameter_rule")) {
    const of = (look) => grouped("parameter_rule", lookedUp(look));
    about(
      visitor.url,
      (page) => of((name) => parameterOf(page, name)),
      () => of(() => undefined),
    );
  }
  if (asked("cookie_rule")) {
    const of = (look) => grouped("cookie_rule", lookedUp(look));
    about(
      visitor.cookies,
      (cookies) => of((name) => cookies.get(name)),
      () => of(() => undefined),
    );
  }
  if (asked("referral_rule")) {
    const from = visitor.referrer && referrerOf(visitor.referrer);
    answers.push(
      grouped("referral_rule", ({ criteria, operator, value }) => {
        if (criteria === "source" && visitor.source) return holds(operator, value, visitor.source, now);
        if (from === undefined) return null;
        const left = {
          url: () => from?.text,
          host: () => from?.host,
          source: () => sourceOf(from, visitor.url ?? null),
        };
        return holds(operator, value, left[criteria](), now);
      }),
    );
  }
  if (filled("url_rule")) {
    const matches = (allowed, page) => rules.url_rule.some((rule) => rule.allowed === allowed && isPage(rule, page));
    const open = () => !rules.url_rule.some((rule) => rule.allowed);
    about(visitor.url, (page) => !matches(false, page) && (open() || matches(true, page)), open);
  }
  if (filled("event_rule")) {
    const done = (events) =>
      rules.event_rule.every((entry) => {
        const count = events.filter((event) => counts(entry, event, now)).length;
        return count >= entry.min_count === (entry.rule === "equal");
      });
    about(visitor.events, done, () => done([]));
  }
  if (asked("schedule_rule")) {
    about(visitor.local_time, (time) => rules.schedule_rule.schedule_groups.some((group) => isDuring(group, time)), no);
  }
  return all(answers);
}

function isSamePlace(one, other) {
  const [short, long] = [folded(one), folded(other)].sort((left, right) => left.length - right.length);
  return long === short || long.startsWith(`${short} (`);
}

function counts(entry, event, now) {
  const met = ({ key, operand, value }) => holds(operand, value, event.attributes.get(key), now);
  return (
    event.name === entry.name &&
    (entry.timeframe_days === 0 || now - event.at <= entry.timeframe_days * DAY_MS) &&
    (entry.attributes.length === 0 || entry.attributes.some((group) => group.every(met)))
  );
}

function isDuring({ days, time_ranges }, { day, minute }) {
  const on = (index) => days.length === 0 || days.includes(DAYS[(index + 7) % 7]);
  if (time_ranges.length === 0) return on(day);
  return time_ranges.some((range) => {
    const [start, end] = [minutes(range.start), range.end === "24:00" ? 1440 : minutes(range.end)];
    if (start < end) return on(day) && minute >= start && minute < end;
    return (on(day) && minute >= start) || (on(day - 1) && minute < end);
  });
}

// Pages: docs/assignment-pages.md

const ADDRESS_MAX = 2048;
const ESCAPE = "%[0-9A-Fa-f]{2}";

/** A text with every character outside `!` to `~` as percent-escapes. */
const ascii = (text) =>
  text.replace(/[^!-~]+/gu, (part) =>
    Array.from(utf8.encode(part), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );

/** What follows the scheme, taken apart; the host in its own letter case. */
function partsOf(text) {
  let [, authority, path, query, fragment] = /^([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(text);
  authority = authority.slice(authority.lastIndexOf("@") + 1);
  const port = /:[0-9]*$/.exec(authority)?.[0] ?? "";
  return {
    host: folded(authority.slice(0, authority.length - port.length)).replace(/\.$/, ""),
    port: ["", ":", ":80", ":443"].includes(port) ? "" : port,
    path: path || "/",
    query: query === undefined || query === "?" ? "" : query,
    fragment: fragment === undefined || fragment === "#" ? "" : fragment,
  };
}

const whole = (scheme, { host, port, path, query, fragment }) => `${scheme}://${host}${port}${path}${query}${fragment}`;

/** The plain form of an address, taken apart, or null. */
export function addressOf(text, schemes = ["http", "https"]) {
  const plain = ascii(text).slice(0, ADDRESS_MAX);
  const scheme = schemes.find((each) => folded(plain).startsWith(`${each}://`));
  if (scheme === undefined) return null;
  const parts = partsOf(plain.slice(scheme.length + 3));
  return parts.host === "" ? null : { ...parts, scheme, text: whole(scheme, parts) };
}

/** The first value of a parameter, or undefined. */
export function parameterOf(page, name) {
  return new URLSearchParams(page.query).get(name) ?? undefined;
}

/** Whether an entry of `url_rule` matches a page. */
export function isPage({ rule, url }, page) {
  if (rule === "regex") return new RegExp(url).test(page.text);
  const text = ascii(url.replace(/^[\t\n\r ]+/, "").replace(/[\t\n\r ]+$/, ""));
  if (rule === "contain") return folded(page.text).includes(folded(text));
  return rule === "wildcard" ? isWildcardOf(folded(text), page) : isAddressOf(text, rule === "exact", page);
}

const isPath = (text) => text.startsWith("/") && !text.startsWith("//");
const withoutSlashes = (text) => text.replace(/^\/\//, "");

function isAddressOf(text, exactly, page) {
  const scheme = ["http", "https"].find((each) => folded(text).startsWith(`${each}://`));
  const named = partsOf(scheme ? text.slice(scheme.length + 3) : withoutSlashes(text));
  const anywhere = !scheme && isPath(text);
  const escapes = new RegExp(ESCAPE, "g");
  const equal = (left, right) => left.replace(escapes, folded) === right.replace(escapes, folded);
  if (exactly) {
    return (
      (!scheme || scheme === page.scheme) &&
      (anywhere || (named.host === page.host && named.port === page.port)) &&
      equal(named.path, page.path) &&
      equal(named.query, page.query) &&
      (named.fragment === "" || equal(named.fragment, page.fragment))
    );
  }
  const open = (path) => path.replace(/\/$/, "");
  return (
    (anywhere || (bare(named.host) === bare(page.host) && named.port === page.port)) &&
    equal(open(named.path), open(page.path)) &&
    (!isRoute(named.fragment) || (isRoute(page.fragment) && equal(routeOf(named.fragment), routeOf(page.fragment))))
  );
}

/** Whether a fragment names a page of an application. */
const isRoute = (fragment) => fragment.startsWith("#/") || fragment.startsWith("#!/");

/** A route without its parameters and one `/` at its end. */
const routeOf = (fragment) => fragment.split("?")[0].replace(/\/$/, "");

const bare = (host) => host.replace(/^www\./, "");

function isWildcardOf(pattern, page) {
  const fromScheme = /^[^/]*:\/\//.test(pattern);
  const from = fromScheme ? "" : isPath(pattern) ? `${page.scheme}://${page.host}${page.port}` : `${page.scheme}://`;
  const pieces = withoutSlashes(pattern).split("*");
  const fragment = pattern.includes("#") ? page.fragment : "";
  const tried = [page, { ...page, query: "" }];
  if (page.path === "/") tried.push({ ...page, query: "", path: "" });
  return tried.some((each) => isMadeOf(pieces, folded(whole(page.scheme, { ...each, fragment })).slice(from.length)));
}

/** Whether a text is these pieces in order, with anything between them. The first place of each leaves most room for the others. */
function isMadeOf([head, ...pieces], text) {
  if (pieces.length === 0) return text === head;
  if (!text.startsWith(head)) return false;
  const tail = pieces.pop();
  let at = head.length;
  for (const piece of pieces) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - tail.length >= at && text.endsWith(tail);
}

/** A referrer as rules see it. */
export function referrerOf(text) {
  return addressOf(text, ["http", "https", "android-app"]) ?? { text: ascii(text).slice(0, ADDRESS_MAX) };
}

const CLICKS = ["gclid", "gbraid", "wbraid", "dclid", "msclkid", "ttclid", "li_fat_id", "twclid"];
const KINDS = [
  {
    source: "paid",
    medium: "paid",
    mediums: "affiliate affiliates banner cpa cpc cpm cpv display ppc remarketing retargeting".split(" "),
    hosts: [],
  },
  {
    source: "email",
    medium: "email",
    mediums: "mail newsletter".split(" "),
    hosts: "mail webmail outlook e.mail.ru fastmail.com hey.com deref-gmx.net deref-web.de com.google.android.gm".split(
      " ",
    ),
  },
  {
    source: "social",
    medium: "social",
    mediums: "sm".split(" "),
    hosts: `
      facebook.com instagram.com threads.com threads.net messenger.com whatsapp.com x.com twitter.com t.co
      linkedin.com lnkd.in reddit.com pinterest pinterest.com tiktok.com youtube.com youtu.be snapchat.com
      tumblr.com quora.com vk.com ok.ru weibo.com xing.com bsky.app mastodon.social discord.com t.me telegram.org
      news.ycombinator.com com.linkedin.android com.reddit.frontpage org.telegram.messenger`
      .trim()
      .split(/\s+/),
  },
  {
    source: "search",
    medium: "organic",
    mediums: [],
    hosts: `
      google bing.com duckduckgo.com yandex ya.ru baidu.com search.yahoo.com search.yahoo.co.jp ecosia.org qwant.com
      startpage.com search.brave.com kagi.com mojeek.com swisscows.com metager.org metager.de search.naver.com
      search.daum.net search.seznam.cz sogou.com so.com coccoc.com search.aol.com ask.com
      com.google.android.googlequicksearchbox`
      .trim()
      .split(/\s+/),
  },
];

/** What kind of way led a visitor to the page. */
export function sourceOf(from, page) {
  const parameter = (name) => (page && parameterOf(page, name)) || "";
  if (CLICKS.some((name) => parameter(name) !== "")) return "paid";
  const medium = folded(parameter("utm_medium").replace(/[^A-Za-z]+/g, ""));
  if (page && from?.host && bare(from.host) === bare(page.host)) from = null;
  const host = from?.host ? bare(from.host) : null;
  const means = (entry) => (entry.includes(".") ? `.${host}`.endsWith(`.${entry}`) : host.startsWith(`${entry}.`));
  const kind = KINDS.find(
    ({ medium: beginning, mediums, hosts }) =>
      medium.startsWith(beginning) || mediums.includes(medium) || (host !== null && hosts.some(means)),
  );
  return kind ? kind.source : from ? "referral" : "direct";
}

/** Whether a regular expression means the same everywhere. */
function isPortable(pattern) {
  try {
    new RegExp(pattern);
  } catch {
    return false;
  }
  return bytes(pattern) <= 512 && !/\(\?[=!<]|\\[1-9k]/.test(pattern);
}
