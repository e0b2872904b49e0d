// Questions of links, in words.

import type { Schemas } from "~/api/query";
import type { Dimension, Question } from "./question";
import { DIMENSION, narrowings } from "./question-words";

type Query = Schemas["ShareQuery"];

/** Filters of a query. */
export function filtersOf({ filter_by: filters }: Query): string[] {
  return filters?.split(",") ?? [];
}

/** Converts a query to the question of the results' address. */
export function questionOf(query: Query): Question {
  const { goal_key: goal, epoch, start_date: start, end_date: end, report_phase: phase, breakdown_by: by, tz } = query;
  return {
    goal: goal ?? undefined,
    filter_by: filtersOf(query),
    breakdown_by: (by as Dimension | null) ?? undefined,
    epoch: epoch ?? undefined,
    start_date: start ?? undefined,
    end_date: end ?? undefined,
    report_phase: phase === "post_deploy" || phase === "all_time" ? phase : undefined,
    tz,
  };
}

/** Goal, filters and breakdown of a question in words, one entry each. Empty: all visitors on the primary goal. */
export function questionWords(question: Question, goalName: (key: string) => string): string[] {
  const { goal, breakdown_by: by } = question;
  return [
    ...(goal === undefined ? [] : [`Goal: ${goalName(goal)}`]),
    ...narrowings(question),
    ...(by === undefined ? [] : [`By ${DIMENSION[by].toLowerCase()}`]),
  ];
}
