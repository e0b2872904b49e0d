// Form fields that somebody else has changed meanwhile: shows both values and lets the user choose.

import type { ReactNode } from "react";
import { Button } from "../button";
import { Note } from "../layout";
import type { Form } from "./form";

export interface Compared<T> {
  theirs: ReactNode;
  mine: ReactNode;
  /** The value with the changes of both sides, if they can be merged. */
  both?: T | undefined;
}

/** Comparisons of the sides of a conflict, for fields whose values are longer than a word. */
export type Compare<V extends object> = {
  [N in keyof V & string]?: (base: V[N], theirs: V[N], mine: V[N]) => Compared<V[N]>;
};

interface ConflictsProps<V extends object> {
  form: Form<V>;
  labels?: Partial<Record<keyof V & string, string>> | undefined;
  inWords?: ((name: keyof V & string, value: unknown) => string) | undefined;
  compare?: Compare<V> | undefined;
}

export function Conflicts<V extends object>({ form, labels, ...shown }: ConflictsProps<V>) {
  return (
    <Note tone="caution" role="alert">
      <p className="font-medium">Somebody else has changed this since you began. Choose before you save.</p>
      <ul className="mt-2 flex flex-col gap-3">
        {form.conflicts.map((name) => (
          <Conflict key={name} form={form} name={name} label={labels?.[name] ?? name} {...shown} />
        ))}
      </ul>
    </Note>
  );
}

function Conflict<V extends object>({
  form,
  name,
  label,
  inWords = (_, value) => shownAs(value),
  compare,
}: Omit<ConflictsProps<V>, "labels"> & { name: keyof V & string; label: string }) {
  const [theirs, mine] = [form.stored[name], form.values[name]];
  const sides: Compared<V[typeof name]> = compare?.[name]?.(form.base[name] as V[typeof name], theirs, mine) ?? {
    theirs: inWords(name, theirs),
    mine: inWords(name, mine),
  };
  const keepBoth = (both: V[typeof name]) => {
    form.set(name, both);
    form.settle(name, "mine");
  };
  return (
    <li className="flex flex-col gap-1.5">
      <span className="font-medium">{label}</span>
      <span>Now stored: {sides.theirs}</span>
      <span>Yours: {sides.mine}</span>
      <span className="flex flex-wrap gap-2">
        <Button small onClick={() => form.settle(name, "theirs")}>
          Use the stored value
        </Button>
        <Button small onClick={() => form.settle(name, "mine")}>
          Keep mine
        </Button>
        {sides.both !== undefined && (
          <Button small onClick={() => keepBoth(sides.both as V[typeof name])}>
            Keep both
          </Button>
        )}
      </span>
    </li>
  );
}

function shownAs(value: unknown): string {
  if (value === true) return "yes";
  if (value === false) return "no";
  if (value === null || value === undefined || value === "") return "nothing";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
