import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldName, valueLines, valueText } from "./field-words";

test("values are said in words where there are some", () => {
  for (const [path, value, expect] of [
    ["configuration.traffic_allocation", 50, "50\u00a0%"],
    ["configuration.is_mab", 1, "on"],
    ["configuration.completion_visitor", 0, "never"],
    ["status", "live", "Live"],
    ["tags", ["a", "b"], "a, b"],
    ["tags", [], "nothing"],
    ["conclusion", { outcome: "stopped_early", note: "It rained." }, "Stopped early: It rained."],
    ["conclusion.outcome", "won", "Won"],
    ["serving", { variant_id: "1", traffic_allocation: 10 }, "Variant 1, to 10\u00a0% of visitors"],
    ["serving.variant_id", "0", "Control"],
    ["groups.holdouts", [{ group_id: 1, from: 0, to: 500 }], "group 1: 0\u00a0% to 5\u00a0%"],
    ["groups.exclusion.to", 2_500, "25\u00a0%"],
    ["variants[0].customJS", "go();", undefined],
    ["variants[0].data", [{ target: "h1" }], undefined],
  ] as const) {
    assert.equal(valueText(path, value), expect, path);
  }
});

test("everything else is lines, an item each", () => {
  assert.equal(valueLines([{ target: "h1", innerText: "Hello" }, { rm: "p" }]), "target: h1, innerText: Hello\nrm: p");
  assert.equal(valueLines({ name: "ga4", settings: { a: { b: 1 } } }), 'name: ga4\nsettings: {"a":{"b":1}}');
  assert.equal(valueLines(null), "");
});

test("paths have names", () => {
  for (const [path, expect] of [
    ["variants[1].customCSS", "Variant 2: CSS"],
    ["targeting.device_rule", "Audience: devices"],
    ["goal_name", "Goal name"],
    ["groups.holdouts", "Holdouts"],
  ] as const) {
    assert.equal(fieldName(path), expect);
  }
});
