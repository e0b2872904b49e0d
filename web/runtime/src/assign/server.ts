// Differences in evaluation on servers: docs/assignment.md, Browser only. For clients on servers; pages do not use it.

import type { Experiment, Targeting } from "../ruleset";

const audiences = ({ targeting, test_type, variants }: Experiment): (Targeting | null | undefined)[] => [
  targeting,
  ...(test_type === "personalization" ? variants.map((variant) => variant.targeting) : []),
];

/** The rules of an experiment that a server ignores, separated by commas; the empty string without any. */
export function unenforced(experiment: Experiment): string {
  const rules = audiences(experiment);
  const cookie = rules.some((each) => each?.cookie_rule?.some((group) => group.length));
  const schedule = rules.some((each) => each?.schedule_rule?.schedule_groups.length);
  return [...(cookie ? ["cookie_rule"] : []), ...(schedule ? ["schedule_rule"] : [])].join(",");
}

/** An experiment without those rules, for decisions on a server. */
export function enforceable(experiment: Experiment): Experiment {
  const without = (rules: Targeting | null | undefined): Targeting => ({
    ...rules,
    cookie_rule: [],
    schedule_rule: null,
  });
  return {
    ...experiment,
    targeting: without(experiment.targeting),
    variants: experiment.variants.map((variant) => ({ ...variant, targeting: without(variant.targeting) })),
  };
}
