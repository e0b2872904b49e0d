// Random sequences of operations on a page with arms and on its twin without the script. MURIEL_SEED is the first seed,
// 1 by default. Each sequence has its own seed, which a failure names: MURIEL_SEED=17 MURIEL_SEQUENCES=1 repeats the
// sequence of seed 17.

import { inFrames } from "../frames.mjs";

export const name = "twins";

const SEQUENCES = 150;
const FULL_SEQUENCES = 3_000;
/** Number of sequences in one page, as drivers wait for a response for a limited time only. */
const PAGE_SEQUENCES = 30;
/** Number of sequences in one tab, a multiple of that: after some thousand frames, Chromium opens no document in a tab. */
const TAB_SEQUENCES = 300;

const { MURIEL_SEED, MURIEL_SEQUENCES } = process.env;
const first = Number(MURIEL_SEED ?? 1);

const twins = {
  name: `what a page does to its own nodes leaves them as without the script, from seed ${first} on`,
  ms: 1_800_000,
  async run(given) {
    const end = first + Number(MURIEL_SEQUENCES ?? (given.isFull ? FULL_SEQUENCES : SEQUENCES));
    const all = [];
    let { page } = given;
    for (let seed = first; seed < end; seed += PAGE_SEQUENCES) {
      if (seed > first && (seed - first) % TAB_SEQUENCES === 0) page = await given.newPage();
      await inFrames({ ...given, page }, "twins", { seed, count: Math.min(PAGE_SEQUENCES, end - seed) }).catch((e) =>
        all.push(e.message),
      );
    }
    if (all[0]) throw new Error(all.join("\n"));
  },
};

export const tests = [twins];
