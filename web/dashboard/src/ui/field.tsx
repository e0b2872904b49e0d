// Fields: a label, the control, a hint, and an error. Pages use those of `ui/form/fields`, which bind these to a form.

import { type ComponentProps, type ReactNode, useId } from "react";
import { names } from "~/lib/names";

export const controlClass = names(
  "w-full rounded-md border border-edge bg-panel px-2.5 text-ink placeholder:text-soft",
  "aria-invalid:border-bad disabled:bg-sunken disabled:text-soft",
);

interface FrameProps {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  /** Content next to the label: "optional", a counter. */
  aside?: ReactNode;
  /** The label is for screen readers only. */
  hidesLabel?: boolean;
  className?: string;
}

interface Wiring {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
}

/** Label, hint and error around a control. `children` gets the attributes that connect the control to them. */
export function Field({
  label,
  hint,
  error,
  aside,
  hidesLabel,
  className,
  children,
}: FrameProps & { children: (wiring: Wiring) => ReactNode }) {
  const id = useId();
  const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(" ");
  return (
    <div className={names("flex min-w-0 flex-col gap-1", className)}>
      <div className={hidesLabel ? "sr-only" : "flex items-baseline justify-between gap-2"}>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {aside && <span className="text-sm text-soft">{aside}</span>}
      </div>
      {children({ id, "aria-describedby": described || undefined, "aria-invalid": error ? true : undefined })}
      {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-soft">
          {hint}
        </p>
      )}
    </div>
  );
}

export function FieldError({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} className="text-sm font-medium text-bad">
      {children}
    </p>
  );
}

type Framed<C> = Omit<C, "className"> & FrameProps & { controlClassName?: string };

function split<C extends FrameProps & { controlClassName?: string }>(props: C) {
  const { label, hint, error, aside, hidesLabel, className, controlClassName, ...control } = props;
  return { frame: { label, hint, error, aside, hidesLabel, className }, controlClassName, control };
}

export function TextInput(props: Framed<ComponentProps<"input">>) {
  const { frame, control, controlClassName } = split(props);
  return (
    <Field {...frame}>
      {(wiring) => (
        <input
          {...control}
          {...wiring}
          className={names(controlClass, "h-8.5 pointer-coarse:h-10", controlClassName)}
        />
      )}
    </Field>
  );
}

export function TextBox(props: Framed<ComponentProps<"textarea">>) {
  const { frame, control, controlClassName } = split(props);
  return (
    <Field {...frame}>
      {(wiring) => (
        <textarea rows={4} {...control} {...wiring} className={names(controlClass, "py-1.5", controlClassName)} />
      )}
    </Field>
  );
}

/** A native select: it works with every keyboard, phone and screen reader as users expect. */
export function Select(props: Framed<ComponentProps<"select">>) {
  const { frame, control, controlClassName } = split(props);
  return (
    <Field {...frame}>
      {(wiring) => (
        <select
          {...control}
          {...wiring}
          className={names(controlClass, "select h-8.5 pr-7 pointer-coarse:h-10", controlClassName)}
        />
      )}
    </Field>
  );
}

interface ChoiceProps extends Omit<ComponentProps<"input">, "type"> {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  kind?: "checkbox" | "radio";
}

/** A checkbox or radio button with its label next to it. */
export function Choice({ label, hint, error, kind = "checkbox", className, ...control }: ChoiceProps) {
  const id = useId();
  const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(" ");
  return (
    <div className={names("flex gap-2.5", className)}>
      <input
        {...control}
        id={id}
        type={kind}
        aria-describedby={described || undefined}
        aria-invalid={error ? true : undefined}
        className="mt-0.5 size-4 shrink-0 accent-accent-fill pointer-coarse:size-5"
      />
      <div className="min-w-0">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-sm text-soft">
            {hint}
          </p>
        )}
        {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
      </div>
    </div>
  );
}

/** A group of choices, under one name. */
export function Choices({
  legend,
  hint,
  error,
  children,
}: {
  legend: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  children: ReactNode;
}) {
  return (
    <fieldset className="flex flex-col gap-2.5">
      <legend className="mb-1.5 font-medium">{legend}</legend>
      {hint && <p className="-mt-1.5 text-sm text-soft">{hint}</p>}
      {children}
      {error && <FieldError>{error}</FieldError>}
    </fieldset>
  );
}
