// Validates a context: docs/assignment.md, The context. It is for callers that pass a whole context. The script on
// pages creates its visitors itself and leaves this out.

import type { Scalar } from "../ruleset";
import { isoMs } from "./condition";
import { addressOf } from "./page";
import { referrerOf } from "./referrer";
import { Refused } from "./refused";
import type { Fact, LocalTime, PastEvent, Visitor } from "./visitor";

export { Refused };

const FACTS = ["country", "region", "city", "device", "browser", "os", "language", "visitor_type", "source"] as const;
const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const TEXT_MAX = 8192;
const LIST_MAX = 1000;

type JsonObject = Record<string, unknown>;

const utf8 = new TextEncoder();
const isText = (value: unknown, most = TEXT_MAX): value is string =>
  typeof value === "string" && utf8.encode(value).length <= most;
const isPlain = (value: unknown): value is Scalar =>
  isText(value) || typeof value === "boolean" || Number.isFinite(value);
const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isMap = (value: unknown): value is JsonObject => isObject(value) && Object.keys(value).length <= LIST_MAX;
const isList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length <= LIST_MAX;

/** Addresses are escaped by `encodeURIComponent`, which throws on an unpaired surrogate. */
const wellFormed = (text: string): string => text.replace(/[\ud800-\udfff]/gu, "\ufffd");

// Each parser gives `undefined` for an invalid value, and never for a valid one.

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

function attributesOf(value: unknown): Map<string, Scalar> | undefined {
  if (!isMap(value)) return undefined;
  const attributes = new Map<string, Scalar>();
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

function occurrenceOf(value: unknown): PastEvent | undefined {
  if (!isObject(value)) return undefined;
  const { name, at, attributes = null, ...others } = value;
  const ms = momentOf(at);
  const given = attributes === null ? new Map<string, Scalar>() : attributesOf(attributes);
  return isText(name) && name && ms !== undefined && given && Object.keys(others).length === 0
    ? { name, at: ms, attributes: given }
    : undefined;
}

function eventsOf(value: unknown): PastEvent[] | undefined {
  if (!isList(value)) return undefined;
  const events: PastEvent[] = [];
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
 * Parses a context as a visitor. A member that is `undefined` counts as absent.
 *
 * Throws `Refused` with the names of the invalid members, and `targetingKey` if that is missing; with null when the
 * context is not an object.
 */
export function visitorOf(context: unknown): Visitor {
  if (!isObject(context)) throw new Refused(null);
  const wrong: string[] = [];
  /** Parses a member: absent and null stay as they are, and an invalid value is noted. */
  function member<T>(name: string, parsed: (value: unknown) => Fact<T>): Fact<T> {
    const value = (context as JsonObject)[name];
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
  const given = member("attributes", attributesOf) ?? new Map<string, Scalar>();
  if (!isId || wrong.length > 0) throw new Refused(wrong);

  // Members with other names are attributes, unless `attributes` has the same name.
  const taken = new Set(["targetingKey", "attributes", ...Object.keys(known)]);
  const attributes = new Map<string, Scalar>();
  for (const [name, value] of Object.entries(context)) {
    if (!taken.has(name) && isPlain(value)) attributes.set(name, value);
  }
  given.forEach((value, name) => attributes.set(name, value));
  return { ...known, id, attributes };
}
