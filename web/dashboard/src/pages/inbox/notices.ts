// Appearance and destination of an entry of the inbox, by its event.

import type { LinkProps } from "@tanstack/react-router";
import type { Schemas } from "~/api/query";
import type { IconName } from "~/ui/icon";

export type Entry = Schemas["InboxEntry"];

interface Look {
  icon: IconName;
  tone: "soft" | "good" | "bad" | "accent";
}

/** Events that need attention are prominent; the others are news. */
const LOOKS: Record<Entry["event"], Look> = {
  "experiment.started": { icon: "play", tone: "soft" },
  "experiment.stopped": { icon: "stop", tone: "soft" },
  "experiment.concluded": { icon: "flag", tone: "soft" },
  "experiment.reopened": { icon: "flask", tone: "soft" },
  "experiment.changed": { icon: "gear", tone: "soft" },
  "experiment.act_held_back": { icon: "warning", tone: "accent" },
  "experiment.start_failed": { icon: "warning", tone: "bad" },
  "winner.served": { icon: "trend", tone: "good" },
  "winner.stopped": { icon: "stop", tone: "soft" },
  "health.failed": { icon: "warning", tone: "bad" },
  "health.recovered": { icon: "check", tone: "good" },
  "verdict.reached": { icon: "trend", tone: "accent" },
  "comment.added": { icon: "comment", tone: "soft" },
  "comment.mentioned": { icon: "comment", tone: "accent" },
  "proposal.opened": { icon: "approve", tone: "accent" },
  "proposal.approved": { icon: "check", tone: "good" },
  "proposal.rejected": { icon: "close", tone: "bad" },
};

/** Returns the appearance of an event. A newer server may have events that are unknown here. */
export function lookOf(event: Entry["event"]): Look {
  return LOOKS[event] ?? { icon: "info", tone: "soft" };
}

/** Events about a result. */
const RESULTS: ReadonlySet<Entry["event"]> = new Set(["health.failed", "health.recovered", "verdict.reached"]);

/** Destination of an entry; undefined once the experiment was deleted. */
export function placeOf(entry: Entry): Pick<LinkProps, "to" | "params" | "hash"> | undefined {
  if (entry.deleted) return undefined;
  const hash = entry.comment_id === null ? undefined : `comment-${entry.comment_id}`;
  if (entry.hypothesis_id !== null) {
    const params = { projectKey: entry.project_key, hypothesisId: String(entry.hypothesis_id) };
    return { to: "/p/$projectKey/hypotheses/$hypothesisId", params, ...(hash && { hash }) };
  }
  const params = { projectKey: entry.project_key, testId: String(entry.test_id) };
  if (entry.proposal_id !== null) return { to: "/p/$projectKey/experiments/$testId/proposals", params };
  if (RESULTS.has(entry.event)) return { to: "/p/$projectKey/experiments/$testId/results", params };
  if (entry.event === "experiment.changed") return { to: "/p/$projectKey/experiments/$testId/history", params };
  return { to: "/p/$projectKey/experiments/$testId", params, ...(hash && { hash }) };
}

/** Day of a time in the reader's time zone: `Today`, `Yesterday`, else the date. */
export function dayOf(at: string, date: (iso: string) => string, now = new Date()): string {
  const days = Math.round((midnight(now) - midnight(new Date(at))) / 86_400_000);
  return days === 0 ? "Today" : days === 1 ? "Yesterday" : date(at);
}

/** Start of the day. Days can have 23 or 25 hours, so a difference of two must be rounded to days. */
function midnight(at: Date): number {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
}

/** Groups sorted entries by day. */
export function byDay(entries: Entry[], date: (iso: string) => string, now = new Date()): [string, Entry[]][] {
  const days: [string, Entry[]][] = [];
  for (const entry of entries) {
    const day = dayOf(entry.at, date, now);
    const last = days.at(-1);
    if (last?.[0] === day) last[1].push(entry);
    else days.push([day, [entry]]);
  }
  return days;
}
