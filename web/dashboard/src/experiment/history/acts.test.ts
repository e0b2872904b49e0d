import assert from "node:assert/strict";
import { test } from "node:test";
import { clockDetail, withoutRepeat } from "./acts";

test("why the clock acted is not said twice", () => {
  const twice = "Variant 1 is better than the control: It is better than the control, at any time you look.";
  assert.equal(withoutRepeat(twice), "Variant 1 is better than the control.");
  assert.equal(clockDetail({ rule: "autopilot", detail: twice })?.sentence, "Variant 1 is better than the control.");
  const other = "Variant 1 is better than the control: It is worse than the control.";
  for (const sentence of [other, "its start date came", ""]) assert.equal(withoutRepeat(sentence), sentence);
});
