// Reads results. Each answer keeps its question, so that numbers of two questions are never mixed.

import { keepPreviousData, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { ApiFailure } from "~/api/failure";
import { outdate, read } from "~/api/query";
import { EXPERIMENT, type Experiment, experimentQuery, outdateExperimentAlone } from "~/experiment/open";
import { parametersOf, type Question } from "~/experiment/result/question";
import type { Result } from "~/experiment/result/reading";

const RESULT = `${EXPERIMENT}/result` as const;

/** Interval at which a live result is read again while it is shown. */
const LIVE_MS = 60_000;
/** Attempts while the server loads its events, before an error is shown: about half an hour. */
const MAX_WAITS = 400;
const WAIT_MS = 5_000;
const MAX_ATTEMPTS = 2;

export interface Answered {
  question: Question;
  result: Result;
}

/** `isLive` is true when the experiment is known to be live, whatever the previous answer says. */
function resultQuery(projectKey: string, testId: number, question: Question, isLive: boolean) {
  const params = { path: { project_key: projectKey, test_id: testId }, query: parametersOf(question) };
  return queryOptions({
    queryKey: [RESULT, params, "answered"] as const,
    queryFn: async ({ signal }): Promise<Answered> => ({
      question,
      result: (await read(RESULT, params as Parameters<typeof read<typeof RESULT>>[1], signal)) as Result,
    }),
    // The previous answer stays until the next one arrives. The page marks it as previous.
    placeholderData: keepPreviousData,
    retry: (failures, error) =>
      error instanceof ApiFailure &&
      ((error.status === 503 && failures < MAX_WAITS) || (error.status === 0 && failures < MAX_ATTEMPTS)),
    retryDelay: (failures, error) =>
      error instanceof ApiFailure && error.status === 503
        ? (error.retryAfterS ?? WAIT_MS / 1_000) * 1_000
        : 1_000 * 2 ** failures,
    refetchInterval: ({ state: { data } }) => (isLive || data?.result.status_code === 1 ? LIVE_MS : false),
  });
}

export function useResult(projectKey: string, experiment: Experiment, question: Question) {
  const answer = useQuery(resultQuery(projectKey, experiment.test_id, question, experiment.status === 1));
  const { data, dataUpdatedAt, failureReason, isPlaceholderData } = answer;
  useSameMoment(projectKey, experiment, isPlaceholderData ? undefined : data?.result, dataUpdatedAt);
  return {
    answer,
    /** The server's message on what it waits for, while it is not ready to answer. */
    waitsFor: failureReason instanceof ApiFailure && failureReason.status === 503 ? failureReason.message : undefined,
  };
}

/** When the page opens, an experiment and a result that were read within this time count as read at the same time. */
const SAME_MOMENT_MS = 1_000;

/**
 * Reads the experiment again if a new answer shows that it has changed since it was read: a rule has ended it, or a
 * bandit may have other weights. Each answer is checked once, because two answers of the server may differ for a while.
 */
function useSameMoment(projectKey: string, experiment: Experiment, result: Result | undefined, readAt: number): void {
  const cache = useQueryClient();
  const looked = useRef(0);
  useEffect(() => {
    if (result === undefined || looked.current === readAt) return;
    const isFirst = looked.current === 0;
    looked.current = readAt;
    const { queryKey } = experimentQuery(projectKey, experiment.test_id);
    const age = readAt - (cache.getQueryState(queryKey)?.dataUpdatedAt ?? 0);
    if (result.status_code !== experiment.status) void outdateExperimentAlone(cache);
    else if (result.is_mab === 1 && !(isFirst && age <= SAME_MOMENT_MS)) void outdate(cache, EXPERIMENT);
  }, [cache, projectKey, experiment, result, readAt]);
}
