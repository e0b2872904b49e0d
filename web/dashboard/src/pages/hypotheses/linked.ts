// Experiments that were created from hypotheses, and the stage that follows from them.

import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { read, type Schemas } from "~/api/query";
import { OUTCOME, STATUS, type Word } from "~/lib/words";
import type { Hypothesis } from "~/experiment/hypothesis-words";

export type Item = Schemas["OverviewItem"];

const PAGE = 500;

export interface Linked {
  /** Experiments by id. */
  experiments: ReadonlyMap<number, Item>;
  /** True when the search for all requested ids is complete. */
  isComplete: boolean;
  error: unknown;
  retry: () => void;
}

/**
 * Experiments of a project by their ids. The overview has no filter for ids, so its pages are read, newest experiment
 * first, until all are found.
 */
export function useLinked(projectKey: string, ids: readonly number[]): Linked {
  const query = { project: projectKey, archived: "include", sort: "-created_at", limit: PAGE };
  const overview = useInfiniteQuery({
    queryKey: ["/v2/overview", query, "linked"] as const,
    queryFn: ({ pageParam, signal }) =>
      read("/v2/overview", { query: { ...query, ...(pageParam !== "" && { cursor: pageParam }) } }, signal),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    enabled: ids.length > 0,
    staleTime: 30_000,
  });
  const { data, hasNextPage, isFetching, isError, isSuccess, fetchNextPage } = overview;
  const experiments = useMemo(
    () => new Map(data?.pages.flatMap(({ items }) => items.map((item) => [item.test_id, item] as const)) ?? []),
    [data],
  );
  const isMissing = ids.some((id) => !experiments.has(id));
  const goesOn = isMissing && hasNextPage;
  useEffect(() => {
    if (goesOn && !isFetching && !isError) fetchNextPage();
  }, [goesOn, isFetching, isError, fetchNextPage]);
  return {
    experiments,
    isComplete: ids.length === 0 || !isMissing || (isSuccess && !hasNextPage && !isFetching),
    error: isError ? overview.error : undefined,
    retry: () => (data === undefined ? overview.refetch() : fetchNextPage()),
  };
}

/** Stage of a hypothesis, which follows from its experiments. */
export type Stage = (typeof STAGES)[number];
export const STAGES = ["idea", "planned", "testing", "tested"] as const;

export const STAGE: Record<Stage, Word & { about: string }> = {
  idea: { text: "Ideas", tone: "neutral", about: "Without an experiment" },
  planned: { text: "Planned", tone: "neutral", about: "With a draft" },
  testing: { text: "Being tested", tone: "good", about: "With a live experiment" },
  tested: { text: "Tested", tone: "accent", about: "Experiments have ended" },
};

export function experimentsOf(hypothesis: Hypothesis, linked: Linked): Item[] {
  return hypothesis.linked_test_ids.flatMap((id) => linked.experiments.get(id) ?? []);
}

export function stageOf(experiments: readonly Item[]): Stage {
  if (experiments.some(({ status }) => status === 1)) return "testing";
  // An archived draft is an abandoned plan.
  const kept = experiments.filter(({ status, archived }) => status !== 9 || !archived);
  if (kept.some(({ status }) => status === 9)) return "planned";
  return kept.length > 0 ? "tested" : "idea";
}

/** Outcome of an experiment, else its state. */
export function endOf({ outcome, status }: Pick<Item, "outcome" | "status">): Word {
  if (outcome !== null) return OUTCOME[outcome];
  return status === 0 ? { text: "Not concluded", tone: "neutral" } : STATUS[status];
}
