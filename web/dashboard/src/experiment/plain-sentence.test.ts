import assert from "node:assert/strict";
import { test } from "node:test";
import { moment } from "~/lib/format";
import { plainSentence } from "./plain-sentence";

test("sentences of the server are said in the words and formats of the pages", () => {
  const seen = "2026-11-28T10:33:06.931Z";
  const cases: [string, string][] = [
    ["`variants[0].customJS`: this is not valid JavaScript", "Variant 1: JavaScript: this is not valid JavaScript"],
    ["custom_js: line 2 is not JavaScript", "JavaScript of all variants: line 2 is not JavaScript"],
    ["Custom_css: no.", "CSS of all variants: no."],
    ["configuration.end_test_date has passed", "Ends on has passed"],
    [
      `The script was on https://shop.example/12345 at ${seen}.`,
      `The script was on https://shop.example/12345 at ${moment(seen)}.`,
    ],
    ["less than once in 95921 times", "Less than once in 95,921 times"],
    ["7999 visitors are planned", "7999 visitors are planned"],
    ["It needs 2882688 visitors.", "It needs 2,882,688 visitors."],
    ["Variant 1: data[0] finds nothing", "Variant 1: change 1 finds nothing"],
    ["Experiment prj_12345-67890 is live", "Experiment prj_12345-67890 is live"],
    ["plan.unheard_of is no field", "Plan.unheard_of is no field"],
    ["", ""],
  ];
  for (const [given, expected] of cases) assert.equal(plainSentence(given), expected);
});
