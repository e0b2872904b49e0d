// Changes by field: in words where possible, else as removed and added lines.

import type { Schemas } from "~/api/query";
import { Diff } from "~/ui/diff";
import { fieldName, valueLines, valueText } from "./field-words";

type FieldChange = Schemas["FieldChange"];

interface FieldChangesProps {
  changes: readonly FieldChange[];
  /** Number of lines of a text that are shown at first. */
  shown?: number;
}

export function FieldChanges({ changes, shown }: FieldChangesProps) {
  return (
    <dl className="flex flex-col gap-2">
      {changes.flatMap(inFields).map((change) => (
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

/**
 * Describes an added or removed variant by the fields that it has. A list of all fields, most of them empty, would be
 * useless.
 */
function inFields(change: FieldChange): FieldChange[] {
  const { field, before, after } = change;
  const whole = [before, after].find((value) => value !== null && value !== undefined);
  const isOne = before == null || after == null;
  if (!/^variants\[\d+\]$/.test(field) || !isOne || typeof whole !== "object") return [change];
  const parts = Object.entries(whole as Record<string, unknown>).filter(
    ([name, value]) => name !== "name" && valueText(name, value) !== "nothing",
  );
  const said = parts.length > 0 ? "the values below" : "no changes: the same as the control";
  return [
    before == null ? { field, before: "nothing", after: said } : { field, before: said, after: "nothing" },
    ...parts.map(([name, value]) =>
      before == null
        ? { field: `${field}.${name}`, before: null, after: value }
        : { field: `${field}.${name}`, before: value, after: null },
    ),
  ];
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
