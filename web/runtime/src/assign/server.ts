// What differs where the place is a server: docs/assignment.md, Browser only. A page never asks this; clients on
// servers do.

import type { Experiment, Targeting } from "../ruleset";

const audiences = ({ targeting, test_type, variants }: Experiment): (Targeting | null | undefined)[] => [
  targeting,
  ...(test_type === "personalization" ? variants.map((variant) => variant.targeting) : []),
];

/** The rules that a server passes over, separated by a comma; the empty text where there are none. */
export function unenforced(experiment: Experiment): string {
  const rules = audiences(experiment);
  const cookie = rules.some((each) => each?.cookie_rule?.some((group) => group.length));
  const schedule = rules.some((each) => each?.schedule_rule?.schedule_groups.length);
  return [...(cookie ? ["cookie_rule"] : []), ...(schedule ? ["schedule_rule"] : [])].join(",");
}

/** An experiment without those rules, to decide by on a server. */
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
