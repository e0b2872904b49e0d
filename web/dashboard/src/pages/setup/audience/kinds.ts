// Kinds of targeting rules: their titles, their position in the menu, and the values that this page can edit. Other
// values are shown as they are stored, and never sent.

import type { Schemas } from "~/api/query";
import { isOperator } from "./operators";

export type Targeting = Schemas["Targeting"];
export type Kind = keyof Targeting & string;
/** Targeting with every kind. An empty rule restricts nothing. */
export type Rules = Required<Targeting>;

export const DEVICES: Record<Schemas["Device"], string> = { desktop: "desktop", mobile: "mobile", tablet: "tablet" };
export const BROWSERS: Record<Schemas["Browser"], string> = {
  chrome: "Chrome",
  safari: "Safari",
  firefox: "Firefox",
  edge: "Edge",
  ie: "Internet Explorer",
  opera: "Opera",
};
export const SYSTEMS: Record<Schemas["System"], string> = {
  windows: "Windows",
  macOS: "macOS",
  linux: "Linux",
  chromeOS: "ChromeOS",
  ios: "iOS",
  android: "Android",
};
export const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
/** Sources of visitors, as words after "who came". */
export const SOURCES = {
  direct: "directly",
  search: "from a search",
  social: "from social media",
  email: "from an e-mail",
  paid: "from an ad",
  referral: "from another site",
} as const;

export interface KindInfo {
  kind: Kind;
  title: string;
  /** One sentence on the condition. */
  about: string;
  group: (typeof GROUPS)[number];
  /** Reason why servers ignore this rule, in a sentence. */
  browserOnly?: string;
}

export const GROUPS = ["Where they are", "What they use", "Who they are", "How they came", "When"] as const;

const PASSED_OVER = "so this rule is ignored when a server decides.";

/** In the order of the menu and of the page. The rule for pages is first, and always shown. */
export const KINDS: readonly KindInfo[] = [
  {
    kind: "allowed_country",
    title: "Country",
    about: "By the IP address.",
    group: "Where they are",
  },
  {
    kind: "allowed_region",
    title: "Region",
    about: "By the IP address. Example: California (US).",
    group: "Where they are",
  },
  {
    kind: "allowed_city",
    title: "City",
    about: "By the IP address. Example: Berlin (Berlin).",
    group: "Where they are",
  },
  {
    kind: "device_rule",
    title: "Device",
    about: "Televisions and consoles match none of these.",
    group: "What they use",
  },
  { kind: "os_rule", title: "Operating system", about: "The system that the device runs.", group: "What they use" },
  {
    kind: "browser_rule",
    title: "Browser",
    about: "Visitors with any other browser do not take part.",
    group: "What they use",
  },
  {
    kind: "browser_language_rule",
    title: "Language",
    about: "The language that the browser prefers. English includes British English, but not the other way round.",
    group: "What they use",
  },
  { kind: "user_rule", title: "New or returning", about: "Whether they have come before.", group: "Who they are" },
  {
    kind: "segment_rule",
    title: "Attributes",
    about: "Facts about the visitor that the site or a server sends, such as plan or age.",
    group: "Who they are",
  },
  {
    kind: "ga4_rule",
    title: "Audiences of analytics",
    about: "Audience names that the page passes to identify. One match is enough.",
    group: "Who they are",
  },
  {
    kind: "event_rule",
    title: "Earlier events",
    about: "Events that visitors must have done before, or must not have done. All entries have to hold.",
    group: "Who they are",
  },
  {
    kind: "cookie_rule",
    title: "Cookies",
    about: "Cookies of the site.",
    group: "Who they are",
    browserOnly: `Servers do not see the page's cookies, ${PASSED_OVER}`,
  },
  { kind: "referral_rule", title: "Where they came from", about: "The previous page.", group: "How they came" },
  {
    kind: "parameter_rule",
    title: "Parameters of the address",
    about: "The parts of the address after the question mark, such as utm_source.",
    group: "How they came",
  },
  {
    kind: "schedule_rule",
    title: "Days and hours",
    about: "In the visitor's local time.",
    group: "When",
    browserOnly: `Servers do not know the visitor's local time, ${PASSED_OVER}`,
  },
];

export const PAGES: Pick<KindInfo, "kind" | "title"> = { kind: "url_rule", title: "Pages" };

export const TITLES: Record<string, string> = Object.fromEntries(
  [PAGES, ...KINDS].map(({ kind, title }) => [kind, title]),
);

const NO_RULES: Rules = {
  url_rule: [],
  allowed_country: [],
  allowed_region: [],
  allowed_city: [],
  device_rule: [],
  os_rule: [],
  browser_rule: [],
  browser_language_rule: [],
  user_rule: [],
  segment_rule: [],
  ga4_rule: [],
  event_rule: [],
  cookie_rule: [],
  referral_rule: [],
  parameter_rule: [],
  schedule_rule: null,
};

/** Adds an empty rule for every missing kind. */
export function rulesOf(targeting: Targeting): Rules {
  return { ...NO_RULES, ...targeting };
}

/** A rule of this kind that restricts nothing. */
export function noRule<K extends Kind>(kind: K): Rules[K] {
  return NO_RULES[kind];
}

/** Initial rule of this kind. If the form has rows, it has one to fill in. */
export function firstRule(kind: Kind): Rules[Kind] {
  const blank = [[{ criteria: "", operator: "==" as const, value: "" }]];
  switch (kind) {
    case "url_rule":
      return [{ url: "", rule: "contain", allowed: true }];
    case "segment_rule":
    case "cookie_rule":
    case "parameter_rule":
      return blank;
    case "referral_rule":
      return [[{ criteria: "source", operator: "==", value: "search" }]];
    case "event_rule":
      return [{ rule: "equal", name: "", attributes: [], min_count: 1, timeframe_days: 0 }];
    case "schedule_rule":
      return { schedule_groups: [{ days: [...DAYS.slice(0, 5)], time_ranges: [{ start: "09:00", end: "17:00" }] }] };
    default:
      return noRule(kind);
  }
}

/** Returns whether a rule exists. */
export function isRule(value: unknown): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
}

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === "string";
const number: Check = (value) => typeof value === "number";
const flag: Check = (value) => typeof value === "boolean";
const nothing: Check = (value) => value === null || value === undefined;
const word =
  (words: readonly string[] | object): Check =>
  (value) =>
    text(value) && (Array.isArray(words) ? words : Object.keys(words)).includes(value as string);
const either =
  (...checks: Check[]): Check =>
  (value) =>
    checks.some((check) => check(value));
const list =
  (item: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(item);
/** Checks that a value is an object with exactly these members. */
const object =
  (members: Record<string, Check>): Check =>
  (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.keys(value).every((name) => Object.hasOwn(members, name)) &&
    Object.entries(members).every(([name, check]) => check((value as Record<string, unknown>)[name]));

const operator: Check = (value) => text(value) && isOperator(value as string);
const optionalText = either(text, nothing);
const groups = (criteria: Check) => list(list(object({ criteria, operator, value: optionalText })));
const places = list(object({ name: text, rule: word(["equal", "notEqual"]) }));

const SHOWN: Record<Kind, Check> = {
  url_rule: list(
    object({
      url: text,
      rule: word(["simple", "exact", "contain", "wildcard", "regex"]),
      allowed: either(flag, nothing),
    }),
  ),
  allowed_country: list(object({ name: text, code: text, rule: word(["whitelist", "blacklist"]) })),
  allowed_region: places,
  allowed_city: places,
  device_rule: list(word(DEVICES)),
  os_rule: list(word(SYSTEMS)),
  browser_rule: list(word(BROWSERS)),
  browser_language_rule: list(text),
  user_rule: either(
    word(["new", "returning"]),
    (value) => list(word(["new", "returning"]))(value) && (value as []).length <= 1,
  ),
  segment_rule: groups(text),
  ga4_rule: list(text),
  event_rule: list(
    object({
      rule: word(["equal", "notEqual"]),
      name: text,
      attributes: list(list(object({ key: text, operand: operator, value: either(text, number, flag, nothing) }))),
      min_count: either(number, nothing),
      timeframe_days: either(number, nothing),
    }),
  ),
  cookie_rule: groups(text),
  referral_rule: groups(word(["host", "url", "source"])),
  parameter_rule: groups(text),
  schedule_rule: either(
    nothing,
    object({
      schedule_groups: list(object({ days: list(word(DAYS)), time_ranges: list(object({ start: text, end: text })) })),
    }),
  ),
};

/** Returns whether this page knows the kind and can show the whole value. */
export function isShown(kind: string, value: unknown): boolean {
  return Object.hasOwn(SHOWN, kind) && SHOWN[kind as Kind](value);
}
