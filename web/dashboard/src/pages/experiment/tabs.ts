// Pages of an experiment, in the order of its life. The first is the one at its address.

const BASE = "/p/$projectKey/experiments/$testId";

export const TABS = [
  { name: "Summary", to: BASE },
  { name: "Setup", to: `${BASE}/setup` },
  { name: "Launch", to: `${BASE}/launch` },
  { name: "Results", to: `${BASE}/results` },
  { name: "History", to: `${BASE}/history` },
] as const;

/** Shown if there are proposals. */
export const PROPOSALS_TAB = { name: "Proposals", to: `${BASE}/proposals` } as const;
