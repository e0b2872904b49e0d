import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSearch, stringifySearch } from "~/lib/search";
import { day, filterOf, parametersOf, readQuestion, withCountries } from "./question";
import { narrowings, valueWords } from "./question-words";

test("a question survives its address", () => {
  const question = {
    goal: "order",
    filter_by: ["mobile", "new", "country-DE", "country-FR"],
    breakdown_by: "country" as const,
    epoch: 3,
    report_phase: "all_time" as const,
    start_date: "2026-11-01",
    end_date: "2026-11-20",
    tz: "+05:30",
  };
  assert.deepEqual(readQuestion(parseSearch(stringifySearch(question))), question);
  assert.deepEqual(parametersOf(question), {
    goal_key: "order",
    filter_by: "mobile,new,country-DE,country-FR",
    breakdown_by: "country",
    epoch: "3",
    report_phase: "all_time",
    start_date: "2026-11-01",
    end_date: "2026-11-20",
    tz: "+05:30",
  });
});

test("what no server would take is left out", () => {
  const found = readQuestion({
    filter_by: "cat,country-de,constructor",
    breakdown_by: "mood",
    epoch: "0",
    report_phase: "pre_deploy",
    start_date: "yesterday",
  });
  assert.deepEqual(parametersOf(found), {});
  for (const typed of ["0002-11-01", "0202-11-01", "2026-11-1", ""]) assert.equal(day(typed), undefined);
});

test("what is asked for, in words", () => {
  assert.deepEqual(narrowings({}), []);
  assert.deepEqual(narrowings({ filter_by: ["paid", "country-DE", "country-FR"], end_date: "2026-11-20", epoch: 2 }), [
    "By paid links",
    "From Germany or France",
    "Epoch 2",
    "Entered until 20 Nov 2026",
  ]);
  assert.equal(valueWords("country", null, false), "Not known");
  assert.equal(valueWords("country", "FR", false), "France");
  assert.equal(valueWords("country", null, true), "All others");
});

test("a part is filtered for where the server can", () => {
  assert.equal(filterOf("country", "FR"), "country-FR");
  assert.equal(filterOf("device", "mobile"), "mobile");
  assert.equal(filterOf("device", "tv"), undefined);
  assert.equal(filterOf("landing_page", "mobile"), undefined);
  assert.equal(filterOf("country", null), undefined);
  assert.deepEqual(withCountries(["country-DE", "new"], ["FR"]), ["new", "country-FR"]);
});
