import assert from "node:assert/strict";
import { test } from "node:test";
import { dayTicks, scaleOf, ticksOf } from "./scale";

test("a scale gives the place of a value", () => {
  const scale = scaleOf({ from: -10, to: 30 }, 100, 400);
  assert.deepEqual([-10, 0, 30, 50].map(scale), [100, 200, 500, 700]);
  // A single value has no span. It is at the start, and not NaN.
  assert.equal(scaleOf({ from: 3, to: 3 }, 20, 100)(3), 20);
});

test("ticks are round, within the domain, and few", () => {
  for (const [from, to, most, expect] of [
    [-12, 31, 5, [-10, 0, 10, 20, 30]],
    [0, 1, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [-0.004, 0.011, 4, [0, 0.005, 0.01]],
    [-1, 1, 2, [-1, 0, 1]],
    [120, 9_800, 3, [5_000]],
    [2, 2, 4, [2]],
  ] as const) {
    const { ticks } = ticksOf({ from, to }, most);
    assert.deepEqual(ticks, expect, `${from} to ${to}`);
    assert.ok(ticks.every((tick) => !Object.is(tick, -0)));
  }
  assert.equal(ticksOf({ from: 0, to: 0.3 }, 3).digits, 1);
  assert.equal(ticksOf({ from: 0, to: 300 }, 3).digits, 0);
  assert.deepEqual(ticksOf({ from: 0, to: 2.1 }, 7, 1), { ticks: [0, 1, 2], digits: 0 });
  assert.deepEqual(ticksOf({ from: 0, to: 210 }, 7, 1).ticks, [0, 50, 100, 150, 200]);
  for (const span of [1e-9, 0.3, 7, 1234, 1e12]) {
    for (let most = 1; most < 12; most += 1)
      assert.ok(ticksOf({ from: -span / 3, to: span }, most).ticks.length <= most + 1);
  }
});

test("days have ticks as far apart as there is room", () => {
  assert.deepEqual(dayTicks(5, 8), [0, 1, 2, 3, 4]);
  assert.deepEqual(dayTicks(20, 4), [0, 7, 14]);
  assert.deepEqual(dayTicks(13, 6), [0, 3, 6, 9, 12]);
  assert.deepEqual(dayTicks(1, 4), [0]);
  assert.deepEqual(dayTicks(0, 4), []);
  assert.ok(dayTicks(1_500, 4).length <= 5);
});
