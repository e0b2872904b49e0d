// Ratings from 1 to 5: display and input.

import { useId } from "react";
import { names } from "~/lib/names";
import { NOTHING } from "~/lib/format";
import { FieldError } from "./field";

const STEPS = [1, 2, 3, 4, 5] as const;

/** A rating as a number, with a small picture for comparison within a column. */
export function Rating({ value }: { value: number | null }) {
  if (value === null)
    return (
      <span className="text-soft">
        <span aria-hidden="true">{NOTHING}</span>
        <span className="sr-only">not rated</span>
      </span>
    );
  return (
    <span className="inline-flex items-center gap-1.5">
      <span className="num">
        {value}
        <span className="sr-only"> of 5</span>
      </span>
      <span aria-hidden="true" className="inline-flex gap-0.5">
        {STEPS.map((step) => (
          <span key={step} className={names("h-2.5 w-1 rounded-full", step <= value ? "bg-accent" : "bg-line")} />
        ))}
      </span>
    </span>
  );
}

interface RatingInputProps {
  name: string;
  label: string;
  /** Question that the rating answers. */
  about: string;
  /** Meaning of 1 and 5. */
  ends: readonly [least: string, most: string];
  value: number | null;
  onChange: (value: number | null) => void;
  error: string | undefined;
}

/** Five radio buttons in a row, and one for no rating. */
export function RatingInput({ name, label, about, ends, value, onChange, error }: RatingInputProps) {
  const id = useId();
  return (
    <fieldset aria-describedby={`${id}-about`} className="flex min-w-0 flex-col gap-1">
      <legend className="mb-0.5 font-medium">{label}</legend>
      <p id={`${id}-about`} className="text-sm text-soft">
        {about} 1 is {ends[0]}, 5 is {ends[1]}.
      </p>
      <div className="mt-0.5 flex flex-wrap gap-1">
        {[null, ...STEPS].map((step) => (
          <label
            key={step}
            className={names(
              "relative flex h-8.5 min-w-9 cursor-pointer items-center justify-center rounded-md border px-2 pointer-coarse:h-10 pointer-coarse:min-w-10",
              "has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent has-disabled:cursor-not-allowed",
              step === value
                ? "border-accent bg-accent-wash font-medium text-accent"
                : "border-edge bg-panel has-disabled:bg-sunken has-disabled:text-soft",
            )}
          >
            <input
              type="radio"
              name={name}
              checked={step === value}
              onChange={() => onChange(step)}
              aria-invalid={error ? true : undefined}
              className="absolute inset-0 cursor-[inherit] opacity-0"
            />
            {step === null ? "Not rated" : step}
          </label>
        ))}
      </div>
      {error && <FieldError>{error}</FieldError>}
    </fieldset>
  );
}
