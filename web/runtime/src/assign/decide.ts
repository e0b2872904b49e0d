// Decides which arm of an experiment a visitor gets, with the reason: docs/assignment.md, The decision.

import type { Experiment, GroupStretch, Targeting } from "../ruleset";
import { bucket } from "./bucket";
import { NO, type Tri, UNKNOWN, YES } from "./tri";
import type { DecisionContext, Visitor } from "./visitor";

export type Reason =
  | "split"
  | "sticky"
  | "forced"
  | "served"
  | "holdout"
  | "disabled"
  | "rollout"
  | "excluded"
  | "traffic"
  | "targeting"
  | "unknown"
  | "audience"
  | "variant_gone";

export interface Decision {
  /** 0 is the control, N the Nth variant; null means no arm. */
  _arm: number | null;
  reason: Reason;
}

/** The display name of an arm. */
export const armName = (arm: number): string => (arm ? `Variant ${arm}` : "Control");

/** Returns whether the visitor takes part in the experiment and is counted. */
export const isInExperiment = ({ reason }: Decision): boolean => reason === "split" || reason === "sticky";

const given = (reason: Reason, arm: number | null = null): Decision => ({ _arm: arm, reason });

/**
 * Decides an experiment of a validated ruleset for a visitor, in a browser.
 *
 * Throws only when the engine does not accept a regular expression of `url_rule`: the experiment is then skipped.
 */
export function decide(experiment: Experiment, visitor: Visitor, at: DecisionContext): Decision {
  const { salt, variants, ranges, serving, exclusion, holdouts } = experiment;
  const { _forced: forced, _isEligible: isEligible } = at;
  const bucketOf = (salted: string): number => bucket(`${salted}:${visitor.id}`);
  const held = (rules: Targeting = {}): Tri =>
    Object.keys(rules)[0] ? (isEligible?.(rules, visitor, at) ?? UNKNOWN) : YES;
  // With all traffic no bucket is out, so the bucket is not computed.
  const isOut = (percent: number): boolean => percent < 100 && bucketOf(`${salt}:t`) >= percent * 1e4;

  const isWithin = (part: GroupStretch): boolean => {
    const place = bucketOf(`${part.salt}:g`) / 100;
    return place >= part.from && place < part.to;
  };

  // The keys of a list are its indices in decimal, the text form of arms; a preview may ask for any text.
  if (forced?.test_id === experiment.test_id && Object.keys([0, ...variants]).includes(forced.variant_id)) {
    return given("forced", +forced.variant_id);
  }

  if (holdouts?.some(isWithin)) return given("holdout");

  const sticky = serving ? undefined : visitor._sticky.get(experiment.experiment_key);
  if (!serving) {
    if (!experiment.live) return given("disabled");
    if (exclusion && !isWithin(exclusion)) return given("excluded");
    if (sticky === undefined ? isOut(experiment.traffic_allocation) : sticky > variants.length) {
      return given(sticky === undefined ? "traffic" : "variant_gone");
    }
  }

  const eligible = held(experiment.targeting);
  if (eligible !== YES) return given(eligible === NO ? "targeting" : "unknown");
  if (serving) {
    return isOut(serving.traffic_allocation) ? given("rollout") : given("served", +serving.variant_id);
  }

  const isPersonal = experiment.test_type === "personalization";
  if (!isPersonal && sticky !== undefined) return given("sticky", sticky);
  const place = bucketOf(`${salt}:v`);
  if (!isPersonal) return given("split", ranges.find(([end]) => place < end * 100)![1]);

  // The visitor gets the first variant whose rules hold.
  const answers = variants.map((variant) => held({ ...variant.targeting, url_rule: [] }));
  const arm = answers.indexOf(YES) + 1;
  if (!arm) return given(answers.includes(UNKNOWN) ? "unknown" : "audience");
  if (sticky === arm || sticky === 0) return given("sticky", sticky);
  let control = 0;
  let both = 0;
  let before = 0;
  for (const [end, owner] of ranges) {
    if (!owner) control += end - before;
    if (!owner || owner === arm) both += end - before;
    before = end;
  }
  // Integer arithmetic: no rounding decides.
  return both ? given("split", place * both < control * 1e6 ? 0 : arm) : given("traffic");
}
