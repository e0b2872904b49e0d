// Titles of hypotheses, and the meaning of their ratings.

import type { Schemas } from "~/api/query";

export type Hypothesis = Schemas["Hypothesis"];

/** Title of a hypothesis, which has no name: its first text, on one line. */
export function titleOf({
  hypothesis_id,
  problem,
  solution,
  observation,
}: Pick<Hypothesis, "hypothesis_id" | "problem" | "solution" | "observation">): string {
  const text = problem?.trim() || solution?.trim() || observation?.trim() || `Hypothesis ${hypothesis_id}`;
  const line = text.replace(/\s+/g, " ");
  return line.length > TITLE_CHARS ? `${line.slice(0, TITLE_CHARS - 1).trimEnd()}…` : line;
}

const TITLE_CHARS = 140;

/** Ratings, in the order in which they are shown and entered. */
export const RATINGS = [
  {
    name: "confidence",
    label: "Confidence",
    about: "How sure are you that the change helps?",
    ends: ["a guess", "backed by strong evidence"],
  },
  {
    name: "importance",
    label: "Importance",
    about: "How much does it matter if the change helps?",
    ends: ["hardly", "a lot"],
  },
  {
    name: "difficulty",
    label: "Difficulty",
    about: "How hard is the change to build and to test?",
    ends: ["done in an hour", "weeks of work"],
  },
] as const;
