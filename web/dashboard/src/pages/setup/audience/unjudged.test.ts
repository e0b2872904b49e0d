import assert from "node:assert/strict";
import { test } from "node:test";
import { whyUnjudged } from "./unjudged";

test("a rule that the server cannot judge says so", () => {
  const nothing = { knows_places: false, knows_regions: false };
  const countries = { knows_places: true, knows_regions: false };
  const cities = { knows_places: true, knows_regions: true };
  assert.match(whyUnjudged("allowed_country", nothing) ?? "", /no geographic database/);
  assert.match(whyUnjudged("allowed_city", nothing) ?? "", /no geographic database/);
  assert.match(whyUnjudged("allowed_region", countries) ?? "", /countries only/);
  assert.match(whyUnjudged("ga4_rule", undefined) ?? "", /passes their audiences/);
  for (const [kind, install] of [
    ["allowed_country", countries],
    ["allowed_city", cities],
    ["allowed_city", undefined],
    ["device_rule", nothing],
  ] as const)
    assert.equal(whyUnjudged(kind, install), undefined, kind);
});
