import assert from "node:assert/strict";
import { test } from "node:test";
import { readProgrammeFilters } from "./filters";

test("what is not known in an address is dropped", () => {
  const odd = readProgrammeFilters({
    from: "2026-06-31",
    to: "2026-07-01",
    outcome: "lost,none,won",
    project: "p1,,p1",
  });
  assert.deepEqual(JSON.parse(JSON.stringify(odd)), { to: "2026-07-01", outcome: ["won", "lost"], project: ["p1"] });
});
