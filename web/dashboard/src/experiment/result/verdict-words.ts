// Verdict on an experiment in one sentence, from the verdicts of its variants.

import { percentage } from "~/lib/format";
import { intervalWords, percentChange } from "./interval-words";
import type { Analysis, Arm, Result } from "./reading";

/** Data that the verdict depends on. */
type Decided = Pick<Result, "status_code" | "goal_key" | "total_visitors" | "variants"> &
  Partial<Pick<Result, "is_mab">>;
type Judged = Arm & { analysis: Analysis };

interface Verdict {
  /** A word of the contract; undefined if there is nothing to decide by. */
  verdict: string | undefined;
  sentence: string;
}

/** Joint verdict on the variants. The best one takes precedence, as in the overview. */
export function verdictOf(result: Decided): Verdict {
  const isLive = result.status_code === 1;
  if (result.goal_key === null)
    return { verdict: undefined, sentence: "There is no primary goal, so there is no verdict." };
  if (result.total_visitors === 0)
    return { verdict: undefined, sentence: isLive ? "Nobody has entered yet." : "Nobody has entered." };
  const arms = judged(result.variants);
  const having = (verdict: string) => arms.filter(({ analysis }) => analysis.verdict === verdict);
  const [wins, losses, same] = [having("win"), having("loss"), having("no_difference")];
  if (having("do_not_trust").length > 0)
    return {
      verdict: "do_not_trust",
      sentence: "Do not trust these numbers: something is broken, and waiting does not repair it.",
    };
  if (wins.length > 0) return { verdict: "win", sentence: compared(wins, "better") };
  if (arms.length > 0 && losses.length === arms.length) return { verdict: "loss", sentence: compared(losses, "worse") };
  if (arms.length > 0 && losses.length + same.length === arms.length)
    return { verdict: "no_difference", sentence: "No variant differs from the control by enough to act on." };
  if (isLive && result.is_mab === 1) return { verdict: "keep_running", sentence: ofBandit(result.variants) };
  return { verdict: "keep_running", sentence: undecided(arms, isLive) };
}

/** State of a bandit, which does not wait for a verdict. */
function ofBandit(variants: Arm[]): string {
  const [best, next] = variants.toSorted((one, other) => other.traffic_weight - one.traffic_weight);
  if (best === undefined || best.traffic_weight === next?.traffic_weight)
    return "The bandit still shares visitors evenly: too little is known to prefer a variant.";
  return `${best.name} now gets ${percentage(best.traffic_weight)} of the visitors: the bandit gives most to what works best.`;
}

/** Variants that are compared with the control. */
export function judged(variants: Arm[]): Judged[] {
  return variants.filter((arm): arm is Judged => arm.analysis != null);
}

const all = new Intl.ListFormat("en-GB");

/** `Variant 1 does better than the control: its lift is +12.1 %, and the true lift is from +3.2 % to +21.9 %.` */
function compared(arms: Judged[], how: "better" | "worse"): string {
  const [first] = arms;
  const said = `${all.format(arms.map(({ name }) => name))} ${arms.length === 1 ? "does" : "do"} ${how} than the control`;
  const interval = intervalWords(first?.analysis.lift_interval);
  if (arms.length > 1 || first === undefined || interval === undefined) return `${said}.`;
  return `${said}: its lift is ${percentChange(first.analysis.lift)}, and the true lift is from ${interval}.`;
}

function undecided(arms: Judged[], isLive: boolean): string {
  const which = arms.length === 1 ? (arms[0]?.name ?? "a variant") : "any variant";
  return isLive
    ? `It is too early to tell whether ${which} is better or worse than the control.`
    : `It ended without an answer: it is not known whether ${which} is better or worse than the control.`;
}
