// Kinds of histories, and the query for their pages.

import { infiniteQueryOptions } from "@tanstack/react-query";
import { read, type Schemas } from "~/api/query";

export type Revision = Schemas["RevisionView"];

const EXPERIMENT = "/v2/project/{project_key}/experiment/{test_id}";

/** Kinds of objects with a history: their operation, the parameter that identifies them there, and their name. */
const KINDS = {
  experiment: { one: EXPERIMENT, id: "test_id", name: "experiment" },
  goal: { one: "/v2/project/{project_key}/goal/{goal_profile_id}", id: "goal_profile_id", name: "goal" },
  hypothesis: { one: "/v2/project/{project_key}/hypothesis/{hypothesis_id}", id: "hypothesis_id", name: "hypothesis" },
} as const;

/** An object with a history. */
export interface Subject {
  kind: keyof typeof KINDS;
  projectKey: string;
  id: number;
}

/**
 * Paths of a subject and their parameters. They are typed as those of experiments, because the answers are the same.
 */
export function pathsOf({ kind, projectKey, id }: Subject) {
  const { one, id: parameter } = KINDS[kind];
  return {
    history: `${one}/history` as `${typeof EXPERIMENT}/history`,
    restore: `${one}/restore` as `${typeof EXPERIMENT}/restore`,
    path: { project_key: projectKey, [parameter]: id } as unknown as { project_key: string; test_id: number },
  };
}

/** Pages of changes, newest first. `limit` is the page size: large when searching for an old revision. */
export function historyQuery(subject: Subject, limit: number) {
  const { history, path } = pathsOf(subject);
  return infiniteQueryOptions({
    queryKey: [history, path, limit, "pages"] as const,
    queryFn: ({ pageParam, signal }) =>
      read(history, { path, query: { limit, ...(pageParam !== "" && { cursor: pageParam }) } }, signal),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  });
}
