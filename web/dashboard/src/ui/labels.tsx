// Input for short texts, such as tags. They are typed one after the other, and each can be removed.

import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { names } from "~/lib/names";
import { controlClass, Field } from "./field";
import { Icon } from "./icon";

interface LabelsProps {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  /** Name of the field, for errors. */
  name: string;
  /** Singular noun for a value: "tag". */
  one: string;
  values: string[];
  onChange: (values: string[]) => void;
  /** Maximum length of a value in characters. */
  maxLength: number;
  placeholder?: string;
}

export function Labels({ label, hint, error, name, one, values, onChange, maxLength, placeholder }: LabelsProps) {
  const [typed, setTyped] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const add = (...texts: string[]) => {
    const fresh = texts.map((text) => text.trim()).filter((text) => text !== "");
    const next = [...new Set([...values, ...fresh])];
    if (next.length > values.length) onChange(next);
    setTyped("");
  };
  const remove = (text: string) => {
    onChange(values.filter((value) => value !== text));
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Ignore a key that ends the composition of a character.
    if (event.nativeEvent.isComposing) return;
    const adds = (event.key === "Enter" || event.key === ",") && typed.trim() !== "";
    const last = values.at(-1);
    if (adds) add(typed);
    else if (event.key === "Backspace" && typed === "" && last !== undefined) remove(last);
    else if (event.key !== ",") return;
    event.preventDefault();
  };
  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData("text");
    if (!/[,\n]/.test(text)) return;
    event.preventDefault();
    add(typed, ...text.split(/[,\n]/).map((part) => part.slice(0, maxLength)));
  };
  return (
    <Field label={label} hint={hint} error={error}>
      {(wiring) => (
        <div
          className={names(
            controlClass,
            "flex flex-wrap items-center gap-1.5 px-1.5 py-1 has-[:disabled]:bg-sunken",
            error && "border-bad",
          )}
        >
          {values.map((value) => (
            <span
              key={value}
              className="inline-flex max-w-full items-center gap-1 rounded-full border border-line bg-sunken pl-2 text-sm"
            >
              <span className="min-w-0 break-words">{value}</span>
              <button
                type="button"
                aria-label={`Remove ${one} ${value}`}
                onClick={() => remove(value)}
                className="grid size-6 shrink-0 place-items-center rounded-full text-soft hover:text-ink pointer-coarse:size-8"
              >
                <Icon name="close" className="size-3" />
              </button>
            </span>
          ))}
          <input
            {...wiring}
            ref={input}
            name={name}
            type="text"
            autoComplete="off"
            placeholder={placeholder}
            maxLength={maxLength}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
            // A value that was not finished is added when the user goes to the next field.
            onBlur={() => add(typed)}
            className="h-6.5 min-w-30 flex-1 bg-transparent px-1 outline-none placeholder:text-soft pointer-coarse:h-8"
          />
          <span className="sr-only" role="status">
            {values.length > 0 ? `${values.length} chosen: ${values.join(", ")}` : ""}
          </span>
        </div>
      )}
    </Field>
  );
}
