import assert from "node:assert/strict";
import { test } from "node:test";
import { valueTicks } from "~/ui/time-shape";
import { marksOf } from "./marks";
import { panelsOf } from "./panels";
import { countRange, isCut, liftRange, type Point, rateRange, seriesOf } from "./series";

function point(date: string, variantId: string, lift: number | null = null, interval: number[] | null = null): Point {
  return {
    date,
    variant_id: variantId,
    visitors: 10,
    conversions: 1,
    conversion_rate: 10,
    revenue: null,
    lift,
    lift_interval: interval,
    p_value: null,
  };
}

test("points are put in order, and a day without one is a gap", () => {
  const { days, arms } = seriesOf([
    point("2026-03-02", "0"),
    point("2026-03-01", "0"),
    point("2026-03-02", "1", 4, [-1, 9]),
  ]);
  assert.deepEqual(days, ["2026-03-01", "2026-03-02"]);
  assert.deepEqual(
    arms.map(({ variantId, points }) => [variantId, points.map((one) => one?.lift ?? null)]),
    [
      ["0", [null, null]],
      ["1", [null, 4]],
    ],
  );
});

test("a range has all lifts and 0, and the first days do not make the later ones unreadable", () => {
  const days = Array.from({ length: 20 }, (_, at) => {
    const half = 400 / (at + 1) ** 2;
    return point(`2026-03-${String(at + 1).padStart(2, "0")}`, "1", 5, [5 - half, 5 + half]);
  });
  const { arms } = seriesOf(days);
  const range = liftRange(arms);
  assert.ok(range.from > -10 && range.from < -1 && range.to > 11 && range.to < 20, JSON.stringify(range));
  assert.ok(isCut(arms, range));
  const one = seriesOf([point("2026-03-01", "1", 5, [-200, 300])]);
  assert.ok(!isCut(one.arms, liftRange(one.arms)), "the only interval is shown whole");
  for (const nothing of [[], [point("2026-03-01", "1")]]) {
    const { from, to } = liftRange(seriesOf(nothing).arms);
    assert.ok(from < to && from <= 0 && to >= 0);
  }
  assert.deepEqual(countRange([null, 0]), { from: 0, to: 1 });
  assert.equal(countRange([100, 200]).from, 0);
  assert.ok(rateRange([0.2, 9]).from >= 0);
});

test("epochs and changes are marked on their day, where days begin as asked", () => {
  const days = ["2026-03-01", "2026-03-02", "2026-03-03"];
  const epochs = [
    { epoch: 1, started_at: "2026-03-01T10:00:00Z", reasons: ["status" as const] },
    { epoch: 2, started_at: "2026-03-03T10:00:00Z", reasons: ["distribution" as const] },
    { epoch: 3, started_at: "2026-04-03T10:00:00Z", reasons: ["status" as const] },
  ];
  const change = (at: string, action: string, ...fields: string[]) => ({
    at,
    action,
    changes: fields.map((field) => ({ field, before: null, after: 1 })),
  });
  const marks = marksOf(days, "UTC", epochs, [
    change("2026-03-01T08:00:00Z", "create"),
    change("2026-03-02T09:00:00Z", "update", "test_name"),
    change("2026-03-03T10:00:01Z", "update", "configuration.distribution", "custom_css"),
    change("2026-03-03T12:00:00Z", "update", "variants[0].customJS", "tags"),
    change("2026-03-02T12:00:00Z", "serve winner", "serving"),
  ]);
  assert.deepEqual(marks, [
    { day: 0, name: "Epoch 1", events: ["Epoch 1 began: first start"] },
    { day: 1, name: "Change", events: ["A winner was served"] },
    {
      day: 2,
      name: "Epoch 2",
      events: ["Epoch 2 began: weights changed", "Changed: CSS of all variants", "Changed: Variant 1: JavaScript"],
    },
  ]);
});

test("counts of the first days have whole numbers at the axis, each once", () => {
  const series = seriesOf([0, 1, 2].flatMap((day) => ["0", "1"].map((arm) => point(`2026-03-0${day + 1}`, arm))));
  for (const { points } of series.arms) points.forEach((one, at) => one && (one.visitors = at));
  const arms = ["0", "1"].map((id) => ({ variant_id: id, name: id }));
  const [panel] = panelsOf(series, arms, "visitors", [], String);
  assert.ok(panel);
  assert.deepEqual(
    valueTicks(panel.shape, 200).map(([, text]) => text),
    ["0", "1", "2"],
  );
});
