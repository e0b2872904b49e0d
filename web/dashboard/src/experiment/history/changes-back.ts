import type { Schemas } from "~/api/query";

/**
 * Changes that restoring a revision would make, from the later changes, newest first. For each field, the first change
 * after the revision has the value that the field had at the revision.
 */
export function changesBack(revisions: readonly Schemas["RevisionView"][], revision: number): Schemas["FieldChange"][] {
  const back = new Map<string, Schemas["FieldChange"]>();
  for (const later of revisions) {
    if (later.revision <= revision) break;
    for (const { field, before, after } of later.changes)
      back.set(field, { field, before: back.has(field) ? back.get(field)?.before : after, after: before });
  }
  return [...back.values()].filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
}
