import assert from "node:assert/strict";
import { test } from "node:test";
import { candidates, firstWithin } from "./findable";

test("lifts to ask about are round, and begin at about what can be found", () => {
  // A site of 1,000 visitors a day, as the server plans for it.
  const small = { mde: 10, visitors_needed: 119_608, daily_visitors: 1_000 };
  assert.deepEqual(
    [14, 28, 56].map((days) => candidates(small, days)[0]),
    [30, 25, 15],
  );
  const large = { mde: 10, visitors_needed: 119_608, daily_visitors: 400_000 };
  assert.deepEqual(candidates(large, 28), [1.5, 2, 2.5]);
  assert.deepEqual(candidates({ ...small, daily_visitors: null }, 28), []);
  assert.deepEqual(candidates({ ...small, visitors_needed: null }, 28), []);
  assert.deepEqual(candidates({ ...small, daily_visitors: 0.001 }, 14), [], "beyond what can be planned");
});

test("of the server's plans the first that ends in time is proposed", () => {
  const plans = [{ days: 32 }, undefined, { days: 27 }, { days: 14 }];
  assert.equal(firstWithin(plans, 28), plans[2]);
  assert.equal(firstWithin(plans, 7), undefined);
  assert.equal(firstWithin([{ days: null }], 7), undefined);
});
