// Forms. A form compares the values on the server (`stored`) with the fields that the user touched, and sends only
// touched fields that differ. Touched values are kept in this tab until they are saved or discarded, so a reload, a
// lost connection or an expired session loses nothing.

import { type FormEvent, type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { type ApiFailure, failureFrom } from "~/api/failure";
import { Button } from "../button";
import { Note } from "../layout";
import { ErrorPanel } from "../loaded";
import { type Compare, Conflicts } from "./conflicts";

type Fields = object;

interface FormOptions<V extends Fields> {
  /** Key under which values are kept in this tab, such as `settings/prj_1`. A form without a name keeps nothing. */
  name?: string;
  /** Values on the server. They may change while the user types: fields that were not touched follow. */
  stored: V;
  /** Fields that are never kept: passwords and codes. */
  secrets?: (keyof V)[];
  /**
   * Sends the form. An error that it throws is shown at the fields that it names, else above the buttons. With `keep`,
   * the fields keep the typed values, also those that are typed meanwhile.
   */
  submit: (values: V, changes: Partial<V>) => Promise<"keep" | undefined | void>;
}

interface Touched<V> {
  value: Partial<V>;
  /** Server's value of each touched field, when it was first touched. */
  base: Partial<V>;
}

export interface Form<V extends Fields> {
  values: V;
  set: <N extends keyof V & string>(name: N, value: V[N]) => void;
  /** Touched fields that differ from the server's values. */
  changes: Partial<V>;
  isChanged: boolean;
  isBusy: boolean;
  /** True when `values` has changes of an earlier visit. */
  isRestored: boolean;
  /** Fields that somebody else has changed since the user touched them. */
  conflicts: (keyof V & string)[];
  /** Resolves a conflict with the typed value (`mine`) or the stored one (`theirs`). */
  settle: (name: keyof V & string, with_: "mine" | "theirs") => void;
  stored: V;
  /** Server's value of each touched field, when it was first touched. */
  base: Partial<V>;
  failure: ApiFailure | undefined;
  /** Returns the problem of a field, or of a value in it (`variants[0].name` for `variants`). */
  errorOf: (name: string) => string | undefined;
  /** Sends the form. Returns whether it was saved. */
  submit: () => Promise<boolean>;
  /** Discards the typed values. */
  reset: () => void;
}

const PREFIX = "muriel-draft:";

function same(a: unknown, b: unknown): boolean {
  return Object.is(a, b) || JSON.stringify(a) === JSON.stringify(b);
}

function restore<V extends Fields>(name: string | undefined): Touched<V> {
  const empty = { value: {}, base: {} };
  if (name === undefined) return empty;
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(PREFIX + name) ?? "null");
    return typeof kept === "object" && kept !== null && "value" in kept && "base" in kept
      ? (kept as Touched<V>)
      : empty;
  } catch {
    return empty;
  }
}

export function useForm<V extends Fields>({ name, stored, secrets = [], submit }: FormOptions<V>): Form<V> {
  const [touched, setTouched] = useState<Touched<V>>(() => restore<V>(name));
  const [isRestored, setRestored] = useState(() => Object.keys(touched.value).length > 0);
  const [failure, setFailure] = useState<ApiFailure>();
  const [isBusy, setBusy] = useState(false);

  const values = { ...stored, ...touched.value };
  const names = Object.keys(touched.value) as (keyof V & string)[];
  const changed = names.filter((one) => !same(touched.value[one], stored[one]));
  const changes = Object.fromEntries(changed.map((one) => [one, touched.value[one]])) as Partial<V>;
  const conflicts = changed.filter((one) => one in touched.base && !same(touched.base[one], stored[one]));

  const kept = JSON.stringify({
    value: without(changes, secrets),
    base: Object.fromEntries(changed.map((one) => [one, touched.base[one]])),
  });
  const keeps = name !== undefined && Object.keys(without(changes, secrets)).length > 0;
  useEffect(() => {
    if (name === undefined) return;
    try {
      if (keeps) sessionStorage.setItem(PREFIX + name, kept);
      else sessionStorage.removeItem(PREFIX + name);
    } catch {
      // The storage is full. The guard still warns before the user leaves the page.
    }
  }, [name, keeps, kept]);

  const set = useCallback(
    <N extends keyof V & string>(field: N, value: V[N]) => {
      setTouched((before) => ({
        value: { ...before.value, [field]: value },
        base: field in before.base ? before.base : { ...before.base, [field]: stored[field] },
      }));
    },
    [stored],
  );

  /** Forgets the touched fields. With `sent`, keeps fields that differ from what was sent. */
  const forget = (sent?: V) => {
    // Also here: `submit` may have opened another page, and then no effect runs.
    if (name !== undefined) sessionStorage.removeItem(PREFIX + name);
    setTouched(({ value }) => ({
      value:
        sent === undefined
          ? {}
          : without(
              value,
              Object.keys(value).filter((one) => isSame(value, sent, one)),
            ),
      base: {},
    }));
    setRestored(false);
    setFailure(undefined);
  };

  return {
    values,
    set,
    changes,
    isChanged: changed.length > 0,
    isBusy,
    isRestored,
    conflicts,
    stored,
    base: touched.base,
    failure,
    settle: (field, with_) => {
      // The failure was about the state before the conflict was resolved.
      setFailure(undefined);
      setTouched((before) =>
        with_ === "mine"
          ? { ...before, base: { ...before.base, [field]: stored[field] } }
          : { value: without(before.value, [field]), base: without(before.base, [field]) },
      );
    },
    errorOf: (field) => failure?.fields.find((one) => isWithin(one.field, field))?.message,
    submit: async () => {
      if (isBusy) return false;
      setBusy(true);
      setFailure(undefined);
      try {
        const isSaved = (await submit(values, changes)) !== "keep";
        if (isSaved) forget(values);
        return isSaved;
      } catch (thrown) {
        setFailure(failureFrom(thrown));
        return false;
      } finally {
        setBusy(false);
      }
    },
    reset: () => forget(),
  };
}

function isSame<V extends Fields>(one: Partial<V>, other: V, name: string): boolean {
  return same(one[name as keyof V], other[name as keyof V]);
}

function without<O extends object>(object: O, names: readonly PropertyKey[]): O {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name))) as O;
}

function isWithin(place: string, field: string): boolean {
  return place === field || (place.startsWith(field) && /^[.[]/.test(place.slice(field.length)));
}

export interface FormStep {
  /** Name of the next step. */
  name: string;
  go: () => unknown;
}

interface FormViewProps<V extends Fields> {
  form: Form<V>;
  children: ReactNode;
  /** Label of the submit button, such as "Save settings". */
  act: string;
  /** True when the button is shown before anything was typed: for forms that create. */
  isAlwaysReady?: boolean;
  /** Labels of the fields on the page, for conflicts and errors. */
  labels?: Partial<Record<keyof V & string, string>>;
  /** True when another button of the page is the primary one. */
  isPlain?: boolean;
  /** Describes a value in a conflict, for values that are longer than a word. */
  inWords?: (name: keyof V & string, value: unknown) => string;
  /** Content next to the button. */
  aside?: ReactNode;
  /**
   * For a form that is one of several steps: the primary button saves and continues, or only continues if nothing was
   * typed.
   */
  next?: FormStep | undefined;
  /** Reason why nothing can be changed. The fields are then shown without the button. */
  locked?: string | undefined;
  /** Comparisons of the sides of a conflict, for fields whose values are longer than a word. */
  compare?: Compare<V>;
  className?: string;
}

/** The form: fields, errors, conflicts, and the submit button. */
export function FormView<V extends Fields>({
  form,
  children,
  act,
  isAlwaysReady = false,
  labels,
  isPlain = false,
  inWords,
  aside,
  next,
  locked,
  compare,
  className,
}: FormViewProps<V>) {
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (form.failure !== undefined) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [form.failure]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (form.conflicts.length === 0) void form.submit();
  };
  const atFields =
    form.failure?.fields.length && form.failure.fields.every((one) => isShown(element.current, one.field));
  const ready = isAlwaysReady || form.isChanged;
  const classes = className ?? "flex flex-col gap-4";
  if (locked !== undefined)
    return (
      <form className={classes}>
        <Note>{locked}</Note>
        {/* Without `min-w-0`, a fieldset is as wide as its widest word. */}
        <fieldset disabled className={`min-w-0 ${classes}`}>
          {children}
        </fieldset>
      </form>
    );
  return (
    <form ref={element} onSubmit={submit} noValidate className={classes}>
      {form.isRestored && form.isChanged && (
        <Note>
          Your unsaved changes were kept.{" "}
          <button type="button" className="link" onClick={form.reset}>
            Discard them
          </button>
        </Note>
      )}
      {children}
      {form.conflicts.length > 0 && <Conflicts form={form} labels={labels} inWords={inWords} compare={compare} />}
      {form.failure && !atFields && form.conflicts.length === 0 && (
        <FormFailure failure={form.failure} labels={labels} />
      )}
      <div className="flex flex-wrap items-center gap-2 pt-1">
        <Button
          type="submit"
          kind={isPlain || next ? "plain" : "primary"}
          isBusy={form.isBusy}
          disabled={!ready || form.conflicts.length > 0}
        >
          {act}
        </Button>
        {next && (
          <Button
            kind="primary"
            disabled={form.conflicts.length > 0}
            onClick={async () => {
              if (!form.isChanged || (await form.submit())) await next.go();
            }}
          >
            {form.isChanged ? "Save and continue" : `Continue to ${next.name}`}
          </Button>
        )}
        {!isAlwaysReady && form.isChanged && <Button onClick={form.reset}>Discard changes</Button>}
        {aside}
      </div>
    </form>
  );
}

/**
 * Returns whether a problem is shown at a field of the form: the field's name is the path of the problem, or contains
 * it.
 */
function isShown(form: HTMLFormElement | null, place: string): boolean {
  const fields = [...(form?.elements ?? [])] as HTMLInputElement[];
  return fields.some(({ name }) => name !== undefined && name !== "" && isWithin(place, name));
}

function FormFailure({
  failure,
  labels = {},
}: {
  failure: ApiFailure;
  labels?: Partial<Record<string, string>> | undefined;
}) {
  return (
    <>
      <ErrorPanel error={failure} />
      {failure.fields.length > 1 && (
        <ul className="list-disc pl-5 text-sm text-bad">
          {failure.fields.map((one) => (
            <li key={one.field + one.message}>
              {labels[one.field] ?? <code className="font-mono">{one.field}</code>}: {one.message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
