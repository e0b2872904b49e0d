// What the words of the contract are called on pages, and in which tone. One word per thing, everywhere.

import type { Schemas } from "~/api/query";

/** How a thing is coloured: by what it means, never by taste. */
export type Tone = "neutral" | "accent" | "good" | "caution" | "bad";

export interface Word {
  text: string;
  tone: Tone;
}

export const STATUS: Record<Schemas["StatusCode"], Word> = {
  9: { text: "Draft", tone: "neutral" },
  1: { text: "Live", tone: "good" },
  0: { text: "Inactive", tone: "neutral" },
};

export const VERDICT: Record<Schemas["VerdictWord"], Word> = {
  win: { text: "Winning", tone: "good" },
  loss: { text: "Losing", tone: "bad" },
  no_difference: { text: "No difference", tone: "neutral" },
  keep_running: { text: "Keep running", tone: "neutral" },
  do_not_trust: { text: "Do not trust", tone: "bad" },
};

/** In place of "Keep running" where nothing runs. */
export const UNDECIDED: Word = { text: "Undecided", tone: "neutral" };

export const HEALTH: Record<Schemas["GradeWord"], Word> = {
  ok: { text: "Healthy", tone: "good" },
  warn: { text: "Look at it", tone: "caution" },
  fail: { text: "Broken", tone: "bad" },
  unknown: { text: "Not known yet", tone: "neutral" },
};

export const OUTCOME: Record<Schemas["ConclusionOutcome"], Word> = {
  won: { text: "Won", tone: "good" },
  lost: { text: "Lost", tone: "bad" },
  inconclusive: { text: "Inconclusive", tone: "neutral" },
  stopped_early: { text: "Stopped early", tone: "caution" },
  invalid: { text: "Not valid", tone: "caution" },
};

export const ROLE: Record<Schemas["RoleName"], { text: string; about: string }> = {
  viewer: { text: "Viewer", about: "Sees everything, changes nothing." },
  editor: { text: "Editor", about: "Makes, changes, starts and stops experiments, goals and hypotheses." },
  admin: { text: "Admin", about: "Also manages projects, keys and people." },
  owner: { text: "Owner", about: "Also appoints other owners." },
};

export const SCOPE: Record<Schemas["ScopeName"], string> = {
  read: "Read experiments, goals, hypotheses and results",
  write: "Make and change them",
  code: "Store code that runs on pages",
  evaluate: "Evaluate experiments and send events from servers",
  admin: "Manage settings and imports",
};

/** The word for a value; a value that this version does not know is shown as it is. */
export function wordOf(words: Record<string | number, Word>, value: string | number): Word {
  return words[value] ?? { text: String(value).replaceAll("_", " "), tone: "neutral" };
}
