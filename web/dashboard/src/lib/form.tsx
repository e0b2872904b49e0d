// Forms. A form knows what the server has (`stored`) and what somebody touched; only fields that were touched and differ are sent. What was
// touched is kept in this tab until it is saved or thrown away, so a reload, a lost connection or an ended session loses nothing.

import { type FormEvent, type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { type ApiFailure, failureFrom } from "~/api/failure";
import { Button } from "~/ui/button";
import { Note } from "~/ui/layout";
import { ErrorPanel } from "~/ui/loaded";
import { type Compare, Conflicts } from "./conflicts";

type Fields = object;

interface FormOptions<V extends Fields> {
  /** Names what is kept in this tab, such as `settings/prj_1`; a form without a name keeps nothing. */
  name?: string;
  /** What the server has now. It may change while somebody types: fields that were not touched follow. */
  stored: V;
  /** Fields that are never kept: passwords and codes. */
  secrets?: (keyof V)[];
  /**
   * Sends. What it throws is shown: at fields that it names, else above the buttons. With `keep` what was typed stays in the fields, and so
   * does what is typed meanwhile.
   */
  submit: (values: V, changes: Partial<V>) => Promise<"keep" | undefined | void>;
}

interface Touched<V> {
  value: Partial<V>;
  /** What the server had when the field was first touched. */
  base: Partial<V>;
}

export interface Form<V extends Fields> {
  values: V;
  set: <N extends keyof V & string>(name: N, value: V[N]) => void;
  /** Fields that differ from what the server has. */
  changes: Partial<V>;
  isChanged: boolean;
  isBusy: boolean;
  /** Whether `values` has changes of an earlier visit. */
  isRestored: boolean;
  /** Fields that somebody else has changed since they were touched here. */
  conflicts: (keyof V & string)[];
  /** Settles a conflict: with what was typed here, or with what is stored now. */
  settle: (name: keyof V & string, with_: "mine" | "theirs") => void;
  stored: V;
  /** What the server had when a field was first touched. */
  base: Partial<V>;
  failure: ApiFailure | undefined;
  /** What is wrong with a field, and with what is in it (`variants[0].name` for `variants`). */
  errorOf: (name: string) => string | undefined;
  /** Whether it was saved. */
  submit: () => Promise<boolean>;
  /** Throws away what was typed. */
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
      // The storage is full: the guard still warns before the page is left.
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

  /** Forgets what was touched, but for fields that differ from what was sent. */
  const forget = (sent?: V) => {
    // Here, too: whoever saved may have led to another page, after which no effect runs.
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
      // It was about the state that somebody has settled with now.
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
  /** What comes next. */
  name: string;
  go: () => unknown;
}

interface FormViewProps<V extends Fields> {
  form: Form<V>;
  children: ReactNode;
  /** The name of the act: "Save settings". */
  act: string;
  /** Whether the act is offered before anything was typed: for forms that create. */
  isAlwaysReady?: boolean;
  /** The names of fields on the page, for conflicts and errors. */
  labels?: Partial<Record<keyof V & string, string>>;
  /** Where another button of the page is the primary one. */
  isPlain?: boolean;
  /** How a value is shown in a conflict, where it is more than a word. */
  inWords?: (name: keyof V & string, value: unknown) => string;
  /** Beside the act. */
  aside?: ReactNode;
  /** The form is one of several steps: the primary button saves and goes on, or only goes on where nothing was typed. */
  next?: FormStep | undefined;
  /** Why nothing can be changed here; the fields are shown without the act. */
  locked?: string | undefined;
  /** How the sides of a conflict are shown, for fields that are more than a word. */
  compare?: Compare<V>;
  className?: string;
}

/** The form itself: fields, what is wrong, conflicts, and the act. */
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
    if (form.conflicts.length === 0) form.submit();
  };
  const atFields =
    form.failure?.fields.length && form.failure.fields.every((one) => isShown(element.current, one.field));
  const ready = isAlwaysReady || form.isChanged;
  const classes = className ?? "flex flex-col gap-4";
  if (locked !== undefined)
    return (
      <form className={classes}>
        <Note>{locked}</Note>
        {/* Without it a fieldset is as wide as its widest word. */}
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

/** Whether a problem is shown at a field of the form: one whose name is the place, or holds it. */
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
