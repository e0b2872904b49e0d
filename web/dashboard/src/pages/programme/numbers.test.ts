import assert from "node:assert/strict";
import { test } from "node:test";
import { drawnLift } from "./numbers";

test("the interval of a learning's lift ends where nothing is left", () => {
  assert.deepEqual(drawnLift(4, [-108.2, 320]), { estimate: 4, low: -100, high: 320 });
});
