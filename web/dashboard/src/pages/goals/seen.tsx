// Events of one visitor in words, with the values that goals compare.

import { decimal, time } from "~/lib/format";
import type { GoalType } from "~/lib/goal-types";
import { names } from "~/lib/names";
import { Badge } from "~/ui/badge";
import { amountOf } from "~/experiment/live/amount";
import type { Entry, LiveEvent } from "~/experiment/live/log";

export interface SeenEvent {
  id: number;
  at: string;
  type: string;
  what: string;
  /** The value that goals compare. */
  value: string;
}

/** Type of the events that each goal type checks. The server decides which of them match. */
const LOOKED_AT: Record<GoalType, string> = {
  pageview: "pageview",
  pageviewExact: "pageview",
  pageviewWildcard: "pageview",
  pageviewRegex: "pageview",
  clickOnElement: "click",
  clickOnText: "click",
  externalLink: "click",
  formSubmit: "submit",
  elementAppears: "appear",
  scrolling: "scroll",
  duration: "duration",
  event: "custom",
  revenue: "order",
  script: "script",
};

const text = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? decimal(value) : "";

/** Events that goals can check, newest first. */
export function seenEvents(entries: readonly Entry[]): SeenEvent[] {
  return entries.flatMap((entry) => {
    if (entry.kind !== "event") return [];
    const { id, at, event } = entry;
    const shown = shownAs(event);
    return shown === undefined ? [] : [{ id, at, type: text(event.type), what: shown[0], value: shown[1] }];
  });
}

function shownAs(event: LiveEvent): [what: string, value: string] | undefined {
  switch (event.type) {
    case "pageview":
      return ["Page view", text(event.url)];
    case "click":
      return event.by === "link" ? ["Link", text(event.href)] : ["Click", text(event.trigger)];
    case "submit":
      return ["Form", text(event.trigger)];
    case "appear":
      return ["Seen", text(event.trigger)];
    case "scroll":
      return ["Scrolled to", `${text(event.value)} %`];
    case "duration":
      return ["Time", `${text(event.value)} s`];
    case "custom":
      return ["Event", text(event.name)];
    case "order":
      return ["Order", `${text(event.name)}, ${amountOf(event.value, event.currency)}`];
    case "script":
      return ["Trigger", text(event.trigger)];
    default:
      return undefined;
  }
}

const SHOWN_MAX = 12;

export function SeenList({ events, type }: { events: SeenEvent[]; type: GoalType }) {
  if (events.length === 0) return <p className="text-soft">No events yet.</p>;
  return (
    <ul aria-label="Events" className="flex flex-col gap-1.5">
      {events.slice(0, SHOWN_MAX).map((event) => {
        const counts = LOOKED_AT[type] === event.type;
        return (
          <li
            key={event.id}
            className={names(
              "grid grid-cols-[auto_6rem_minmax(0,1fr)] items-baseline gap-x-2 text-sm",
              !counts && "text-soft",
            )}
          >
            <span className="num">{time(event.at)}</span>
            <span>{counts ? <Badge tone="accent">{event.what}</Badge> : event.what}</span>
            <code className="font-mono break-all">{event.value}</code>
          </li>
        );
      })}
    </ul>
  );
}
