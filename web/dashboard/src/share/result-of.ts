// Converts a shared result to a full one, for the components that show results. Values that a link does not reveal are
// empty.

import type { Result } from "~/experiment/result/reading";
import { filtersOf } from "~/experiment/result/query-words";
import type { Shared } from "./read";

export function resultOf({
  query,
  as_of: asOf,
  expires_at: _,
  goal_name: name,
  test_type: type,
  ...shared
}: Shared): Result {
  const { primary_goal: primary, goal_key: key } = shared;
  return {
    ...shared,
    test_id: 0,
    primary_goal: primary && { ...primary, goal_type: "", goal_value: "" },
    manifest: {
      as_of: asOf,
      inquiry: { ...query, filter_by: filtersOf(query) },
      experiment: { test_type: type },
      metrics: key === null ? [] : [{ key, name }],
    },
  };
}
