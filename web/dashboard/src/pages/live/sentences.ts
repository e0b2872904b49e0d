// Events in words.

import type { Schemas } from "~/api/query";
import { decimal } from "~/lib/format";
import { own } from "~/lib/own";
import type { IconName } from "~/ui/icon";
import { amountOf } from "~/experiment/live/amount";
import type { LiveEvent } from "~/experiment/live/log";

/** Names of experiments by id. */
export type Names = ReadonlyMap<number, string>;

interface Said {
  icon: IconName;
  text: string;
}

type Say = (event: LiveEvent, names: Names) => Said;

const SAYINGS: Record<Schemas["EventType"], Say> = {
  pageview: (event) => ({ icon: "book", text: `Opened ${pathOf(event.url)}` }),
  exposure: (event, names) => ({
    icon: "flask",
    text: `Met ${arm(event)} of ${experiment(event, names)}, and is counted there`,
  }),
  click: (event) => ({ icon: "check", text: `Clicked ${clicked(event)}` }),
  submit: (event) => ({ icon: "check", text: `Submitted the form ${quoted(event.trigger)}` }),
  appear: (event) => ({ icon: "check", text: `Had ${quoted(event.trigger)} in view` }),
  scroll: (event) => ({ icon: "arrowDown", text: `Scrolled through ${number(event.value)} % of the page` }),
  duration: (event) => ({ icon: "check", text: `Looked at the page for ${number(event.value)} s` }),
  script: (event) => ({ icon: "flag", text: `Fired the goal ${quoted(event.trigger)}` }),
  custom: (event) => ({
    icon: "flag",
    text: `Did ${quoted(event.name)}${typeof event.value === "number" ? `, with the value ${number(event.value)}` : ""}`,
  }),
  order: (event) => ({ icon: "receipt", text: order(event) }),
  identify: (event) => ({ icon: "person", text: `Was identified${known(event.attributes)}` }),
  health: (event, names) => ({ icon: "info", text: health(event, names) }),
};

export function saying(event: LiveEvent, names: Names): Said {
  const type = String(event.type);
  return own(SAYINGS, type)?.(event, names) ?? { icon: "info", text: type };
}

/** Path of the page. The site is left out, because it is always the same. */
export function pathOf(url: unknown): string {
  if (typeof url !== "string") return "a page";
  try {
    const { pathname, search } = new URL(url);
    return pathname + search;
  } catch {
    return url;
  }
}

function experiment(event: LiveEvent, names: Names): string {
  return names.get(Number(event.test_id)) ?? `experiment ${String(event.test_id)}`;
}

function arm(event: LiveEvent): string {
  return event.variant_id === "0" ? "Control" : `Variant ${String(event.variant_id)}`;
}

const quoted = (value: unknown) => `“${String(value)}”`;
const number = (value: unknown) => (typeof value === "number" ? decimal(value) : String(value));

function clicked({ by, trigger, href }: LiveEvent): string {
  if (by === "link") return `a link to ${String(href)}`;
  return by === "text" ? `the text ${quoted(trigger)}` : `an element that matches ${quoted(trigger)}`;
}

function order({ name, value, currency, order_id }: LiveEvent): string {
  const isRefund = typeof value === "number" && value < 0;
  const amount = amountOf(isRefund ? -value : value, currency);
  const about = [quoted(name), order_id != null && `order ${String(order_id)}`].filter(Boolean).join(", ");
  return isRefund ? `Got ${amount} back (${about})` : `Bought for ${amount} (${about})`;
}

function known(attributes: unknown): string {
  const names = typeof attributes === "object" && attributes !== null ? Object.keys(attributes) : [];
  return names.length > 0 ? ` by ${names.slice(0, 5).join(", ")}${names.length > 5 ? "…" : ""}` : "";
}

/** State of a variant on the page: which changes found their elements, and which failed. */
function health(event: LiveEvent, names: Names): string {
  if (event.test_id === undefined) return "The page reported the health of the script";
  const changes = typeof event.changes === "string" ? [...event.changes].filter((one) => one !== "-") : [];
  const found = changes.filter((one) => one === "1").length;
  const errors = Number(event.errors ?? 0);
  const parts = [
    changes.length > 0 &&
      `${found} of ${changes.length} ${changes.length === 1 ? "change" : "changes"} found their element`,
    errors > 0 && `${errors} ${errors === 1 ? "error" : "errors"}`,
    Number(event.late ?? 0) > 0 && "the variant came too late",
  ].filter(Boolean);
  const said = parts.length > 0 ? parts.join(", ") : "nothing failed";
  return `${arm(event)} of ${experiment(event, names)} reported: ${said}`;
}
