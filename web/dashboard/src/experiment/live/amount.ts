// Amount of an order in an event, as it was sent: it may have no currency, or no number.

import { decimal, money } from "~/lib/format";

/** `€59.90`, `KWD 12.505`. A value that is not an amount in a currency is shown as it is. */
export function amountOf(value: unknown, currency: unknown): string {
  const number = typeof value === "number" ? value : undefined;
  const isCode = typeof currency === "string" && /^[A-Za-z]{3}$/.test(currency);
  if (number !== undefined && isCode) return money(number, currency);
  return [number === undefined ? String(value ?? "") : decimal(number), String(currency ?? "")]
    .filter(Boolean)
    .join(" ");
}
