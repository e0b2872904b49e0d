// Orders that the page tells its own tools of, in the data layer of tag managers: as GA4 wants them, or as `gtag` passes them on.

import type { Take } from "./events";
import { listen, quietly, win } from "./world";

/** An entry: `{event, ecommerce}`, or the arguments `"event", name, {…}`. Nothing in it is as it should be for sure. */
type Entry = { event?: unknown; ecommerce?: Order } & [word: unknown, name: unknown, order: Order];
type Order = { transaction_id?: unknown; value?: unknown; currency?: unknown; items?: { quantity?: unknown }[] };

/**
 * Takes purchases and refunds from `window.dataLayer`, those that are in it already too, whenever the page makes it.
 *
 * A refund is an order with a negative value and its purchase's id. What has no amount (a plain number) or no currency (three letters) is none.
 * Each `transaction_id` counts once a page, for a purchase and for a refund.
 */
export function watchLayer(take: Take): void {
  const seen = new Set<unknown>();
  let layer: Entry[] | undefined;

  const first = (what: unknown): boolean => !seen.has(what) && !!seen.add(what);

  const read = (entry: Entry): unknown =>
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
          // What is paid back is of the order with this id.
          order_id,
          // An item that does not say so is one.
          quantity: items?.reduce((sum, { quantity }) => sum + Math.abs(+`${quantity ?? 1}` || 0), 0),
        });
      }
    });

  /** The page may make the layer at any time, or another in its place. */
  const look = (): unknown =>
    quietly(() => {
      const found = (win as { dataLayer?: Entry[] }).dataLayer;
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
