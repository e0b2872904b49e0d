import assert from "node:assert/strict";
import { test } from "node:test";
import { renderToStaticMarkup } from "react-dom/server";
import type { Result } from "./reading";
import { ToKnow } from "./to-know";

function notes(result: object, inquiry: object = {}): string {
  const whole = {
    report_phase: "pre_deploy",
    serving_variant_id: null,
    variants: [],
    manifest: { inquiry },
    ...result,
  };
  return renderToStaticMarkup(<ToKnow result={whole as unknown as Result} />);
}

test("the day of a redefinition is that of the filter by days", () => {
  const arm = { variant_id: "1", name: "Variant 1", redefined_at: "2026-11-05T23:30:00Z" };
  assert.match(notes({ variants: [arm] }), /redefined on 5 Nov 2026/);
  assert.match(notes({ variants: [arm] }, { tz: "Asia/Tokyo" }), /redefined on 6 Nov 2026/);
  assert.match(notes({ variants: [arm] }, { tz: "-23.9" }), /redefined on 4 Nov 2026/);
  assert.equal(notes({ variants: [{ ...arm, redefined_at: null }] }), "");
});

test("a link tells that a winner is served, though not since when", () => {
  assert.match(notes({ serving_variant_id: "1" }), /A winner is served\. This is the result of the visitors/);
  assert.equal(notes({ serving_variant_id: "1", report_phase: "all_time" }), "");
  assert.match(notes({ serving_variant_id: "1", report_phase: "post_deploy" }), /These are some of the visitors/);
});
