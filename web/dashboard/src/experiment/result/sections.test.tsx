import assert from "node:assert/strict";
import { test } from "node:test";
import { renderToStaticMarkup } from "react-dom/server";
import type { Metric, Result } from "./reading";
import { ResultSections } from "./sections";

const analysis = { lift: null, lift_interval: null, verdict: "keep_running", reason: "Wait.", p_value: null };
const metric = (conversions: number) =>
  ({
    kind: "goal",
    key: "basket",
    name: "Basket",
    role: "secondary",
    lower_is_better: false,
    variants: [{ variant_id: "0", conversions, conversion_rate: 0, visitors: 5 }],
  }) as unknown as Metric;

/** Page of a result in its first minutes, with the changes in `more`. */
function page(more: object) {
  const result = {
    status_code: 1,
    total_visitors: 10,
    goal_key: null,
    variants: [],
    metrics: [],
    page_health: [],
    manifest: {},
    start_date: null,
    confidence_threshold_percent: 95,
    health: {
      status: "warn",
      sample_ratio: { status: "unknown", message: "Too little.", epochs: [] },
      minimum_data: { status: "warn", message: "There are too few visitors." },
    },
    ...more,
  } as unknown as Result;
  return renderToStaticMarkup(
    <ResultSections
      result={result}
      about={[]}
      places={{ nobody: null, bandit: "THE BANDIT", overTime: "THE DAYS", heldBack: "THE WAY OUT" }}
    />,
  );
}

test("a bandit stands right below the verdict", () => {
  const html = page({ is_mab: 1 });
  assert.ok(html.indexOf("THE BANDIT") > 0);
  assert.ok(html.indexOf("THE BANDIT") < html.indexOf(">Health<"), "before what is behind the verdict");
});

test("on the first day parts without a number are folded, and little data is nothing to look at", () => {
  const first = page({ metrics: [metric(0)] });
  assert.match(first, /<details[^>]*><summary[^>]*><h2[^>]*>Other metrics<\/h2>.*?Nothing was counted yet\./);
  assert.match(first, /Too early/);
  assert.doesNotMatch(first, /Look at this before you decide|Wait\. Nothing is wrong/);
  const later = page({ metrics: [metric(3)] });
  assert.doesNotMatch(later, /Nothing was counted yet/);

  // If something else is wrong, too little data is not the main problem.
  const health = {
    status: "warn",
    sample_ratio: { status: "unknown", message: "Too little.", epochs: [] },
    minimum_data: { status: "warn", message: "There are too few visitors." },
    bots: { status: "warn", message: "Every third visitor is one." },
  };
  const ill = page({ health });
  assert.match(ill, /Look at this before you decide/);
  assert.ok(ill.indexOf("Every third visitor") < ill.indexOf("There are too few visitors"));
  assert.doesNotMatch(ill, /Wait\. Nothing is wrong/);
});

test("where no variant has a lift none is drawn", () => {
  const variant = { variant_id: "1", name: "Variant 1", nickname: "", is_control: false, visitors: 5, conversions: 0 };
  const html = page({
    goal_key: "order",
    primary_goal: { goal_key: "order", goal_name: "Order" },
    variants: [{ ...variant, changes: [], redefined_at: null, conversion_rate: 0, analysis }],
  });
  assert.doesNotMatch(html, /Lift compared with the control/);
  assert.match(html, /not known yet/, "the table says so");
});

test("what the clock does not go by is said in the plan, with what can be done about it", () => {
  const plan = {
    locked_at: "2026-03-01T00:00:00.000Z",
    hash: "ab".repeat(32),
    hypothesis: null,
    primary_goal: null,
    secondary_goals: [],
    guardrails: [],
    mde: 2,
    confidence_threshold_percent: 95,
    planned_visitors: null,
    planned_from: null,
    changed_since: [],
    held_back:
      "The clock follows the plan that was locked: a smallest lift of 2 %; a person confirms the later changes with POST /experiment/7/confirm-plan.",
    confirmed: null,
  };
  const html = page({ plan } as never);
  assert.match(html, /locked: a smallest lift of 2 %\.<.*THE WAY OUT/);
  assert.doesNotMatch(html, /POST/);
  assert.doesNotMatch(page({ plan: { ...plan, held_back: null } } as never), /THE WAY OUT/);
});
