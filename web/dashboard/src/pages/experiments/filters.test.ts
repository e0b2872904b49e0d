import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSearch, stringifySearch } from "~/lib/search";
import { readFilters } from "./filters";

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
