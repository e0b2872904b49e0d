// Reads the amounts and numbers of orders as shops write them. In the part `orders`, as only revenue goals need them.

/** The fields of an order as a page gives them. */
export interface OrderFields {
  value?: unknown;
  currency?: unknown;
  order_id?: unknown;
  refund_of?: unknown;
  quantity?: unknown;
  [property: string]: unknown;
}

/** Currencies with three decimals, where `1.234` is not a thousand. */
const THREE_DECIMALS = /^(bhd|iqd|jod|kwd|lyd|omr|tnd)$/i;

/**
 * The form of an amount: digits with a minus, and with a currency as a sign or up to three letters, on either side.
 * Blanks, apostrophes, and a dash that stands for no cents, as in `59,-`, are removed before.
 */
const AMOUNT = /^(-?)(?:\p{L}{1,3}\.?)?\p{Sc}?(-?)([\d.,]*\d[\d.,]*)\p{Sc}?(?:\p{L}{1,3}\.?)?$/u;

/** Digits in groups: two or three in each, and three in the last one. */
const GROUPED = /^\d{1,3}([.,]\d{2,3})*[.,]\d{3}$/;

/** Converts digits with separators to a decimal number, as text. Undefined if they have two readings. */
function decimal(digits: string, currency: string): string | undefined {
  const separators = digits.replace(/\d/g, "");
  const last = separators.slice(-1);
  const [whole, rest] = [digits.slice(0, digits.lastIndexOf(last)), digits.slice(digits.lastIndexOf(last) + 1)];
  const join = (text: string): string => text.replace(/[.,]/g, "");
  if (!last) return digits;
  if (separators[1]) {
    // The same separator several times groups digits. With two separators, the last one occurs once and marks the
    // decimals.
    const isGrouped = separators === last.repeat(separators.length);
    if (isGrouped) return GROUPED.test(digits) ? join(digits) : undefined;
    return separators.indexOf(last) === separators.length - 1 && GROUPED.test(whole)
      ? `${join(whole)}.${rest}`
      : undefined;
  }
  // One separator with three digits after it marks decimals in few currencies. In others, a comma groups digits, and a
  // point may.
  if (/^[1-9]\d{0,2}[.,]\d{3}$/.test(digits) && !THREE_DECIMALS.test(currency)) {
    return last === "," ? join(digits) : undefined;
  }
  return `${whole}.${rest}`;
}

/** Parses an amount: docs/runtime.md, "Amounts". Undefined if it cannot be read, or has two readings. */
export function amountOf(given: unknown, currency: string): number | undefined {
  let amount = /^(number|bigint)$/.test(typeof given) ? Number(given) : Number.NaN;
  if (typeof given === "string") {
    // All blanks, including non-breaking spaces.
    const text = given
      .replace(/[\s'’`´]/g, "")
      .replace(/−/g, "-")
      .replace(/[.,][-–—]$/, "");
    const [, before, after, digits = ""] = AMOUNT.exec(text) ?? [];
    amount = Number((before || after || "") + (decimal(digits, currency) || "?"));
  }
  // The form that `trackEvent` accepts as an amount.
  return /^-?\d{1,15}(\.\d+)?$/.test(`${amount}`) ? amount : undefined;
}

/** Values that templates produce if they have no order number, or were not filled. */
const UNFILLED = /^([0-]*|nan|null|none|undefined|true|false|n\/a|\(?not set\)?|\(none\))$|\{\{|\$\{|<%|\[object /i;

/** Returns whether a value can be an order number. */
export const isFilled = (given: unknown): boolean => !UNFILLED.test(`${given}`.trim());

/** A currency as trimmed text, which need not be a valid code. */
const codeOf = (currency: unknown): string => `${currency ?? ""}`.trim();

const isCode = (currency: string): boolean => /^[a-z]{3}$/i.test(currency);

/** Returns whether an amount and its currency can be read. */
export const isReadable = (value: unknown, currency: unknown): boolean =>
  isCode(codeOf(currency)) && amountOf(value, codeOf(currency)) != null;

const shown = (given: unknown): string => JSON.stringify(`${given}`.slice(0, 100));

/**
 * Returns the fields of a call of `track`, with its amount as a number, and a description of the problem if the call is
 * meant as an order that cannot be read. It is meant as an order if its name is `purchase` or `refund`, or if it has an
 * amount and a currency or an order number. An amount or an order number that cannot be read becomes a property,
 * `unread_value` and so on.
 */
export function readOrder(name: string, given?: object | null): [given: object, problem?: string] {
  const order: OrderFields = { ...given };
  const { value } = order;
  const currency = codeOf(order.currency);
  const isOrder =
    /^(purchase|refund)$/i.test(`${name}`) ||
    (value != null && (order.currency ?? order.order_id ?? order.refund_of) != null);
  if (!isOrder) return [order];

  const problems: string[] = [];
  const unread = (field: "value" | "order_id" | "refund_of", problem: string): void => {
    order[`unread_${field}`] = order[field];
    delete order[field];
    problems.push(problem);
  };

  const amount = amountOf(value, currency);
  if (amount != null) order.value = amount;
  else
    unread(
      "value",
      value == null ? "an order has no `value`" : `the amount ${shown(value)} cannot be read: give a number`,
    );
  if (isCode(currency)) order.currency = currency;
  else if (order.currency == null) problems.push("an order has no `currency`");
  else problems.push(`the currency ${shown(currency)} is not a code of three letters`);
  for (const field of ["order_id", "refund_of"] as const) {
    const id = order[field];
    if (id != null && !isFilled(id)) unread(field, `\`${field}\` is ${shown(id)}: a template left it unfilled`);
  }
  return [order, problems.join("; ")];
}
