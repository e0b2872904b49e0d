// A date with a time, typed in the time zone of the browser and kept as a moment, so that it is the same one for everybody.

import type { ReactNode } from "react";
import { TextInput } from "./field";

interface MomentProps {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  name: string;
  /** ISO 8601 with an offset; null for none. */
  value: string | null;
  onChange: (value: string | null) => void;
  className?: string;
}

export function MomentInput({ value, onChange, ...rest }: MomentProps) {
  return (
    <TextInput
      {...rest}
      type="datetime-local"
      value={toLocal(value)}
      onChange={({ target }) => onChange(fromLocal(target.value))}
    />
  );
}

/** What the browser's field shows for a moment: `2027-03-01T09:00`. */
function toLocal(iso: string | null): string {
  if (iso === null) return "";
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString();
  return local.slice(0, at.getUTCSeconds() === 0 ? 16 : 19);
}

/** Empty while it is not typed to the end. */
function fromLocal(text: string): string | null {
  const at = new Date(text);
  return text === "" || Number.isNaN(at.getTime()) ? null : at.toISOString();
}
