import type { Schemas } from "~/api/query";

/**
 * What restoring a revision would change, from the changes made since, newest first: the first of them after it has the value that each
 * field had then.
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
