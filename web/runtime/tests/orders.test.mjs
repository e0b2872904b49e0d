// Parsing of the amounts and numbers of orders as shops write them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL("../src/browser/order.ts", import.meta.url))],
  bundle: true,
  write: false,
  format: "esm",
  target: "es2020",
});
const { amountOf, isFilled, readOrder } = await import(
  `data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`
);

/** Amounts in euros, and their parsed numbers; undefined if they cannot be read. */
const EUROS = [
  // Numbers.
  [59.9, 59.9],
  [0, 0],
  [-59.9, -59.9],
  [12.345, 12.345],
  [7n, 7],
  [1e300, undefined],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  // As programs write them.
  ["59.90", 59.9],
  ["59", 59],
  ["-59.9", -59.9],
  ["60.", 60],
  [".5", 0.5],
  ["0.125", 0.125],
  ["59.9000", 59.9],
  ["1234.567", 1234.567],
  // With blanks of all kinds.
  [" 59.90 ", 59.9],
  ["\n59.90\t", 59.9],
  ["1\u00a0299,00", 1299],
  ["1\u202f299,00\u00a0€", 1299],
  ["1 299 000", 1299000],
  // With a comma for decimals.
  ["59,90", 59.9],
  ["59,9", 59.9],
  [",5", 0.5],
  ["0,500", 0.5],
  // With separators for thousands.
  ["1,299.00", 1299],
  ["1.299,00", 1299],
  ["4,245.42", 4245.42],
  ["4,245.4200", 4245.42],
  ["12,345,678.9", 12345678.9],
  ["1.234.567,8", 1234567.8],
  ["1,29,900.50", 129900.5],
  ["1,299,000", 1299000],
  ["1.299.000", 1299000],
  ["1'299.00", 1299],
  ["1’299.00", 1299],
  ["-1,299.00", -1299],
  ["−1.299,00", -1299],
  // A comma before three digits groups them; a point is ambiguous.
  ["1,000", 1000],
  ["12,345", 12345],
  ["1.000", undefined],
  ["23.788", undefined],
  // With a currency.
  ["€59.90", 59.9],
  ["€ 59.90", 59.9],
  ["59,90 €", 59.9],
  ["EUR 59.90", 59.9],
  ["59.90EUR", 59.9],
  ["€-5", -5],
  ["-€5", -5],
  ["US$ 1,299.00", 1299],
  ["R$1.299,90", 1299.9],
  ["Rs.1,299", 1299],
  ["1 299,50 kr", 1299.5],
  ["CHF 1’299.–", 1299],
  ["59,-", 59],
  [".5 kr.", 0.5],
  // Not an amount, or more than one.
  ["", undefined],
  [" ", undefined],
  ["-", undefined],
  [".", undefined],
  ["€", undefined],
  ["high", undefined],
  ["undefined", undefined],
  ["{{value}}", undefined],
  ["1e9", undefined],
  ["Infinity", undefined],
  ["12-34", undefined],
  ["1,2,3", undefined],
  ["1.2.3", undefined],
  ["12.34.56", undefined],
  ["1,299.00.5", undefined],
  ["1,299.000,5", undefined],
  ["1234,567.00", undefined],
  ["59.90 and more", undefined],
  ["1".repeat(16), undefined],
  [true, undefined],
  [null, undefined],
  [undefined, undefined],
  [[], undefined],
  [{}, undefined],
];

test("amounts are read as shops write them", () => {
  for (const [given, expected] of EUROS) {
    assert.equal(amountOf(given, "EUR"), expected, typeof given === "bigint" ? `${given}n` : JSON.stringify(given));
  }
});

test("three digits behind a separator are decimals where the currency has three", () => {
  for (const currency of ["BHD", "iqd", "JOD", "KWD", "LYD", "OMR", "TND"]) {
    assert.deepEqual(
      ["12.345", "12,345", "1,000", "1,299.500", "59.9"].map((amount) => amountOf(amount, currency)),
      [12.345, 12.345, 1, 1299.5, 59.9],
    );
  }
});

test("order numbers that a template left unfilled are none", () => {
  const unfilled = [
    ..."undefined|null|NaN|nan|None|{{order.id}}|{{ order.id }}|[object Object]|(not set)|not set".split("|"),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what a template left.
    "${order.id}",
    ..."0|000|-|n/a|N/A|(none)|true|false|<%= order.id %>|A-{{order.id}}||   ".split("|"),
    undefined,
    null,
    Number.NaN,
    0,
    {},
  ];
  assert.deepEqual(unfilled.filter(isFilled), []);
  for (const number of ["A-77", "10", 10, "00012", "nullable", "undefined-1", "not set yet", "R0", "Ø"]) {
    assert.ok(isFilled(number), `${number}`);
  }
});

/** @type {[name: string, given: any][]} */
const OTHERS = [
  ["signed-up", { plan: "pro" }],
  ["rated", { value: "high" }],
  ["scored", { value: "12" }],
  ["order-viewed", { order_id: "undefined" }],
  ["currency-chosen", { currency: "Euro" }],
  ["signed-up", undefined],
  ["signed-up", null],
];

test("what is no order is left alone", () => {
  for (const [name, given] of OTHERS) assert.deepEqual(readOrder(name, given), [{ ...given }]);
});

/** @type {[name: string, given: any, problem: RegExp][]} */
const PROBLEMS = [
  ["purchase", { value: "high", currency: "EUR" }, /^the amount "high" cannot be read/],
  ["sold", { value: "1.000", currency: "EUR" }, /^the amount "1\.000" cannot be read/],
  ["purchase", { currency: "EUR" }, /no `value`/],
  ["Purchase", { value: 5 }, /^an order has no `currency`$/],
  ["refund", { value: -5, currency: "Euro" }, /^the currency "Euro" is not a code/],
  ["sold", { value: 5, order_id: "A" }, /no `currency`/],
  ["purchase", undefined, /no `value`.*; .*no `currency`/],
  ["sold", { value: 5, currency: "EUR", order_id: "undefined" }, /^`order_id` is "undefined": a template/],
  ["sold", { value: -5, currency: "EUR", refund_of: "{{id}}" }, /^`refund_of` is "\{\{id\}\}"/],
];

test("an order has a number as amount, and says what cannot be read", () => {
  const order = { value: 1299, currency: "EUR", order_id: "A" };
  assert.deepEqual(readOrder("purchase", { ...order, value: " 1.299,00 €", currency: " EUR " }), [order, ""]);
  for (const [name, given, problem] of PROBLEMS) {
    const [fields, said] = readOrder(name, given);
    assert.match(said, problem);
    // An amount or id that cannot be read is a property with another name.
    assert.ok(fields.value === undefined || typeof fields.value === "number");
    assert.ok(!/undefined|\{/.test(`${fields.order_id ?? ""}${fields.refund_of ?? ""}`));
    assert.equal(fields.value ?? fields.unread_value, given?.value);
    assert.equal(fields.order_id ?? fields.unread_order_id, given?.order_id);
  }
});
