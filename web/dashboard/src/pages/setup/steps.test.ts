import assert from "node:assert/strict";
import { test } from "node:test";
import { stepStates } from "./steps";

type Draft = Parameters<typeof stepStates>[0];

const variant = { name: "Variant 1", nickname: "", customJS: "", customCSS: "", data: [] };
const draft = (more: object): Draft =>
  ({
    variants: [variant],
    primary_goal_key: null,
    targeting: { url_rule: [], allowed_country: [], schedule_rule: null },
    configuration: { traffic_allocation: 100, completion_visitor: 0, end_test_date: null },
    ...more,
  }) as unknown as Draft;

test("a new draft needs its variants and a goal; what has a default is done or optional", () => {
  assert.deepEqual(stepStates(draft({})), {
    Page: "done",
    Variants: "needed",
    Goals: "needed",
    Audience: "optional",
    Traffic: "done",
    Schedule: "optional",
  });
});

test("each step is done by what it is for", () => {
  const cases: [object, string][] = [
    [{ variants: [{ ...variant, data: [{ target: "h1", innerText: "New" }] }] }, "Variants"],
    [{ variants: [{ ...variant, customCSS: "h1 {}" }] }, "Variants"],
    [{ primary_goal_key: "order" }, "Goals"],
    [{ targeting: { allowed_country: ["DE"] } }, "Audience"],
    [{ configuration: { traffic_allocation: 100, completion_visitor: 4_000 } }, "Schedule"],
    [{ configuration: { traffic_allocation: 100, completion_stats_significant_flag: 1 } }, "Schedule"],
  ];
  for (const [more, step] of cases) assert.equal(stepStates(draft(more))[step as "Goals"], "done", step);
  const half = [{ ...variant, customCSS: "h1 {}" }, variant];
  assert.equal(stepStates(draft({ variants: half })).Variants, "needed", "a variant that changes nothing");
  assert.equal(stepStates(draft({ configuration: { traffic_allocation: 0 } })).Traffic, "needed", "nobody enters");
});
