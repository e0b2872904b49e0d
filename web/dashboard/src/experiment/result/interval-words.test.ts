import assert from "node:assert/strict";
import { test } from "node:test";
import { intervalWords } from "./interval-words";
import { endsOf, type Point } from "./time/series";

test("the interval of a lift ends where nothing is left in a table and in a picture by day", () => {
  assert.equal(intervalWords([-108.2, 320]), "−100.0\u00a0% to +320.0\u00a0%");
  assert.deepEqual(endsOf({ lift_interval: [-108.2, 320] } as Point), { low: -100, high: 320 });
});
