import assert from "node:assert/strict";
import { test } from "node:test";
import type { Result } from "./reading";
import { verdictOf } from "./verdict-words";

/** A result whose variants, after the control, have these verdicts. */
function result(verdicts: string[], more: Partial<Result> = {}) {
  const arm = (verdict: string, at: number) => ({
    name: `Variant ${at + 1}`,
    analysis: { verdict, lift: 12.34, lift_interval: [3.21, 21.98] },
  });
  const variants = [{ name: "Control" }, ...verdicts.map(arm)] as unknown as Result["variants"];
  return { status_code: 1, goal_key: "order", total_visitors: 500, variants, ...more };
}

test("the verdict is one sentence, the best that can be said first", () => {
  const rows: [string[], string, string][] = [
    [
      ["win"],
      "win",
      "Variant 1 does better than the control: its lift is +12.3 %, and the true lift is from +3.2 % to +22.0 %.",
    ],
    [["win", "win", "loss", "win"], "win", "Variant 1, Variant 2 and Variant 4 do better than the control."],
    [
      ["loss"],
      "loss",
      "Variant 1 does worse than the control: its lift is +12.3 %, and the true lift is from +3.2 % to +22.0 %.",
    ],
    [["loss", "no_difference"], "no_difference", "No variant differs from the control by enough to act on."],
    [
      ["keep_running"],
      "keep_running",
      "It is too early to tell whether Variant 1 is better or worse than the control.",
    ],
    [
      ["loss", "keep_running"],
      "keep_running",
      "It is too early to tell whether any variant is better or worse than the control.",
    ],
    [
      ["win", "do_not_trust"],
      "do_not_trust",
      "Do not trust these numbers: something is broken, and waiting does not repair it.",
    ],
  ];
  for (const [verdicts, verdict, sentence] of rows)
    assert.deepEqual(verdictOf(result(verdicts)), { verdict, sentence: sentence.replaceAll(" %", "\u00a0%") });
});

test("of a bandit it is said who gets how much by now", () => {
  const bandit = (weights: number[], more: Partial<Result> = {}) => {
    const { variants, ...rest } = result(["keep_running", "keep_running"], { is_mab: 1, ...more });
    return { ...rest, variants: variants.map((arm, at) => ({ ...arm, traffic_weight: weights[at] ?? 0 })) };
  };
  assert.equal(
    verdictOf(bandit([10, 15.5, 74.5])).sentence,
    "Variant 2 now gets 74.5\u00a0% of the visitors: the bandit gives most to what works best.",
  );
  assert.match(verdictOf(bandit([50, 25, 25])).sentence, /^Control now gets 50/);
  assert.match(verdictOf(bandit([34, 33, 33])).sentence, /^Control now gets 34/);
  assert.match(verdictOf(bandit([33.3, 33.3, 33.3])).sentence, /^The bandit still shares visitors evenly/);
  assert.match(verdictOf(bandit([10, 15, 75], { status_code: 0 })).sentence, /^It ended without an answer/);
  assert.equal(verdictOf({ ...bandit([10, 15, 75]), ...result(["win"]) }).verdict, "win");
});

test("where nothing can be decided no verdict is claimed", () => {
  assert.equal(verdictOf(result(["win"], { goal_key: null })).verdict, undefined);
  assert.equal(verdictOf(result(["win"], { total_visitors: 0 })).verdict, undefined);
  assert.match(verdictOf(result(["keep_running"], { status_code: 0 })).sentence, /^It ended without an answer/);
});
