// Whom a decision is made for.

import { addressOf } from "../assign/page";
import type { Visitor } from "../assign/visitor";
import type { Experiment } from "../ruleset";
import { armsOf, type Identity } from "./identity";
import { place } from "./world";

/** The visitor of a decision that is made now, with what rules ask for beside. */
export function visitorOf(who: Identity, experiments: Experiment[], facts?: Partial<Visitor>): Visitor {
  const arms = armsOf(who);
  return {
    ...facts,
    id: who.id,
    url: addressOf(place.href),
    attributes: new Map(Object.entries(who.session.about)),
    // An arm that is not known is `undefined`, as if it were not in here.
    _sticky: new Map(experiments.map(({ experiment_key, test_id }) => [experiment_key, arms.get(test_id)!])),
  };
}
