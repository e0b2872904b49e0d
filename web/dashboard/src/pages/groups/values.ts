// Values of the group forms, with the API's names.

import type { Schemas } from "~/api/query";
import type { Group } from "~/experiment/exclusion-groups";

export interface Member {
  test_id: number;
  /** Null while its field is empty. */
  percent: number | null;
}

export interface GroupValues {
  name: string;
  /** For exclusion groups. */
  members: Member[];
  /** For holdouts, like `scope`. */
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

/** Converts values for the server, which reports the fields that must not be empty. */
export function asSent(values: Partial<GroupValues>): Schemas["GroupPatch"] {
  return values as Schemas["GroupPatch"];
}
