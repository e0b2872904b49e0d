// Reads a result. Each answer keeps the question that it is an answer to, so that numbers of two questions are never mixed.

import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { ApiFailure } from "~/api/failure";
import { read } from "~/api/query";
import { parametersOf, type Question } from "./question";
import type { Result } from "./reading";

const RESULT = "/v2/project/{project_key}/experiment/{test_id}/result";

/** A live result is read again as often, while somebody looks at it. */
const LIVE_MS = 60_000;
/** How long a server that loads its events is waited for before that is shown as an error: about half an hour. */
const MAX_WAITS = 400;
const WAIT_MS = 5_000;
const MAX_ATTEMPTS = 2;

export interface Answered {
  question: Question;
  result: Result;
}

export function resultQuery(projectKey: string, testId: number, question: Question) {
  const params = { path: { project_key: projectKey, test_id: testId }, query: parametersOf(question) };
  return queryOptions({
    queryKey: [RESULT, params, "answered"] as const,
    queryFn: async ({ signal }): Promise<Answered> => ({
      question,
      result: (await read(RESULT, params as Parameters<typeof read<typeof RESULT>>[1], signal)) as Result,
    }),
    // The former answer stays until the next is there. The page says that it is the former one.
    placeholderData: keepPreviousData,
    retry: (failures, error) =>
      error instanceof ApiFailure &&
      ((error.status === 503 && failures < MAX_WAITS) || (error.status === 0 && failures < MAX_ATTEMPTS)),
    retryDelay: (failures, error) =>
      error instanceof ApiFailure && error.status === 503
        ? (error.retryAfterS ?? WAIT_MS / 1_000) * 1_000
        : 1_000 * 2 ** failures,
    refetchInterval: ({ state: { data } }) => (data?.result.status_code === 1 ? LIVE_MS : false),
  });
}

export function useResult(projectKey: string, testId: number, question: Question) {
  const answer = useQuery(resultQuery(projectKey, testId, question));
  const { failureReason } = answer;
  return {
    answer,
    /** What the server waits for, in its words, while it is not ready to answer. */
    waitsFor: failureReason instanceof ApiFailure && failureReason.status === 503 ? failureReason.message : undefined,
  };
}
