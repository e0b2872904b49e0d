import assert from "node:assert/strict";
import { test } from "node:test";
import { readFilters } from "~/pages/experiments/filters";
import { readProgrammeFilters } from "~/pages/programme/filters";
import { id, isDay, localPath, parseSearch, stringifySearch } from "./search";

test("the state of a page survives its address", () => {
  const filters = readFilters(
    parseSearch("?status=live,draft&search=50%25+off&sort=-visitors&tag=a%2Cb&project=p1,p2"),
  );
  assert.deepEqual(JSON.parse(JSON.stringify(filters)), {
    search: "50% off",
    status: ["live", "draft"],
    project: ["p1", "p2"],
    tag: "a,b",
    sort: "-visitors",
  });
  const again = readFilters(parseSearch(stringifySearch({ ...filters })));
  assert.deepEqual(again, filters);
  assert.equal(stringifySearch({ a: undefined, b: "", c: [] }), "");
});

test("what is not known in an address is dropped", () => {
  const odd = readFilters({
    status: "live,<script>",
    sort: "password",
    archived: "yes",
    search: "x".repeat(500),
    owner: 7,
  });
  assert.deepEqual(odd.status, ["live"]);
  assert.equal(odd.sort, undefined);
  assert.equal(odd.archived, undefined);
  assert.equal(odd.owner, undefined);
  assert.equal(odd.search?.length, 200);
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
  const odd = readProgrammeFilters({
    from: "2026-06-31",
    to: "2026-07-01",
    outcome: "lost,none,won",
    project: "p1,,p1",
  });
  assert.deepEqual(JSON.parse(JSON.stringify(odd)), { to: "2026-07-01", outcome: ["won", "lost"], project: ["p1"] });
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
