import assert from "node:assert/strict";
import { test } from "node:test";
import { amountOf } from "./amount";

test("an amount is written with the digits of its currency, and anything else as it was sent", () => {
  const cases: [unknown, unknown, string][] = [
    [59.9, "EUR", "€59.90"],
    [12.345, "KWD", "KWD\u00a012.345"],
    [1_250, "jpy", "JP¥1,250"],
    [12.5, "EURO", "12.5 EURO"],
    [12.5, undefined, "12.5"],
    ["many", "EUR", "many EUR"],
    [undefined, undefined, ""],
  ];
  for (const [value, currency, expected] of cases) assert.equal(amountOf(value, currency), expected);
});
