// Events of an experiment on the days of a series: epochs that began, and changes that visitors could notice.

import type { Schemas } from "~/api/query";
import { dayIn } from "~/lib/day-in";
import { EPOCH_REASON } from "~/lib/words";
import { fieldName } from "~/experiment/changes/field-words";

export interface Mark {
  /** Index of the day. */
  day: number;
  /** Text above the line, if there is space: `Epoch 2`. */
  name: string;
  /** Everything that happened on this day, in words. */
  events: string[];
}

type Epoch = Pick<Schemas["Epoch"], "epoch" | "started_at" | "reasons">;
export type Change = Pick<Schemas["RevisionView"], "at" | "action" | "changes">;

/**
 * Maximum distance between an epoch and the change that opened it. The mark of the epoch covers the fields in
 * `OPENS_EPOCH`.
 */
const ONE_ACT_MS = 5_000;
const OPENS_EPOCH = /^(targeting|configuration\.(traffic_allocation|distribution))/;
/** Maximum number of changed fields that are named before "and others". */
const NAMED = 3;

/** Fields whose change visitors can notice, or that affect what is counted. */
const NOTICED =
  /^(variants|control|custom_js|custom_css|url|targeting|serving|primary_goal_key|configuration\.(traffic_allocation|distribution|dom_change_path|trigger_variant_change))/;

export function marksOf(
  days: readonly string[],
  tz: string,
  epochs: readonly Epoch[],
  changes: readonly Change[],
): Mark[] {
  const dayOf = dayIn(tz);
  const places = new Map(days.map((day, at) => [day, at]));
  const marks = new Map<number, Mark>();
  const add = (at: string, name: string, event: string) => {
    const day = places.get(dayOf(at));
    if (day === undefined) return;
    const mark = marks.get(day) ?? { day, name, events: [] };
    marks.set(day, mark);
    mark.events.push(event);
  };
  for (const { epoch, started_at: at, reasons } of epochs) add(at, `Epoch ${epoch}`, epochWords(epoch, reasons));
  for (const change of changes) {
    const isTold = epochs.some(({ started_at: at }) => isOneAct(at, change.at));
    const words = changeWords(change, isTold ? OPENS_EPOCH : undefined);
    if (words !== undefined) add(change.at, "Change", words);
  }
  return [...marks.values()].sort((one, other) => one.day - other.day);
}

function isOneAct(one: string, other: string): boolean {
  return Math.abs(Date.parse(one) - Date.parse(other)) < ONE_ACT_MS;
}

function epochWords(epoch: number, reasons: Epoch["reasons"]): string {
  if (epoch === 1) return "Epoch 1 began: first start";
  const words = reasons.map((reason) => (EPOCH_REASON[reason] ?? reason).toLowerCase());
  return `Epoch ${epoch} began${words.length > 0 ? `: ${words.join(", ")}` : ""}`;
}

const ACTS: Record<string, string> = {
  "serve winner": "A winner was served",
  "serving rollout": "The share of visitors who get the winner was changed",
  "stop serving": "The winner is no longer served",
};

/** Words for a change; undefined if it needs no mark. `told` matches fields that another mark covers. */
function changeWords({ action, changes }: Change, told?: RegExp): string | undefined {
  if (action === "create") return undefined;
  const known = ACTS[action];
  if (known !== undefined) return known;
  const noticed = changes.filter(({ field }) => NOTICED.test(field) && !told?.test(field));
  const names = [...new Set(noticed.map(({ field }) => fieldName(field)))];
  if (names.length === 0) return undefined;
  const more = names.length > NAMED ? " and others" : "";
  return `Changed: ${names.slice(0, NAMED).join(", ")}${more}`;
}
