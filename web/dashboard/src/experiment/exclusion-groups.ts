// Queries of exclusion groups and holdouts, and the answers that a change of them affects.

import type { QueryClient } from "@tanstack/react-query";
import { outdate, query, type Schemas } from "~/api/query";

export type Group = Schemas["ExclusionGroup"];

export const groupsQuery = (projectKey: string) =>
  query("/v2/project/{project_key}/exclusion-groups", { path: { project_key: projectKey } });

/**
 * Invalidates every answer that a change of a group affects: it opens epochs of experiments, and is in their history.
 */
export function outdateGroups(cache: QueryClient): Promise<void> {
  const experiment = "/v2/project/{project_key}/experiment/{test_id}" as const;
  return outdate(
    cache,
    "/v2/project/{project_key}/exclusion-groups",
    "/v2/project/{project_key}/exclusion-group/{group_id}/result",
    experiment,
    `${experiment}/history`,
    `${experiment}/explain`,
    `${experiment}/plan`,
    `${experiment}/checklist`,
    "/v2/overview",
    "/v2/programme",
    "/v2/audit",
  );
}

/** Ids of the experiments that a group names; empty for a holdout of the whole project. */
export function namedIn({ kind, members, scope }: Group): number[] {
  if (kind === "exclusion") return members.map(({ test_id }) => test_id);
  return scope === null || scope === "project" ? [] : scope.tests;
}

/** Returns whether an experiment is in the group. */
export function concerns(group: Group, testId: number): boolean {
  return (group.kind === "holdout" && group.scope === "project") || namedIn(group).includes(testId);
}
