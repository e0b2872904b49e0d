// Outcomes of an experiment, in the order of the form.

import type { Schemas } from "~/api/query";

export type Outcome = Schemas["ConclusionOutcome"];

export const OUTCOMES: readonly (readonly [outcome: Outcome, text: string, about: string])[] = [
  ["won", "Won", "A variant did better than the control."],
  ["lost", "Lost", "The control did better."],
  ["inconclusive", "Inconclusive", "No difference that matters, or not enough data to tell."],
  ["stopped_early", "Stopped early", "It ended before its plan was met."],
  ["invalid", "Not valid", "Its numbers cannot be used, because something was broken."],
];

/** Name of a variant by its id. */
export function armName(id: string): string {
  return id === "0" ? "Control" : `Variant ${id}`;
}
