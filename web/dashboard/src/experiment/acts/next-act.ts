// The action that the server's sentence on an experiment recommends. It is the only primary button next to the
// sentence.

import type { Standing } from "../standing";

export type NextAct =
  | { act: "launch" | "results" | "stop" | "conclude"; name: string }
  /** `arm` is the id of the winning variant; undefined if the sentence does not name it. */
  | { act: "serve"; name: string; arm: string | undefined };

type Known = Pick<
  Standing,
  "status" | "verdict" | "health" | "outcome" | "is_deploy" | "is_completed" | "visitors" | "sentence"
>;

/** Undefined if everything is done, or there is nothing to do except to wait. */
export function nextAct(standing: Known, hasStarted: boolean): NextAct | undefined {
  const { status, verdict, health, outcome, is_deploy, is_completed, visitors, sentence } = standing;
  if (is_completed === 1 || outcome !== null) return undefined;
  if (is_deploy === 1) return { act: "conclude", name: "Conclude" };
  const isLive = status === 1;
  if (!hasStarted) return { act: "launch", name: "Go to Launch" };
  if (verdict === "do_not_trust" || health === "fail") return { act: "results", name: "Find the cause" };
  switch (verdict) {
    case "win": {
      const arm = /\bVariant (\d+) beat\b|\bServe Variant (\d+)\b/.exec(sentence)?.slice(1).find(Boolean);
      return { act: "serve", name: arm === undefined ? "Serve the winner" : `Serve Variant ${arm}`, arm };
    }
    case "loss":
    case "no_difference":
      return isLive ? { act: "stop", name: "Stop the experiment" } : { act: "conclude", name: "Conclude" };
    case "keep_running":
      return isLive || visitors === 0 ? undefined : { act: "conclude", name: "Conclude" };
    default:
      return undefined;
  }
}
