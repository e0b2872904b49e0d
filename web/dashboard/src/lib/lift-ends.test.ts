import assert from "node:assert/strict";
import { test } from "node:test";
import { intervalWords } from "~/pages/results/interval-words";
import { endsOf, type Point } from "~/pages/results/time/series";
import { drawnLift } from "~/pages/programme/numbers";
import { liftEnds } from "./lift-ends";

test("the interval of a lift ends where nothing is left", () => {
  const cases: [number[] | null | undefined, [number, number] | undefined][] = [
    [
      [-108.2, 320],
      [-100, 320],
    ],
    [
      [-12, 30],
      [-12, 30],
    ],
    // More was refunded than sold.
    [
      [-140, -110],
      [-140, -110],
    ],
    [null, undefined],
    [undefined, undefined],
    [[], undefined],
  ];
  for (const [interval, expected] of cases) assert.deepEqual(liftEnds(interval), expected);
});

test("a table, a picture by day and the learnings end there, too", () => {
  assert.equal(intervalWords([-108.2, 320]), "−100.0\u00a0% to +320.0\u00a0%");
  assert.deepEqual(endsOf({ lift_interval: [-108.2, 320] } as Point), { low: -100, high: 320 });
  assert.deepEqual(drawnLift(4, [-108.2, 320]), { estimate: 4, low: -100, high: 320 });
});
