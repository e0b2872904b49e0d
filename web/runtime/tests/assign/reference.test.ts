// Compares with contract/assignment/reference.mjs on random texts: addresses, rules, numbers and dates, composed of
// pieces that have a meaning in them. The seed is fixed, so failures are reproducible.

import assert from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error: plain JavaScript, without types.
import * as reference from "../../../../contract/assignment/reference.mjs";
import { bucket } from "../../src/assign/bucket";
import { holds, isoMs, numberOf, textOf } from "../../src/assign/condition";
import { type Address, addressOf } from "../../src/assign/page";
import { parameterOf, referrerOf } from "../../src/assign/referrer";
import { sourceOf } from "../../src/assign/source";
import { isPage } from "../../src/assign/url-rule";
import type { PageRule, Scalar } from "../../src/ruleset";

/** Pseudo-random numbers from 0 to below a bound, by a linear congruence, whose high bits are good enough here. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

const roll = dice(20);
const one = <T>(of: readonly T[]): T => of[roll(of.length)]!;
const made = (pieces: readonly string[], most: number): string =>
  Array.from({ length: roll(most + 1) }, () => one(pieces)).join("");

const ADDRESS = [
  ..."/:@.?#*%&=+ \t\n",
  "//",
  "://",
  "http",
  "https://",
  "HTTP://",
  "android-app://",
  "www.",
  "shop",
  "Shop.example",
  "google.de",
  "t.co",
  ":80",
  ":443",
  ":8080",
  "a",
  "B",
  "é",
  "🙂",
  "%c3%BC",
  "%C3",
  "%4",
  "%%41",
  "utm_medium=",
  "E-Mail",
  "gclid=1",
  "cpc",
  "[::1]",
  "\u007f",
  "~",
  "!",
  "\u0000",
  "\ufeff",
  "%ef%bb%bf",
  "%f0%9f",
];

const START = [
  "",
  "http://",
  "https://",
  "HTTPS://",
  "//",
  "/",
  "android-app://",
  "https://shop.example",
  "https://www.shop.example/",
];
const address = (): string => one(START) + made(ADDRESS, 8);

const parts = (of: Partial<Address> | null): unknown =>
  of && [of.url, of._scheme, of.host, of._port, of._path, of._query, of._fragment];

/** The parts of an address of the reference, which names them differently. */
const referenceParts = (of: Record<string, string> | null): unknown =>
  of && [of.text, of.scheme, of.host, of.port, of.path, of.query, of.fragment];

test("addresses", () => {
  for (let nth = 0; nth < 20_000; nth++) {
    const text = address();
    assert.deepEqual(parts(addressOf(text)), referenceParts(reference.addressOf(text)), text);
    assert.deepEqual(parts(referrerOf(text)), referenceParts(reference.referrerOf(text)), text);
  }
});

test("rules about pages, parameters and sources", () => {
  const words = ["simple", "exact", "contain", "wildcard"] as const;
  const names = ["utm_medium", "gclid", "a", "", "é", "\ufeff", "\ufeffa"];
  let matches = 0;
  for (let nth = 0; nth < 40_000; nth++) {
    const text = address();
    const [page, other] = [addressOf(text), reference.addressOf(text)];
    if (!page) continue;
    // Half of the rules are a part of the address, as there would be few matches otherwise.
    // Cutting may leave half a surrogate pair, which neither rulesets nor browsers' addresses have.
    const cut = roll(2)
      ? address()
      : one(["", "*", " "]) + text.slice(roll(4) * 4, text.length - roll(3)) + one(["", "*", "#"]);
    const url = cut.replace(/[\ud800-\udfff]/gu, "\ufffd");
    const rule: PageRule = { url, rule: one(words), allowed: true };
    const expected = reference.isPage(rule, other);
    matches += +expected;
    assert.equal(isPage(rule, page), expected, JSON.stringify({ rule, text }));
    const name = one(names);
    assert.equal(
      parameterOf(page, name) ?? undefined,
      reference.parameterOf(other, name),
      JSON.stringify({ name, text }),
    );
    const referrer = address();
    const source = reference.sourceOf(referrer && reference.referrerOf(referrer), other);
    assert.equal(sourceOf(referrer ? referrerOf(referrer) : null, page), source, JSON.stringify({ referrer, text }));
  }
  assert.ok(matches > 1_000, `only ${matches} match`);
});

test("numbers, texts, dates and operators", () => {
  const digits = [
    ..."0123456789+-.eE \t\u00a0,",
    "2026-03-01",
    "T10:00",
    ":59",
    "Z",
    "+05:30",
    "e21",
    "e-7",
    "1e999",
    "0x1",
    "02-29",
    "24:00",
  ];
  const operators = [
    "ex",
    "nx",
    "==",
    "!=",
    "**",
    "!*",
    "gt",
    "gte",
    "lt",
    "lte",
    ">",
    ">=",
    "<",
    "<=",
    "bt",
    "bf",
    "days_gt",
    "days_gte",
    "days_lt",
    "days_lte",
  ];
  const plain = (): Scalar =>
    one<() => Scalar>([
      () => made(digits, 4),
      () => one(["true", "TRUE", "False", "1", "0", "", "É", "é", "Pro", "pro", " 5 ", "5.0"]),
      () => roll(5) === 0,
      () => one([0, -0, 1, 5, 1e-7, 1e21, 0.1, -12.5, 1e11, 99999999999, 1772360000, 1772360000123.7, 5e-324]),
    ])();
  const now = Date.UTC(2026, 2, 2, 10);
  for (let nth = 0; nth < 40_000; nth++) {
    const text = made(digits, 4);
    assert.equal(numberOf(text), reference.asNumber(text) ?? NaN, text);
    const [month, day] = [1 + roll(13), 1 + roll(32)].map((part) => `${part}`.padStart(2, "0"));
    const date = `${one(["0000", "0099", "1900", "2000", "2026", "9999"])}-${month}-${day}${made(digits.slice(-9), 3)}`;
    assert.equal(isoMs(date), reference.dateMs(date) ?? NaN, date);
    const [left, value] = [plain(), plain()];
    assert.equal(textOf(left), reference.asText(left));
    const operator = one(operators);
    if (/[gl<>]/.test(operator) && reference.asNumber(value) === null) continue;
    const expected = reference.holds(operator, value, left, now);
    assert.equal(!!holds(operator, value, left, now), expected, JSON.stringify({ left, operator, value }));
  }
});

test("buckets", () => {
  const letters = [..."abc:é日🙂\ud800\udc00", "visitor-"];
  for (let nth = 0; nth < 20_000; nth++) {
    const text = made(letters, 12);
    assert.equal(bucket(text), reference.bucket(text), JSON.stringify(text));
  }
});

test("no text keeps a browser busy", () => {
  // Texts have at most 8,192 bytes, or 24,576 when escaped. A quadratic algorithm would take seconds for these rounds.
  const long = (piece: string): string => piece.repeat(8192 / piece.length);
  const texts = ["/", ":", ":1", "1", "@", ".", "?", "#", "*", "%41", " ", "é", "a.", "1e", "http://", "&=", "A"].map(
    long,
  );
  const start = process.cpuUsage();
  for (const text of texts) {
    for (const page of [
      addressOf(text),
      addressOf(`http://${text}x`),
      addressOf(`http://a/${text}`),
      referrerOf(`x${text}`),
    ]) {
      if (!page?.host) continue;
      parameterOf(page as Address, "a");
      for (const rule of ["simple", "exact", "contain", "wildcard"] as const) {
        isPage({ url: `*${text.slice(0, 1024)}*`, rule }, page as Address);
      }
      sourceOf(page, page as Address);
    }
    for (const operator of ["==", "**", "gt", "days_gt", "bt"]) holds(operator, 1, text, 0);
    for (const operator of ["==", "**", "gt", "days_gt", "bt"]) holds(operator, 1, `${text}x`, 0);
  }
  const { user, system } = process.cpuUsage(start);
  assert.ok(user + system < 3e6, `${user + system} µs`);
});
