import assert from "node:assert/strict";
import { test } from "node:test";
import { outline, stepsOf, type WeightEpoch } from "./weights";

const epochs: WeightEpoch[] = [
  { epoch: 1, started_at: "2026-03-01T00:00:00Z", weights: { Control: 50, "Variant 1": 50 } },
  { epoch: 2, started_at: "2026-03-02T00:00:00Z", weights: { Control: 30, "Variant 1": 30, "Variant 2": 40 } },
];
const DAY = 86_400_000;
const start = Date.parse("2026-03-01T00:00:00Z");

test("weights hold from an epoch's beginning to the next", () => {
  assert.deepEqual(stepsOf(epochs, "Control", start + 3 * DAY), [
    { from: start, to: start + DAY, weight: 50 },
    { from: start + DAY, to: start + 3 * DAY, weight: 30 },
  ]);
  assert.deepEqual(
    stepsOf(epochs, "Variant 2", start + 3 * DAY).map(({ weight }) => weight),
    [0, 40],
    "an arm that came later had nothing before",
  );
  // The end is not before the start if the browser's clock is behind.
  assert.equal(stepsOf(epochs, "Control", start)[1]?.to, start + DAY);
  assert.deepEqual(stepsOf([], "Control", start), []);
});

test("steps are drawn as steps", () => {
  const steps = stepsOf(epochs, "Control", start + 2 * DAY);
  const path = outline(
    steps,
    (at) => (at - start) / DAY,
    (weight) => 100 - weight,
  );
  assert.equal(path, "M0 100L0 50L1 50L1 70L2 70L2 100Z");
  assert.equal(outline([], Number, Number), "");
});
