// Renews the ruleset of a page that stays open: experiments that have ended are taken away; new ones come with the next load.

import type { Experiment, Ruleset } from "../ruleset";
import { RENEW_MS } from "./limits";
import { settings } from "./settings";
import { fetching, now } from "./world";

/** Gives a function that asks the server which experiments go on, at most once in `RENEW_MS`, and passes the answer to `told`. */
export function renewal(told: (isGoing: (experiment: Experiment) => boolean) => void): () => Promise<void> {
  let asked = now();
  return async () => {
    if (now() - asked < RENEW_MS) return;
    asked = now();
    const answer = await fetching(settings.base + settings.ruleset);
    if (!answer.ok) return;
    const { experiments } = (await answer.json()) as Ruleset;
    told(({ test_id }) => experiments.some((going) => going.test_id === test_id));
  };
}
