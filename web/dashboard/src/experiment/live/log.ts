// Content of the live view: the last messages of the stream, up to a maximum.

import type { Schemas } from "~/api/query";

export type Decision = Schemas["LiveDecision"];

/** An event as the server has stored it. Its fields depend on the type, and come from pages. */
export type LiveEvent = Record<string, unknown>;

export type Entry =
  | { id: number; at: string; kind: "event"; event: LiveEvent; decisions?: Decision[] }
  | { id: number; at: string; kind: "gap"; text: string };

export interface Log {
  /** Newest first. */
  entries: readonly Entry[];
  next: number;
}

export const EMPTY: Log = { entries: [], next: 1 };
export const MOST = 300;

export type Change =
  | { kind: "message"; message: Schemas["LiveMessage"] }
  | { kind: "gap"; at: string; text: string }
  | { kind: "clear" };

export function reduce(log: Log, change: Change): Log {
  if (change.kind === "clear") return { ...log, entries: [] };
  if (change.kind === "gap") return added(log, { kind: "gap", at: change.at, text: change.text });
  const { at, missed, event, decisions } = change.message;
  let next = log;
  if (missed > 0) {
    const text = `${missed} ${missed === 1 ? "event was" : "events were"} left out here: they came faster than this page could take them.`;
    next = added(next, { kind: "gap", at, text });
  }
  if (event) next = added(next, { kind: "event", at, event: event as LiveEvent });
  return decisions ? decided(next, decisions) : next;
}

type New = { kind: "event"; at: string; event: LiveEvent } | { kind: "gap"; at: string; text: string };

function added(log: Log, entry: New): Log {
  return { entries: [{ ...entry, id: log.next }, ...log.entries].slice(0, MOST), next: log.next + 1 };
}

/** Decisions follow the page view that they are about. */
function decided(log: Log, decisions: Decision[]): Log {
  const at = log.entries.findIndex((entry) => entry.kind === "event" && entry.event.type === "pageview");
  const entries = log.entries.map((entry, index) =>
    index === at && entry.kind === "event" ? { ...entry, decisions } : entry,
  );
  return { ...log, entries };
}
