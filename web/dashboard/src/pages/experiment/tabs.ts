// The pages of an experiment, in the order of its life. The first is the one that its address gives.

const BASE = "/p/$projectKey/experiments/$testId";

export const TABS = [
  { name: "Summary", to: BASE },
  { name: "Setup", to: `${BASE}/setup` },
  { name: "Launch", to: `${BASE}/launch` },
  { name: "Results", to: `${BASE}/results` },
  { name: "History", to: `${BASE}/history` },
] as const;

/** Where something was proposed. */
export const PROPOSALS_TAB = { name: "Proposals", to: `${BASE}/proposals` } as const;
