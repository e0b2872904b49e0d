import assert from "node:assert/strict";
import { test } from "node:test";
import { hasNoBelief, hasNoLift, hasNoNumbers, hasNoPages } from "./nothing-yet";
import type { Metric, Result } from "./reading";

const result = (analysis: object | null, more: object = {}) =>
  ({ variants: [{ analysis: null }, { analysis }], ...more }) as unknown as Result;
const metric = (conversions: number, lift: number | null) =>
  ({
    variants: [
      { conversions: 0, analysis: null },
      { conversions, analysis: { lift } },
    ],
  }) as unknown as Metric;

test("parts without a number are told from those with one", () => {
  assert.ok(hasNoLift(result(null)));
  assert.ok(hasNoLift(result({ lift: null })));
  assert.ok(!hasNoLift(result({ lift: 0 })), "a lift of 0 is a number");
  assert.ok(hasNoNumbers([metric(0, null)]));
  assert.ok(!hasNoNumbers([metric(0, null), metric(3, null)]));
  assert.ok(!hasNoNumbers([metric(0, -2)]));
  assert.ok(hasNoBelief(result({ chance_to_beat_control: null, expected_loss: null })));
  assert.ok(!hasNoBelief(result({ chance_to_beat_control: 51 })));
  const share = (visitors: number) => ({ visitors });
  const pages = (more: object) => ({
    page_health: [
      {
        message: "",
        errors: share(0),
        late: share(0),
        lcp_ms: { mean: null },
        layout_shift: { mean: null },
        inp_ms: { mean: null },
        changes: [],
        ...more,
      },
    ],
  });
  assert.ok(hasNoPages(pages({}) as unknown as Result));
  for (const more of [{ errors: share(1) }, { lcp_ms: { mean: 900 } }, { message: "It is slow." }, { changes: [{}] }])
    assert.ok(!hasNoPages(pages(more) as unknown as Result));
});
