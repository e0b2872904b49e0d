import assert from "node:assert/strict";
import { test } from "node:test";
import { evenShares, missing, together } from "./shares";

test("shares are added up without errors of rounding", () => {
  assert.equal(together([33.33, 33.33, 33.34]), 100);
  assert.equal(together([0.1, 0.2, null]), 0.3);
  assert.equal(missing([49.99, 50]), 0.01);
  assert.equal(missing([60, 60]), -20);
});

test("what does not divide goes to the control", () => {
  assert.deepEqual(evenShares(2), [50, 50]);
  assert.deepEqual(evenShares(3), [33.34, 33.33, 33.33]);
  for (const arms of [1, 7, 51]) assert.equal(together(evenShares(arms)), 100);
});
