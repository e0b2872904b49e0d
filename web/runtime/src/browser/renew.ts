// Renews the ruleset of a page that stays open: removes experiments that have ended. New ones start with the next page
// load.

import type { Experiment, Ruleset } from "../ruleset";
import { RULESET_RENEWAL_MS } from "./limits";
import { endpoint } from "./settings";
import { fetchNow, now } from "./world";

/** Returns a function that fetches the live experiments, at most once in `RULESET_RENEWAL_MS`, and calls `told` with a test for them. */
export function renewal(told: (isGoing: (experiment: Experiment) => boolean) => void): () => Promise<void> {
  let asked = now();
  return async () => {
    if (now() - asked < RULESET_RENEWAL_MS) return;
    asked = now();
    const answer = await fetchNow(endpoint("ruleset"));
    if (!answer.ok) return;
    const { experiments } = (await answer.json()) as Ruleset;
    told(({ test_id }) => experiments.some((going) => going.test_id === test_id));
  };
}
