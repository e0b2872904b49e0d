import assert from "node:assert/strict";
import { test } from "node:test";
import { renderToStaticMarkup } from "react-dom/server";
import { HoldoutMetrics, HoldoutView } from "./holdout-view";

type Metrics = Parameters<typeof HoldoutMetrics>[0]["metrics"];
type Result = Parameters<typeof HoldoutView>[0]["result"];

test("a metric says which way is better, and that it got worse", () => {
  const metric = (key: string, isLess: boolean, harmed: boolean | null) => ({
    kind: "builtin",
    key,
    name: key,
    lower_is_better: isLess,
    variants: [{ conversion_rate: 10 }, { conversion_rate: 12, harmed }],
  });
  const metrics = [metric("bounce_rate", true, true), metric("add_to_cart", false, null)] as unknown as Metrics;
  const [, bounces = "", carts = ""] = renderToStaticMarkup(<HoldoutMetrics metrics={metrics} />)
    .split("<tr")
    .slice(1);
  assert.match(bounces, /Less is better/);
  assert.match(bounces, /Got worse/);
  assert.doesNotMatch(carts, /Less is better|Got worse/);
});

test("the observed difference is next to what can be concluded, and help says why they differ", () => {
  const analysis = { verdict: "keep_running", reason: "Too early.", lift: 0.1, lift_interval: [-43.1, 249.1] };
  const result = {
    rpv: 9,
    currency: "EUR",
    variants: [
      { variant_id: "0", name: "Held out", rpv: 8.64 },
      { variant_id: "1", name: "Everybody else", rpv: 9.45, improvement: 9.4, analysis },
    ],
    health: {},
    metrics: [],
    start_date: null,
    confidence_threshold_percent: 95,
  } as unknown as Result;
  const html = renderToStaticMarkup(<HoldoutView result={result} />);
  assert.match(html, /Change, seen/);
  assert.match(html, /\+9\.4/);
  assert.match(html, /How to read this/);
  assert.match(html, /the few largest buyers/);
});

test("what is wrong with the numbers is said before there is a verdict", () => {
  const check = (status: string, message: string) => ({ status, message });
  const result = {
    variants: [
      { variant_id: "0", name: "Held out" },
      { variant_id: "1", name: "Everybody else", analysis: null },
    ],
    health: {
      sample_ratio: check("fail", "More are held out than were meant to be."),
      minimum_data: check("warn", "There is too little."),
      event_log: check("ok", "All is there."),
    },
    metrics: [],
    start_date: null,
    confidence_threshold_percent: 95,
  } as unknown as Result;
  const html = renderToStaticMarkup(<HoldoutView result={result} />);
  assert.match(html, /More are held out/);
  assert.match(html, /too little/);
  assert.doesNotMatch(html, /All is there/);
});
