// Words for the actions in a history. They follow the name of the actor.

import type { Schemas } from "~/api/query";
import { count } from "~/lib/format";
import { own } from "~/lib/own";
import type { Revision } from "./history-query";

const ACTS: Record<string, string> = {
  create: "created it",
  status: "changed the status",
  start: "started it",
  stop: "stopped it",
  "serve winner": "served a winner",
  "serving rollout": "changed how many visitors get the winner",
  "stop serving": "stopped serving the winner",
  conclude: "concluded it",
  reopen: "reopened it",
  "hold back": "did not act by a rule",
  "confirm plan": "confirmed the changed plan",
  "confirm act": "let the clock act by a rule",
  delete: "deleted it",
  reweight: "moved the weights of the variants",
  "goal deleted": "deleted a goal that it used",
  "exclusion group": "changed its groups",
};

/** Words for a revision's action: `changed`, `restored revision 3`. */
export function actOf({ action, detail, changes }: Revision): string {
  if (action === "update") return `changed ${count(changes.length, "field")}`;
  if (action === "restore") return `restored revision ${String(numberIn(detail, "revision") ?? "")}`.trim();
  if (action === "approve") return "approved a proposed change";
  if (action === "archive") {
    const isIn = changes.some(({ field, after }) => field === "archived" && after === true);
    return isIn ? "put it into the archive" : "took it out of the archive";
  }
  return ACTS[action] ?? action.replaceAll("_", " ");
}

/** Reason that a person gave for an action. */
export function reasonOf({ detail }: Revision): string | undefined {
  const reason = (detail as Record<string, unknown> | null)?.reason;
  return typeof reason === "string" ? reason : undefined;
}

function numberIn(detail: unknown, name: string): number | undefined {
  const value = (detail as Record<string, unknown> | null)?.[name];
  return typeof value === "number" ? value : undefined;
}

const RULES: Record<Schemas["ClockRule"], string> = {
  page_harm: "harm to pages",
  start_date: "start date",
  end_date: "end date",
  visitors: "number of visitors after which it stops",
  conversions: "number of conversions after which it stops",
  period: "days after which it stops",
  significant: "stop when the verdict is reached",
  bandit: "bandit",
  autopilot: "autopilot",
  guardrail: "guardrail of autopilot",
};

/** Name of a rule of the clock, after "By". */
export function ruleName(rule: string): string {
  return own(RULES, rule) ?? rule.replaceAll("_", " ");
}

/**
 * The server's sentence on why the clock acted, without repetition. Of "Variant 1 is better than the control: It is
 * better than the control, …" only the first half is kept.
 */
export function withoutRepeat(sentence: string): string {
  return sentence.replace(/^(.* is (better|worse) than the control): It is \2 than the control\b.*$/s, "$1.");
}

export interface ClockDetail {
  rule: string;
  /** The server's sentence with the rule and its numbers. */
  sentence: string;
  numbers: [name: string, value: unknown][];
}

/** Reason why the clock acted. */
export function clockDetail(detail: unknown): ClockDetail | undefined {
  if (typeof detail !== "object" || detail === null || !("rule" in detail) || typeof detail.rule !== "string")
    return undefined;
  const { detail: sentence, numbers } = detail as { detail?: unknown; numbers?: unknown };
  return {
    rule: detail.rule,
    sentence: typeof sentence === "string" ? withoutRepeat(sentence) : "",
    numbers: typeof numbers === "object" && numbers !== null ? Object.entries(numbers) : [],
  };
}
