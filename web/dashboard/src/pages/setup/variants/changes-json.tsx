// Visual changes of a variant in the API's format. Text that is not a list of objects is kept separately, and prevents
// saving.

import { useState } from "react";
import { jsonErrorLine } from "~/lib/json-line";
import { CodeEditor, type CodeMark } from "~/ui/code-editor";
import { FieldError } from "~/ui/field";
import { type Change, needsCode } from "./changes";
import type { Editing } from "./editing";

interface JsonProps {
  editing: Editing;
  field: string;
  changes: Change[];
  onChange: (changes: Change[]) => void;
}

export function ChangesJson({ editing, field, changes, onChange }: JsonProps) {
  const { form, isLocked, mayCode } = editing;
  // Text as typed, with its whitespace, while it is equal to the form's value.
  const [typed, setTyped] = useState<{ text: string; list: Change[] }>();
  const { [field]: unreadable, ...others } = form.values.unreadable;
  const text = unreadable ?? (typed?.list === changes ? typed.text : JSON.stringify(changes, null, 2));
  const { error, marks } = readChanges(text);
  const isReadOnly = isLocked || (!mayCode && changes.some(needsCode));
  const change = (next: string) => {
    const { list } = readChanges(next);
    if (list === undefined) return form.set("unreadable", { ...others, [field]: next });
    setTyped({ text: next, list });
    form.set("unreadable", others);
    onChange(list);
  };
  return (
    <>
      <CodeEditor
        name={field}
        label="Visual changes as JSON"
        language="json"
        value={text}
        onChange={change}
        isReadOnly={isReadOnly}
        hint={
          isReadOnly && !isLocked
            ? "Some changes can run or load something on the page, so they count as code. Your role may not change code in this project."
            : "A list of objects. Unknown keys are kept."
        }
        error={error}
        marks={marks}
      />
      {problemsIn(editing, field).map(({ place, message }) => (
        <FieldError key={place + message}>
          {place}: {message}
        </FieldError>
      ))}
    </>
  );
}

interface ReadChanges {
  list?: Change[];
  error?: string;
  marks?: CodeMark[];
}

export function readChanges(text: string): ReadChanges {
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return { error: "This has to be a list: [ … ]" };
    const at = value.findIndex((one) => typeof one !== "object" || one === null || Array.isArray(one));
    return at < 0 ? { list: value } : { error: `Change ${at + 1} has to be an object: { … }` };
  } catch {
    const line = jsonErrorLine(text) ?? 1;
    const error = `This is not valid JSON: look at line ${line}.`;
    return { error, marks: [{ from: line, to: line, severity: "error", message: error }] };
  }
}

/** The server's errors about single changes, which have no separate field here. */
function problemsIn({ form, findings }: Editing, field: string): { place: string; message: string }[] {
  const all = findings.errors.length > 0 ? findings.errors : (form.failure?.fields ?? []);
  return all.flatMap(({ field: place, message }) => {
    const [, at, key] = (place.startsWith(field) && /^\[(\d+)\](?:\.(.*))?$/.exec(place.slice(field.length))) || [];
    return at === undefined ? [] : [{ place: `Change ${Number(at) + 1}${key ? `, ${key}` : ""}`, message }];
  });
}
