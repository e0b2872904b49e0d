// A context, checked: docs/assignment.md, The context. For callers that hand one over as a whole; the script makes its
// visitors itself and leaves this out.

import type { Plain } from "../ruleset";
import { isoMs } from "./condition";
import { addressOf, referrerOf } from "./page";
import { Refused } from "./refused";
import type { Fact, LocalTime, Occurrence, Visitor } from "./visitor";

export { Refused };

const FACTS = ["country", "region", "city", "device", "browser", "os", "language", "visitor_type", "source"] as const;
const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const TEXT_MAX = 8192;
const LIST_MAX = 1000;

type Members = Record<string, unknown>;

const utf8 = new TextEncoder();
const isText = (value: unknown, most = TEXT_MAX): value is string =>
  typeof value === "string" && utf8.encode(value).length <= most;
const isPlain = (value: unknown): value is Plain =>
  isText(value) || typeof value === "boolean" || Number.isFinite(value);
const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isMap = (value: unknown): value is Members => isObject(value) && Object.keys(value).length <= LIST_MAX;
const isList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length <= LIST_MAX;

/** Addresses are escaped by `encodeURIComponent`, which throws at half a surrogate pair. */
const wellFormed = (text: string): string => text.replace(/[\ud800-\udfff]/gu, "\ufffd");

// Each of these gives `undefined` for what is wrong, and never for what is right.

function textOf(value: unknown): string | null | undefined {
  return isText(value) ? value || null : undefined;
}

function urlOf(value: unknown): Visitor["url"] {
  if (!isText(value)) return undefined;
  return value ? (addressOf(wellFormed(value)) ?? undefined) : null;
}

function fromOf(value: unknown): Visitor["referrer"] {
  if (!isText(value)) return undefined;
  return value ? referrerOf(wellFormed(value)) : null;
}

function audiencesOf(value: unknown): readonly string[] | undefined {
  return isList(value) && value.every((each): each is string => isText(each)) ? value : undefined;
}

function cookiesOf(value: unknown): Map<string, string> | undefined {
  if (!isMap(value)) return undefined;
  const cookies = new Map<string, string>();
  for (const [name, text] of Object.entries(value)) {
    if (!isText(text)) return undefined;
    cookies.set(name, text);
  }
  return cookies;
}

function attributesOf(value: unknown): Map<string, Plain> | undefined {
  if (!isMap(value)) return undefined;
  const attributes = new Map<string, Plain>();
  for (const [name, each] of Object.entries(value)) {
    if (each === null) continue;
    if (!isPlain(each)) return undefined;
    attributes.set(name, each);
  }
  return attributes;
}

function momentOf(value: unknown): number | undefined {
  const ms = typeof value === "string" ? isoMs(value) : typeof value === "number" ? Math.floor(value) : NaN;
  return Math.abs(typeof value === "number" ? value : ms) <= 8.64e15 ? ms : undefined;
}

function occurrenceOf(value: unknown): Occurrence | undefined {
  if (!isObject(value)) return undefined;
  const { name, at, attributes = null, ...others } = value;
  const ms = momentOf(at);
  const given = attributes === null ? new Map<string, Plain>() : attributesOf(attributes);
  return isText(name) && name && ms !== undefined && given && Object.keys(others).length === 0
    ? { name, at: ms, attributes: given }
    : undefined;
}

function eventsOf(value: unknown): Occurrence[] | undefined {
  if (!isList(value)) return undefined;
  const events: Occurrence[] = [];
  for (const each of value) {
    const event = occurrenceOf(each);
    if (!event) return undefined;
    events.push(event);
  }
  return events;
}

function localTimeOf(value: unknown): LocalTime | null | undefined {
  if (value === "") return null;
  const form = /^([a-z]+) ((?:[01]\d|2[0-3]):[0-5]\d)$/;
  const [, day = "", time = ""] = (typeof value === "string" && form.exec(value)) || [];
  const weekday = DAYS.indexOf(day);
  return weekday < 0 ? undefined : { weekday, time };
}

function armOf(name: unknown): number | undefined {
  if (name === "Control") return 0;
  const arm = Number((typeof name === "string" && /^Variant ([1-9]\d{0,9})$/.exec(name)?.[1]) || NaN);
  return arm < 2 ** 32 ? arm : undefined;
}

function stickyOf(value: unknown): Map<string, number> | undefined {
  if (!isMap(value)) return undefined;
  const sticky = new Map<string, number>();
  for (const [key, name] of Object.entries(value)) {
    const arm = armOf(name);
    if (arm === undefined) return undefined;
    sticky.set(key, arm);
  }
  return sticky;
}

/**
 * A context as a visitor. What is named but `undefined` counts as left out.
 *
 * Throws a `Refused` with the names of what is wrong, `targetingKey` included where there is none; with null when the
 * context is no object at all.
 */
export function visitorOf(context: unknown): Visitor {
  if (!isObject(context)) throw new Refused(null);
  const wrong: string[] = [];
  /** What `parsed` makes of a member: left out and null stay so, and what is wrong is noted. */
  function member<T>(name: string, parsed: (value: unknown) => Fact<T>): Fact<T> {
    const value = (context as Members)[name];
    if (value === undefined || value === null) return value;
    const fact = parsed(value);
    if (fact === undefined) wrong.push(name);
    return fact;
  }

  const id = context.targetingKey;
  const isId = isText(id, 512) && id !== "";
  if (!isId) wrong.push("targetingKey");
  const facts: Partial<Visitor> = {};
  for (const name of FACTS) facts[name] = member(name, textOf);
  const known: Omit<Visitor, "id" | "attributes"> = {
    ...facts,
    url: member("url", urlOf),
    referrer: member("referrer", fromOf),
    audiences: member("audiences", audiencesOf),
    events: member("events", eventsOf),
    cookies: member("cookies", cookiesOf),
    local_time: member("local_time", localTimeOf),
    _sticky: member("sticky", stickyOf) ?? new Map<string, number>(),
  };
  const given = member("attributes", attributesOf) ?? new Map<string, Plain>();
  if (!isId || wrong.length > 0) throw new Refused(wrong);

  // Under any other name is an attribute, unless `attributes` has it, too.
  const taken = new Set(["targetingKey", "attributes", ...Object.keys(known)]);
  const attributes = new Map<string, Plain>();
  for (const [name, value] of Object.entries(context)) {
    if (!taken.has(name) && isPlain(value)) attributes.set(name, value);
  }
  given.forEach((value, name) => attributes.set(name, value));
  return { ...known, id, attributes };
}
