import assert from "node:assert/strict";
import { test } from "node:test";
import { askedOf, isPart, isPlanned, type Part, partKey, primaryUnit, type Result } from "./reading";

test("amounts by the primary goal have its unit, whatever goal is at the top", () => {
  const unit = (type: string, top: "primary" | "other", isMoney: boolean, inquiry = {}) =>
    primaryUnit({
      primary_goal: { goal_key: "primary", goal_name: "", goal_type: type, goal_value: "" },
      goal_key: top,
      currency: isMoney ? "EUR" : undefined,
      variants: [isMoney ? { rpv: 1 } : {}],
      manifest: { inquiry },
    } as unknown as Result);
  assert.equal(unit("revenue", "primary", true), "EUR");
  assert.equal(unit("event", "primary", false), "conversions");
  assert.equal(unit("event", "other", true), "conversions", "a revenue goal is shown");
  assert.equal(unit("revenue", "other", false), "of value");
  assert.equal(unit("revenue", "other", true), "of value", "another goal may be in another currency");
  assert.equal(unit("revenue", "primary", true, { filter_by: ["country-US"] }), "of value", "so may some visitors");
});

test("visitors since a winner is served are not those of the plan", () => {
  const of = (phase: string, inquiry = {}) => {
    const asked = askedOf({ report_phase: phase, manifest: { inquiry } } as unknown as Result);
    return [isPart(asked), isPlanned(asked)];
  };
  assert.deepEqual(of("pre_deploy"), [false, true]);
  assert.deepEqual(of("post_deploy"), [true, false]);
  assert.deepEqual(of("all_time"), [false, false]);
  assert.deepEqual(of("pre_deploy", { epoch: 2 }), [true, false]);
});

test("each part of a breakdown has a key of its own", () => {
  const parts = [null, "null", "", "rest"].flatMap((value) =>
    [true, false].map((isRest) => ({ value, is_rest: isRest })),
  );
  assert.equal(new Set((parts as Part[]).map(partKey)).size, parts.length);
});
