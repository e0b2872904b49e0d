import assert from "node:assert/strict";
import { test } from "node:test";
import { domainOf, fitted, type IntervalValues, placeOf } from "./interval-geometry";

const row = (estimate: number | null, low: number | null, high: number | null): IntervalValues => ({
  estimate,
  low,
  high,
});

test("a domain has all estimates and 0, and no single interval makes the others unreadable", () => {
  const narrow = [row(4, 2, 6), row(5, 3, 7)];
  const { from, to } = domainOf(narrow);
  assert.ok(from < 0 && from > -1 && to > 7 && to < 8);
  const beside = domainOf([...narrow, row(10, -300, 400)]);
  assert.ok(beside.from > -10 && beside.to < 30 && beside.to > 10);
  // A single interval is shown completely.
  const alone = domainOf([row(10, -300, 400)]);
  assert.ok(alone.from < -300 && alone.to > 400);
  for (const rows of [[], [row(null, null, null)], [row(0, 0, 0)]]) {
    const { from, to } = domainOf(rows);
    assert.ok(from < 0 && to > 0, "there is something around 0");
  }
});

test("ends are closed, open, or cut", () => {
  const domain = { from: -10, to: 30 };
  for (const [of, expect] of [
    [row(5, -5, 15), { estimate: 150, line: { from: 50, to: 250, start: "closed", end: "closed" } }],
    [row(5, null, 15), { estimate: 150, line: { from: 0, to: 250, start: "open", end: "closed" } }],
    [row(5, -5, null), { estimate: 150, line: { from: 50, to: 400, start: "closed", end: "open" } }],
    [row(5, -50, 45), { estimate: 150, line: { from: 0, to: 400, start: "cut", end: "cut" } }],
    [row(5, null, null), { estimate: 150, line: null }],
    [row(null, null, null), { estimate: null, line: null }],
    [row(null, -5, 15), { estimate: null, line: { from: 50, to: 250, start: "closed", end: "closed" } }],
    // Completely beyond the picture: an arrow at the edge, and no dot at a wrong position.
    [row(80, 40, 90), { estimate: null, line: { from: 400, to: 400, start: "closed", end: "cut" } }],
  ] as const) {
    assert.deepEqual(placeOf(of, domain, 0, 400), expect);
  }
});

test("texts are cut where they do not fit", () => {
  const measure = (text: string) => Array.from(text).length * 10;
  assert.equal(fitted("Variant 1", 90, measure), "Variant 1");
  assert.equal(fitted("Variant 12", 90, measure), "Variant…");
  assert.equal(fitted("👍👍👍👍", 30, measure), "👍👍…");
  assert.equal(fitted("Variant", 5, measure), "");
});
