import assert from "node:assert/strict";
import { test } from "node:test";
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
