import assert from "node:assert/strict";
import { test } from "node:test";
import { dayIn } from "./day-in";

test("the day of a moment is that of the zone, in any spelling that the server takes", () => {
  assert.equal(dayIn("UTC")("2026-03-01T23:30:00Z"), "2026-03-01");
  assert.equal(dayIn("Europe/Berlin")("2026-03-01T23:30:00Z"), "2026-03-02");
  for (const tz of ["2", "+02:00", "+2.0", " 02:00"]) assert.equal(dayIn(tz)("2026-03-01T23:30:00Z"), "2026-03-02", tz);
  assert.equal(dayIn("-3.5")("2026-03-02T03:15:00Z"), "2026-03-01");
  assert.equal(dayIn("Not/AZone")("2026-03-01T23:30:00Z"), "2026-03-01");
});
