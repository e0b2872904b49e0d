// Orders that the page pushes to the data layer of tag managers, in the form of GA4 or of `gtag`.

import type { RecordEvent } from "./events";
import { listen, quietly, win } from "./world";

/** An entry: `{event, ecommerce}`, or the arguments `"event", name, {…}`. The types are what valid entries have; pages push anything. */
type LayerEntry = { event?: unknown; ecommerce?: EcommerceData } & [word: unknown, name: unknown, order: EcommerceData];
type EcommerceData = {
  transaction_id?: unknown;
  value?: unknown;
  currency?: unknown;
  items?: { quantity?: unknown }[];
};

/**
 * Records purchases and refunds from `window.dataLayer`, including existing entries, whenever the page creates the layer.
 *
 * A refund is an order with a negative value and the id of its purchase. Entries without an amount (a plain number) or a currency (three
 * letters) are ignored. Each `transaction_id` counts once per page as a purchase and once as a refund.
 */
export function watchLayer(take: RecordEvent): void {
  const seen = new Set<unknown>();
  let layer: LayerEntry[] | undefined;

  const first = (what: unknown): boolean => !seen.has(what) && !!seen.add(what);

  const read = (entry: LayerEntry): unknown =>
    quietly(() => {
      const [name, { transaction_id, value, currency, items }] =
        entry[0] === "event" ? [entry[1], entry[2]] : [entry.event, entry.ecommerce!];
      const back = name === "refund";
      const order_id = `${transaction_id ?? ""}`;
      if (
        (back || name === "purchase") &&
        /^-?\d+(\.\d+)?$/.test(`${value}`) &&
        /^[a-z]{3}$/i.test(`${currency}`) &&
        first(order_id ? name + order_id : entry)
      ) {
        take({
          type: "order",
          name: "purchase",
          value: back ? -Math.abs(+`${value}`) : +`${value}`,
          currency: `${currency}`.toUpperCase(),
          // A refund has the id of its purchase.
          order_id,
          // An item without a quantity counts as one.
          quantity: items?.reduce((sum, { quantity }) => sum + Math.abs(+`${quantity ?? 1}` || 0), 0),
        });
      }
    });

  /** Finds the layer. The page may create or replace it at any time. */
  const look = (): unknown =>
    quietly(() => {
      const found = (win as { dataLayer?: LayerEntry[] }).dataLayer;
      if (!found || found === layer) return;
      layer = found;
      const { push } = found;
      found.forEach(read);
      found.push = (...entries) => {
        const answer = push.apply(found, entries);
        entries.forEach(read);
        return answer;
      };
    });

  look();
  for (const type of ["DOMContentLoaded", "load", "click", "visibilitychange"]) listen(win, type, look);
}
