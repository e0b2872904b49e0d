// The steps of an experiment's setup, in the order in which one thinks of them. Each is a page with a form of its own that saves by itself.

const BASE = "/p/$projectKey/experiments/$testId/setup";

export const STEPS = [{ name: "Page", to: BASE }] as const;
