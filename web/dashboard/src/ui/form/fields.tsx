// Fields that are bound to a form by the name of the API's field. The form provides value, change handler and error.

import type { ComponentProps, ReactNode } from "react";
import { Choice, Choices, Select, TextBox, TextInput } from "../field";
import { MomentInput } from "../moment-input";
import type { Form } from "./form";

type NamesOf<V, T> = { [N in keyof V & string]: V[N] extends T ? N : never }[keyof V & string];

interface Bound<V extends object, T> {
  form: Form<V>;
  name: NamesOf<V, T>;
}

type Rest<C> = Omit<C, "name" | "value" | "defaultValue" | "checked" | "onChange" | "form" | "error">;

export function FormText<V extends object>({
  form,
  name,
  ...rest
}: Bound<V, string> & Rest<ComponentProps<typeof TextInput>>) {
  return (
    <TextInput
      {...rest}
      name={name}
      value={form.values[name] as string}
      onChange={(event) => form.set(name, event.target.value as V[typeof name])}
      error={form.errorOf(name)}
    />
  );
}

/** Number input; null while it is empty. */
export function FormNumber<V extends object>({
  form,
  name,
  ...rest
}: Bound<V, number | null> & Rest<ComponentProps<typeof TextInput>>) {
  const value = form.values[name] as number | null;
  return (
    <TextInput
      inputMode="decimal"
      {...rest}
      type="number"
      name={name}
      value={value ?? ""}
      onChange={({ target }) => form.set(name, (target.value === "" ? null : target.valueAsNumber) as V[typeof name])}
      error={form.errorOf(name)}
    />
  );
}

export function FormTextBox<V extends object>({
  form,
  name,
  ...rest
}: Bound<V, string> & Rest<ComponentProps<typeof TextBox>>) {
  return (
    <TextBox
      {...rest}
      name={name}
      value={form.values[name] as string}
      onChange={(event) => form.set(name, event.target.value as V[typeof name])}
      error={form.errorOf(name)}
    />
  );
}

/** List to choose one word from. */
export function FormSelect<V extends object>({
  form,
  name,
  choices,
  ...rest
}: Bound<V, string> &
  Rest<ComponentProps<typeof Select>> & { choices: readonly (readonly [value: string, text: string])[] }) {
  return (
    <Select
      {...rest}
      name={name}
      value={form.values[name] as string}
      onChange={(event) => form.set(name, event.target.value as V[typeof name])}
      error={form.errorOf(name)}
    >
      {choices.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </Select>
  );
}

/** A date with a time; null for none. */
export function FormMoment<V extends object>({
  form,
  name,
  ...rest
}: Bound<V, string | null> & Rest<ComponentProps<typeof MomentInput>>) {
  return (
    <MomentInput
      {...rest}
      name={name}
      value={form.values[name] as string | null}
      onChange={(value) => form.set(name, value as V[typeof name])}
      error={form.errorOf(name)}
    />
  );
}

export function FormCheckbox<V extends object>({
  form,
  name,
  label,
  hint,
}: Bound<V, boolean> & { label: ReactNode; hint?: ReactNode }) {
  return (
    <Choice
      name={name}
      label={label}
      hint={hint}
      checked={form.values[name] as boolean}
      onChange={(event) => form.set(name, event.target.checked as V[typeof name])}
      error={form.errorOf(name)}
    />
  );
}

/** Radio buttons to choose one of a few words, each with an explanation. */
export function FormRadios<V extends object>({
  form,
  name,
  legend,
  hint,
  choices,
}: Bound<V, string> & {
  legend: ReactNode;
  hint?: ReactNode;
  choices: readonly (readonly [value: string, text: ReactNode, about?: ReactNode])[];
}) {
  return (
    <Choices legend={legend} hint={hint} error={form.errorOf(name)}>
      {choices.map(([value, text, about]) => (
        <Choice
          key={value}
          kind="radio"
          name={name}
          label={text}
          hint={about}
          checked={form.values[name] === value}
          onChange={() => form.set(name, value as V[typeof name])}
        />
      ))}
    </Choices>
  );
}

/** Checkboxes to choose several words. */
export function FormChecks<V extends object>({
  form,
  name,
  legend,
  hint,
  choices,
}: Bound<V, string[]> & {
  legend: ReactNode;
  hint?: ReactNode;
  choices: readonly (readonly [value: string, text: ReactNode, about?: ReactNode])[];
}) {
  const chosen = form.values[name] as string[];
  return (
    <Choices legend={legend} hint={hint} error={form.errorOf(name)}>
      {choices.map(([value, text, about]) => (
        <Choice
          key={value}
          name={name}
          label={text}
          hint={about}
          checked={chosen.includes(value)}
          onChange={({ target }) =>
            form.set(
              name,
              (target.checked ? [...chosen, value] : chosen.filter((one) => one !== value)) as V[typeof name],
            )
          }
        />
      ))}
    </Choices>
  );
}
