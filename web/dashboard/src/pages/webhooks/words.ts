// Words for the events and deliveries of webhooks.

import type { Schemas } from "~/api/query";
import { type Word, wordOf } from "~/lib/words";

export type Webhook = Schemas["Webhook"];
export type EventName = Schemas["EventName"];

export const EVENTS: Record<EventName, readonly [text: string, about?: string]> = {
  "experiment.started": ["An experiment starts"],
  "experiment.stopped": ["An experiment stops", "Or is deleted while it is live."],
  "experiment.act_held_back": [
    "The clock asks for a confirmation",
    "A rule is met, but the result rests on one network.",
  ],
  "experiment.start_failed": ["An experiment could not start", "At its start date, with the reason."],
  "experiment.changed": ["An experiment changes in another way", "With the fields that changed."],
  "health.failed": ["A health check fails", "Of a live experiment."],
  "health.recovered": ["A health check no longer fails"],
  "verdict.reached": ["A result has a verdict", "Once for each variant and verdict: win, loss or no difference."],
  "experiment.concluded": ["An experiment is concluded", "With the outcome."],
  "experiment.reopened": ["A concluded experiment is reopened"],
  "winner.served": ["A winner is served"],
  "winner.stopped": ["A winner is no longer served"],
  conversion: ["Visitors convert", "About once a minute, with how many in each variant."],
};

const OTHERS: Record<string, string> = {
  "experiment.exposures": "Exposures",
  "webhook.test": "Test message",
};

/** Name of an event. An event that this version does not know is shown as it is. */
export function eventText(event: string): string {
  return EVENTS[event as EventName]?.[0] ?? OTHERS[event] ?? event;
}

const DELIVERY: Record<Schemas["DeliveryStatus"], Word> = {
  pending: { text: "Pending", tone: "neutral" },
  delivered: { text: "Delivered", tone: "good" },
  failed: { text: "Failed", tone: "bad" },
};

export function deliveryWord({ status, attempts }: Schemas["Delivery"]): Word {
  return status === "pending" && attempts > 0 ? { text: "Retried soon", tone: "caution" } : wordOf(DELIVERY, status);
}

export function stateOf({ enabled, failing_since }: Webhook): Word {
  if (!enabled) return { text: "Off", tone: "neutral" };
  return failing_since === null ? { text: "On", tone: "good" } : { text: "Failing", tone: "bad" };
}

/** Name of a webhook: its description, else its host. */
export function nameOf({ description, url }: Webhook): string {
  return description || (URL.canParse(url) ? new URL(url).host : url);
}
