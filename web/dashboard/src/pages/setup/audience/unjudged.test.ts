import assert from "node:assert/strict";
import { test } from "node:test";
import { isUnjudged } from "./unjudged";

test("a rule about places is warned of where the server is known to have none", () => {
  const install = (more: object) => more as Parameters<typeof isUnjudged>[1];
  assert.ok(isUnjudged("allowed_country", install({ knows_places: false })));
  assert.ok(isUnjudged("allowed_city", install({ knows_places: false })));
  assert.ok(!isUnjudged("device_rule", install({ knows_places: false })));
  for (const other of [{ knows_places: true }, {}, undefined])
    assert.ok(!isUnjudged("allowed_country", other && install(other)));
});
