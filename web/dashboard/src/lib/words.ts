// Display names and tones of the contract's words. Each thing has one name everywhere.

import type { Schemas } from "~/api/query";
import { own } from "./own";

/** Colour of a word, by its meaning. */
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

/** Shown instead of the status while the winner of an experiment is served: that is what visitors get. */
export const SERVED: Word = { text: "Served", tone: "good" };

export const TEST_TYPE: Record<Schemas["TestType"], { text: string; about: string }> = {
  abtest: {
    text: "A/B test",
    about: "Changes the page itself: words, styles, elements or code. Every visitor gets one version.",
  },
  split: { text: "Split test", about: "Sends part of the visitors to another address, where the other version is." },
  personalization: {
    text: "Personalization",
    about:
      "Gives each variant an audience of its own, so audiences see different pages. It does not show which version is better.",
  },
};

export const VERDICT: Record<Schemas["VerdictWord"], Word> = {
  win: { text: "Winning", tone: "good" },
  loss: { text: "Losing", tone: "bad" },
  no_difference: { text: "No difference", tone: "neutral" },
  keep_running: { text: "Keep running", tone: "neutral" },
  do_not_trust: { text: "Do not trust", tone: "bad" },
};

/** Shown instead of "Keep running" where nothing runs. */
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

/** Reason for the variant that a visitor gets. */
export const REASON: Record<Schemas["AssignmentReason"], string> = {
  split: "Chosen by the split of visitors.",
  sticky: "As before: visitors keep the variant that they were given.",
  forced: "A preview requests this variant.",
  served: "This variant is served as the winner.",
  holdout: "A holdout keeps this visitor out of all its experiments.",
  disabled: "The experiment does not run.",
  rollout: "A winner is served to a share of visitors that does not include this one.",
  excluded: "This visitor belongs to another experiment of the same group.",
  traffic: "Outside the share of visitors that takes part.",
  targeting: "A targeting rule excludes this visitor.",
  unknown: "A targeting rule needs something that is not known about this visitor.",
  audience: "No variant's audience includes this visitor.",
  variant_gone: "The variant that the visitor was given before no longer exists.",
};

export const CHECK: Record<Schemas["ChecklistStatus"], Word> = {
  ok: { text: "Ready", tone: "good" },
  warn: { text: "Look at it", tone: "caution" },
  blocked: { text: "Blocked", tone: "bad" },
  unknown: { text: "Not known yet", tone: "neutral" },
};

export const PROPOSAL: Record<Schemas["ProposalState"], Word> = {
  open: { text: "Open", tone: "accent" },
  approved: { text: "Approved", tone: "good" },
  rejected: { text: "Rejected", tone: "bad" },
  withdrawn: { text: "Withdrawn", tone: "neutral" },
};

export const ROLE: Record<Schemas["RoleName"], { text: string; about: string }> = {
  viewer: { text: "Viewer", about: "Can view everything, but change nothing." },
  editor: { text: "Editor", about: "Makes, changes, starts and stops experiments, goals and hypotheses." },
  admin: { text: "Admin", about: "Also manages projects, keys and people." },
  owner: { text: "Owner", about: "Also appoints other owners." },
};

export const SCOPE: Record<Schemas["ScopeName"], string> = {
  read: "Read experiments, goals, hypotheses and results",
  write: "Create and change experiments, goals and hypotheses",
  code: "Store code that runs on pages",
  evaluate: "Evaluate experiments and send events from servers",
  admin: "Manage settings and imports",
};

export const BUILTIN_METRIC: Record<Schemas["BuiltinMetric"], { text: string; about: string }> = {
  bounce_rate: {
    text: "Bounce rate",
    about: "Visitors who looked at one page, did nothing and left. Less is better.",
  },
  engagement: {
    text: "Engagement",
    about: "Visitors who clicked, ordered, read on or stayed for ten seconds. More is better.",
  },
};

export const DISTRIBUTION_MODE: Record<Schemas["DistributionMode"], { text: string; about: string }> = {
  equal: { text: "Even split", about: "Every variant gets the same share of those who enter." },
  custom: { text: "Chosen weights", about: "Each variant gets the share that is set here." },
  mab: { text: "Moved by the bandit", about: "The shares follow the result of the primary goal." },
};

/** Reason why an epoch began. Within an epoch, nothing changes that affects assignment. */
export const EPOCH_REASON: Record<Schemas["Reason"], string> = {
  status: "Started or stopped",
  variants: "Variants changed",
  targeting: "Audience changed",
  traffic: "Traffic changed",
  distribution: "Weights changed",
  groups: "Exclusion groups or holdouts changed",
};

export const GROUP_KIND: Record<Schemas["GroupKind"], { text: string; about: string }> = {
  exclusion: { text: "Exclusion group", about: "Its experiments share no visitor, so they cannot disturb each other." },
  holdout: {
    text: "Holdout",
    about: "Its visitors meet none of its experiments, so the effect of all of them together can be measured.",
  },
};

/** Texts of words, without tones. */
export function textsOf<K extends string>(words: Record<K, { text: string }>): Record<K, string> {
  return Object.fromEntries(Object.entries<{ text: string }>(words).map(([key, { text }]) => [key, text])) as Record<
    K,
    string
  >;
}

/** Returns the word for a value. A value that this version does not know is shown as it is. */
export function wordOf(words: Record<string | number, Word>, value: string | number): Word {
  return own(words, String(value)) ?? { text: String(value).replaceAll("_", " "), tone: "neutral" };
}
