import assert from "node:assert/strict";
import { test } from "node:test";
import { rounded } from "./findable";

test("lifts to plan with are round, and never smaller than what is found", () => {
  const cases: [number | null, number | undefined][] = [
    [28.9, 30],
    [20, 20],
    [20.0001, 25],
    [0.01, 0.5],
    [1_000, 1_000],
    [1_000.5, undefined],
    [null, undefined],
  ];
  for (const [mde, expected] of cases) assert.equal(rounded(mde), expected, String(mde));
});
