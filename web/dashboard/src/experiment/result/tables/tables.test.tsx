import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { MetricsTable } from "./metrics-table";
import type { Metric, MetricArm, Result } from "../reading";

/** Rows of a table, as the texts of their cells. Column names that only cards show are left out. */
function rowsOf(table: ReactNode): string[][] {
  const html = renderToStaticMarkup(table).replaceAll(/<span aria-hidden="true"[^>]*>[^<]*<\/span>/g, "");
  const text = (cell: string) =>
    cell
      .replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/ +/g, " ")
      .trim();
  return [...html.matchAll(/<tr.*?<\/tr>/g)].map(([row]) =>
    [...row.matchAll(/<t[hd].*?<\/t[hd]>/g)].map(([cell]) => text(cell)),
  );
}

const result = {
  status_code: 1,
  currency: "EUR",
  variants: [
    { variant_id: "0", name: "Control", nickname: "", is_control: true },
    { variant_id: "1", name: "Variant 1", nickname: "", is_control: false },
  ],
} as unknown as Result;

const arm = (id: string, more: Partial<MetricArm>) =>
  ({ variant_id: id, conversions: 10, conversion_rate: 10, ...more }) as MetricArm;

function metric(key: string, more: Partial<Metric>, ...arms: Partial<MetricArm>[]) {
  const variants = arms.map((one, at) => arm(String(at), one));
  return { kind: "goal", key, name: key, role: "secondary", lower_is_better: false, variants, ...more } as Metric;
}

test("each metric has its amounts in its own currency", () => {
  const order = (currency: string | null) => ({ rpv: 2, aov: 20, total_orders: 10, total_revenue: 200, currency });
  const metrics = [
    metric("in dollars", {}, order("USD"), order("USD")),
    metric("in pounds", {}, order("GBP"), order("GBP")),
    metric("in none", {}, order(null), order(null)),
    metric("without money", {}, {}, {}),
  ];
  const [head, ...rows] = rowsOf(<MetricsTable result={result} metrics={metrics} label="Other metrics" />);
  assert.deepEqual(head?.slice(3, 5), ["Per visitor", "Per order"]);
  assert.deepEqual(
    // The first row of a metric has its name before the other cells.
    rows.map((row) => row.slice(-5, -3)),
    [
      ["US$2.00 US$200.00 in all", "US$20.00 10 orders"],
      ["US$2.00 US$200.00 in all", "US$20.00 10 orders"],
      ["£2.00 £200.00 in all", "£20.00 10 orders"],
      ["£2.00 £200.00 in all", "£20.00 10 orders"],
      ["2 200 in all", "20 10 orders"],
      ["2 200 in all", "20 10 orders"],
      ["", ""],
      ["", ""],
    ],
  );
});

test("what is less, and better, is not called an improvement", () => {
  const bounce = metric("bounce_rate", { kind: "builtin", lower_is_better: true }, {}, { improvement: 10 });
  const [head, ...rows] = rowsOf(<MetricsTable result={result} metrics={[bounce]} label="Other metrics" />);
  assert.deepEqual(head, ["Metric", "Variant", "Rate", "Change, seen", "Lift, inferred", "Verdict"]);
  assert.match(rows[0]?.[0] ?? "", /less is better/);
  assert.equal(rows[1]?.[2], "+10.0\u00a0%");
});
