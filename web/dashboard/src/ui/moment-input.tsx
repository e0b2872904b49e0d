// A date with a time. It is typed in the time zone of the browser and stored as a point in time, so that it is the same
// for everybody.

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

/** Value of the browser's field for a point in time: `2027-03-01T09:00`. */
function toLocal(iso: string | null): string {
  if (iso === null) return "";
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString();
  return local.slice(0, at.getUTCSeconds() === 0 ? 16 : 19);
}

/** Parses the browser's field; null while it is incomplete. */
function fromLocal(text: string): string | null {
  const at = new Date(text);
  return text === "" || Number.isNaN(at.getTime()) ? null : at.toISOString();
}
