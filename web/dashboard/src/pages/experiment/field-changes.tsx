// Changes of something, field by field: in words where it can be said so, else as lines that go and come.

import type { Schemas } from "~/api/query";
import { Diff } from "~/ui/diff";
import { fieldName, valueLines, valueText } from "./field-words";

type FieldChange = Schemas["FieldChange"];

interface FieldChangesProps {
  changes: readonly FieldChange[];
  /** Lines of a text that are shown at first. */
  shown?: number;
}

export function FieldChanges({ changes, shown }: FieldChangesProps) {
  return (
    <dl className="flex flex-col gap-2">
      {changes.map((change) => (
        <div key={change.field} className="grid gap-x-4 md:grid-cols-[11rem_minmax(0,1fr)]">
          <dt className="text-soft max-md:text-sm">{fieldName(change.field)}</dt>
          <dd className="min-w-0">
            <OneChange {...change} shown={shown} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function OneChange({ field, before, after, shown }: FieldChange & { shown: number | undefined }) {
  const [was, is] = [valueText(field, before), valueText(field, after)];
  if (was === undefined || is === undefined)
    return <Diff before={valueLines(before)} after={valueLines(after)} shown={shown} />;
  return (
    <span className="break-words">
      <span className="sr-only">from </span>
      <del className="text-soft no-underline">{was}</del>
      <span aria-hidden="true" className="px-1.5 text-soft">
        →
      </span>
      <span className="sr-only"> to </span>
      <ins className="font-medium no-underline">{is}</ins>
    </span>
  );
}
