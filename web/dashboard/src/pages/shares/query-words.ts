// Which visitors a link is about, in words.

import type { Schemas } from "~/api/query";
import type { Dimension, Question } from "../results/question";
import { DIMENSION, narrowings } from "../results/question-words";

type Query = Schemas["ShareQuery"];

/** The filters of a query, one by one. */
export function filtersOf({ filter_by: filters }: Query): string[] {
  return filters?.split(",") ?? [];
}

/** The query as the question that stands in an address of the results. */
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

/** What a question narrows, cuts and puts at the top, one for each. Empty: all visitors by the primary goal. */
export function questionWords(question: Question, goalName: (key: string) => string): string[] {
  const { goal, breakdown_by: by } = question;
  return [
    ...(goal === undefined ? [] : [`Goal: ${goalName(goal)}`]),
    ...narrowings(question),
    ...(by === undefined ? [] : [`By ${DIMENSION[by].toLowerCase()}`]),
  ];
}
