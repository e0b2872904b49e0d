import assert from "node:assert/strict";
import { test } from "node:test";
import { methodOf } from "./method";
import type { Analysis } from "./reading";

const arm = (name: string, more: object) => ({
  name,
  analysis: { p_value: 0.338, p_value_adjusted: 0.338, variance_ratio: null, ...more } as Analysis,
});
const control = { name: "Control", analysis: null };

test("the method names what analysts look for, with the numbers of the answer", () => {
  const one = methodOf([control, arm("Variant 1", { variance_ratio: 0.772 })], "goal").join(" ");
  assert.match(one, /Sequential test/);
  assert.match(one, /CUPED removed 23\u00a0% of the variance\./);
  assert.match(one, /\(Holm\): one variant is compared, so nothing is corrected\./);

  const two = methodOf(
    [
      control,
      arm("Variant 1", { variance_ratio: 0.9, p_value_adjusted: 0.451 }),
      arm("Variant 2", { variance_ratio: 0.8, p_value_adjusted: 0.338, exact_p_value: 0.04 }),
    ],
    "goal",
  ).join(" ");
  assert.match(two, /10\u00a0% \(Variant 1\) and 20\u00a0% \(Variant 2\)/);
  assert.match(two, /\(Holm\), over 2\. Variant 1 p 0\.451, 0\.338 uncorrected\./);
  assert.match(two, /exact test, too: p 0\.04 for Variant 2/);

  const other = methodOf([control, arm("Variant 1", {})], "metrics").join(" ");
  assert.match(other, /CUPED: not used/);
  assert.match(other, /e-BH/);
  assert.match(methodOf([control, arm("Variant 1", {})], "guardrails").join(" "), /one-sided/);
  assert.deepEqual(methodOf([control], "goal"), [], "nothing is compared");
});
