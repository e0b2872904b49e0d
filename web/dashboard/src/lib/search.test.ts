import assert from "node:assert/strict";
import { test } from "node:test";
import { readFilters } from "~/pages/experiments/filters";
import { id, localPath, parseSearch, stringifySearch } from "./search";

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
