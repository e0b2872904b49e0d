// What forms for groups hold, under the names that the API has.

import type { Schemas } from "~/api/query";
import type { Group } from "./read";

export interface Member {
  test_id: number;
  /** Null while its field is empty. */
  percent: number | null;
}

export interface GroupValues {
  name: string;
  /** Of exclusion groups. */
  members: Member[];
  /** Of holdouts, as is `scope`. */
  percent: number | null;
  scope: Schemas["HoldoutScope"];
}

export function valuesOf({ name, members, percent, scope }: Group): GroupValues {
  return {
    name,
    members: members.map(({ test_id, percent }) => ({ test_id, percent })),
    percent,
    scope: scope ?? "project",
  };
}

/** As the server takes them: it says of fields that are empty what it wants there. */
export function asSent(values: Partial<GroupValues>): Schemas["GroupPatch"] {
  return values as Schemas["GroupPatch"];
}
