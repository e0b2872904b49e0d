// Random sequences of what pages do, on a page with arms and on its twin without the script. MURIEL_SEED is the first seed, 1 by default; each
// sequence has one of its own, which the failure names: MURIEL_SEED=17 MURIEL_SEQUENCES=1 plays the one of seed 17 again.

import { inFrames } from "../frames.mjs";

export const name = "twins";

const SEQUENCES = 150;
/** With `--full`, in pages of so many sequences each. */
const FULL_PAGES = 20;

const { MURIEL_SEED, MURIEL_SEQUENCES } = process.env;
const first = Number(MURIEL_SEED ?? 1);
const count = Number(MURIEL_SEQUENCES ?? SEQUENCES);

const twins = {
  name: `what a page does to its own nodes leaves them as without the script, from seed ${first} on`,
  ms: 600_000,
  async run(given) {
    for (let page = 0; page < (given.isFull ? FULL_PAGES : 1); page++)
      await inFrames(given, "twins", { seed: first + page * count, count });
  },
};

export const tests = [twins];
