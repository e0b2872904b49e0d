// Values of the page as events have them.

import type { EventFields, Properties } from "./events";
import { NAMES_MAX } from "./limits";

/** What of an object the server takes: texts, numbers, yes and no. Numbers beyond 2⁵³, mostly ids, become text. */
export const plain = (given: object | null | undefined): Properties =>
  Object.fromEntries(
    Object.entries(given ?? {})
      // Strings, booleans and bigints.
      .filter(([, value]) => Number.isFinite(value) || /^(st|b)/.test(typeof value))
      .slice(0, NAMES_MAX)
      .map(([name, value]) => [name, typeof value === "bigint" || value * value > 2 ** 106 ? value + "" : value]),
  );

/** The event of a call of `track`: an order where it has an amount and a currency, else one like others. */
export function tracked(name: string, given?: object | null): EventFields {
  const { value, currency, order_id, refund_of, quantity, ...properties } = plain(given);
  const amount = /^-?\d{1,15}(\.\d+)?$/.test(value + "") ? +value! : undefined;
  if (amount == null && value != null) properties.value = value;
  return {
    type: amount != null && /^[a-z]{3}$/i.test(currency + "") ? "order" : "custom",
    name: name + "",
    value: amount,
    currency: currency && (currency + "").toUpperCase(),
    order_id: order_id != null ? order_id + "" : order_id,
    refund_of: refund_of != null ? refund_of + "" : refund_of,
    quantity: +quantity! >= 0 && +quantity! <= 1e9 ? +quantity! : undefined,
    properties,
  };
}
