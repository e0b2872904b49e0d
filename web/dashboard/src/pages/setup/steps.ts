// The steps of an experiment's setup, in the order in which one thinks of them. Each is a page with a form of its own that saves by itself.

const BASE = "/p/$projectKey/experiments/$testId/setup";

export const STEPS = [
  { name: "Page", to: BASE },
  { name: "Variants", to: `${BASE}/variants` },
  { name: "Goals", to: `${BASE}/goals` },
  { name: "Audience", to: `${BASE}/audience` },
  { name: "Traffic", to: `${BASE}/traffic` },
  { name: "Schedule", to: `${BASE}/schedule` },
  { name: "Review", to: `${BASE}/review` },
] as const;
