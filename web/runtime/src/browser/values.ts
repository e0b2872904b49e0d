// Converts values of the page to event fields.

import type { EventFields, Properties } from "./events";
import { PROPERTIES_MAX } from "./limits";

/**
 * The properties of an object that the server accepts: strings, numbers and booleans. Numbers beyond 2⁵³, which are
 * mostly ids, become strings.
 */
export const scalarsOf = (given: object | null | undefined): Properties =>
  Object.fromEntries(
    Object.entries(given ?? {})
      // Strings, booleans and bigints.
      .filter(([, value]) => Number.isFinite(value) || /^(st|b)/.test(typeof value))
      .slice(0, PROPERTIES_MAX)
      .map(([name, value]) => [name, typeof value === "bigint" || value * value > 2 ** 106 ? value + "" : value]),
  );

/** The event of a call of `track`: an order if it has an amount and a currency, else a custom event. */
export function trackEvent(name: string, given?: object | null): EventFields {
  const { value, currency, order_id, refund_of, quantity, ...properties } = scalarsOf(given);
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
