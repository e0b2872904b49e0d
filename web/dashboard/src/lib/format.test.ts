import assert from "node:assert/strict";
import { test } from "node:test";
import * as format from "./format";

test("numbers and moments are written in one way", () => {
  const now = new Date("2026-11-25T12:00:00Z");
  const cases: [string, string][] = [
    [format.integer(1_234_567), "1,234,567"],
    [format.integer(null), "–"],
    [format.integer(0), "0"],
    [format.compact(12_345), "12.3k"],
    [format.percent(0.0412), "4.1\u00a0%"],
    [format.percent(0.5, 0), "50\u00a0%"],
    [format.percent(undefined), "–"],
    [format.change(0.0412), "+4.1\u00a0%"],
    [format.change(-0.003), "−0.3\u00a0%"],
    [format.change(-0.00001), "0.0\u00a0%"],
    [format.signed(4.13, "%"), "+4.1\u00a0%"],
    [format.signed(-0.3, "points", 2), "−0.30\u00a0points"],
    [format.signed(-0.0004, ""), "0.0"],
    [format.signed(null, "%"), "–"],
    [format.percentage(12.5), "12.5\u00a0%"],
    [format.count(1, "day"), "1 day"],
    [format.count(1200, "visitor"), "1,200 visitors"],
    [format.count(0, "hypothesis", "hypotheses"), "0 hypotheses"],
    [format.date("2026-11-05T10:00:00Z"), "5 Nov 2026"],
    [format.date("2026-11-05T10:00:00Z", true, now), "5 Nov"],
    [format.date("2025-11-05T10:00:00Z", true, now), "5 Nov 2025"],
    [format.date("rubbish"), "–"],
    [format.day("2026-11-05"), "5 Nov 2026"],
    [format.month("2026-11"), "Nov 2026"],
    [format.day("2026-11-05", true), "5 Nov"],
    [format.dayRange("2026-11-05", "2026-11-25", now), "5 Nov to 25 Nov"],
    [format.dayRange("2025-12-05", "2026-01-25", now), "5 Dec 2025 to 25 Jan 2026"],
    [format.dayRange("2025-11-05", "2025-12-25", now), "5 Nov 2025 to 25 Dec 2025"],
    [format.dayRange("2026-11-05", null, now), "5 Nov to –"],
    [format.ago("2026-11-25T11:59:40Z", now), "just now"],
    [format.ago("2026-11-25T09:00:00Z", now), "3 hours ago"],
    [format.ago("2026-11-27T12:00:00Z", now), "in 2 days"],
    [format.ago("2026-10-01T12:00:00Z", now), "1 Oct"],
    [format.duration(45), "45 s"],
    [format.duration(12_000), "3 h 20 min"],
    [format.duration(7_200), "2 h"],
    [format.duration(400_000), "5 days"],
  ];
  for (const [given, expected] of cases) assert.equal(given, expected);
});
