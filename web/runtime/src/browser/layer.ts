// Orders that the page pushes to the data layer of tag managers: in the form of GA4, of `gtag`, of Universal Analytics, or of the first
// tag managers.

import { isFilled, isReadable, type OrderFields, readOrder } from "./order";
import type { DroppedListener } from "./transport";
import { listen, quietly, win } from "./world";

/** Fields of valid entries. Pages push other values, too. */
interface LayerEntry {
  event?: unknown;
  /** The fields of the first tag managers. */
  transactionId?: unknown;
  transactionTotal?: unknown;
  transactionCurrency?: unknown;
  ecommerce?: Ecommerce | null;
  /** The arguments of `gtag`. */
  0?: unknown;
  1?: unknown;
  2?: Ecommerce | null;
}

/** The fields of GA4, and those of Universal Analytics. */
interface Ecommerce {
  transaction_id?: unknown;
  value?: unknown;
  currency?: unknown;
  items?: Item[];
  currencyCode?: unknown;
  purchase?: ActionData;
  refund?: ActionData;
}

interface ActionData {
  actionField?: { id?: unknown; revenue?: unknown };
  products?: Item[];
}

interface Item {
  quantity?: unknown;
}

interface LayerOrder {
  _isRefund: boolean;
  _id: unknown;
  _value: unknown;
  _currency: unknown;
  _items: Item[] | undefined;
}

/** The order of an entry, if it is one. */
function orderOf(entry: LayerEntry): LayerOrder | undefined {
  // Without `ecommerce`, the entry itself may have the fields.
  const [name, data] =
    entry[0] === "event" ? [entry[1], entry[2] ?? {}] : [entry.event, entry.ecommerce ?? (entry as Ecommerce)];
  const { transaction_id, value, currency = data.currencyCode, items, purchase, refund } = data;
  const isRefund = name === "refund";
  const order = { _isRefund: isRefund, _id: transaction_id, _value: value, _currency: currency, _items: items };
  const isNamed = isRefund || name === "purchase";
  if (isNamed && (transaction_id ?? value) != null) return order;
  const action = purchase?.actionField ? purchase : refund?.actionField && refund;
  if (action) {
    const { id, revenue } = action.actionField!;
    return { _isRefund: action === refund, _id: id, _value: revenue, _currency: currency, _items: action.products };
  }
  const { transactionId, transactionTotal, transactionCurrency } = entry;
  if (transactionTotal != null)
    return { ...order, _id: transactionId, _value: transactionTotal, _currency: transactionCurrency ?? currency };
  return isNamed ? order : undefined;
}

/** The negative of an amount, whether it is a number or a text. */
const negative = (value: unknown): unknown =>
  typeof value === "string" ? `-${value.replace(/^(\s*)[-−]/, "$1")}` : -Math.abs(value as number);

/**
 * Passes purchases and refunds from `window.dataLayer` to `track`, and those that cannot be read to `lost`. Existing
 * entries count, whenever the page creates the layer.
 *
 * A refund is an order with a negative value and the id of its purchase. Each id counts once per page as a purchase and
 * once as a refund. Each entry also counts once, as the page may put it into another layer.
 */
export function watchLayer(track: (name: string, order: OrderFields) => void, lost: DroppedListener): void {
  const seen = new Set<unknown>();
  let layer: LayerEntry[] | undefined;

  const read = (entry: LayerEntry): unknown =>
    quietly(() => {
      const order = orderOf(entry);
      if (!order) return;
      const { _isRefund: isRefund, _id: id, _value: value, _currency: currency, _items: items } = order;
      const key = isFilled(id) ? `${isRefund} ${id}` : entry;
      if (seen.has(entry) || seen.has(key)) return;
      seen.add(entry);
      const name = "purchase";
      const given: OrderFields = {
        value: isRefund && value != null ? negative(value) : value,
        currency,
        // A refund has the id of its purchase.
        order_id: id,
        // An item without a quantity counts as one.
        quantity: items?.reduce((sum, { quantity }) => sum + Math.abs(+`${quantity ?? 1}` || 0), 0),
      };
      if (isReadable(value, currency)) {
        seen.add(key);
        track(name, given);
      } else {
        // The page may push it again in a form that can be read. If it were recorded without its amount now, it would
        // then count as another purchase.
        const [, problem] = readOrder(name, given);
        lost([[{ type: "order", name, ...given }, problem!]]);
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
