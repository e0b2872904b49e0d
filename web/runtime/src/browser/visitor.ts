// The visitor as an input of decisions.

import { addressOf } from "../assign/page";
import type { Visitor } from "../assign/visitor";
import type { Experiment } from "../ruleset";
import { armsOf, type Identity } from "./identity";
import { pageLocation } from "./world";

/** The visitor for decisions about these experiments. `facts` are the facts that only rules need. */
export function visitorOf(who: Identity, experiments: Experiment[], facts?: Partial<Visitor>): Visitor {
  const arms = armsOf(who);
  return {
    ...facts,
    id: who.id,
    url: addressOf(pageLocation.href),
    attributes: new Map(Object.entries(who._session.about)),
    // `undefined` without an earlier arm, as if the key were missing.
    _sticky: new Map(experiments.map(({ experiment_key, test_id }) => [experiment_key, arms.get(test_id)!])),
  };
}
