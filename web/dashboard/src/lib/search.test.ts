import assert from "node:assert/strict";
import { test } from "node:test";
import { id, isDay, localPath, stringifySearch } from "./search";

test("an address has only what is set", () => {
  assert.equal(stringifySearch({ a: undefined, b: "", c: [] }), "");
});

test("days are those of the calendar", () => {
  for (const day of ["2026-11-05", "2024-02-29", "0001-01-01"]) assert.ok(isDay(day), day);
  for (const other of [
    "2026-02-29",
    "2026-13-01",
    "2026-1-1",
    "2026-11-05T10:00",
    "yesterday",
    "",
    undefined,
    20261105,
  ])
    assert.ok(!isDay(other), String(other));
});

test("after the sign-in nobody is sent to another site", () => {
  Object.assign(globalThis, { location: { origin: "http://muriel.test" } });
  for (const [path, expected] of [
    ["/experiments?status=live#a", "/experiments?status=live#a"],
    ["//evil.test/", undefined],
    ["/\\evil.test", undefined],
    ["/\t/evil.test", undefined],
    ["https://evil.test/", undefined],
    ["javascript:alert(1)", undefined],
    ["", undefined],
    [7, undefined],
  ] as const) {
    assert.equal(localPath(path), expected, String(path));
  }
});

test("an id is a whole number above 0", () => {
  assert.equal(id("12"), 12);
  assert.equal(id(12), 12);
  for (const odd of ["0", "-1", "1.5", "1e3", "", " 7", "9".repeat(20), 0, -1, 1.5, null, ["3"]]) {
    assert.equal(id(odd), undefined);
  }
});
