// A search field with a list of results below, for choices that are too many for a native select. The focus stays in
// the field.

import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { names } from "~/lib/names";
import { controlClass, Field } from "./field";
import { Icon } from "./icon";

interface SearchPickProps<T> {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  /** Name of the field, for errors. */
  name: string;
  placeholder?: string;
  typed: string;
  onType: (typed: string) => void;
  /** Results; undefined while the search is in flight. */
  found: T[] | undefined;
  /** Shown if nothing was found, or if the search failed. */
  nothing: ReactNode;
  keyOf: (one: T) => string | number;
  show: (one: T) => ReactNode;
  onPick: (one: T) => void;
  /** True when it replaces the element that had the focus, such as a removed choice. */
  takesFocus?: boolean;
}

export function SearchPick<T>({
  label,
  hint,
  error,
  name,
  placeholder,
  typed,
  onType,
  found,
  nothing,
  keyOf,
  show,
  onPick,
  takesFocus = false,
}: SearchPickProps<T>) {
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (takesFocus) input.current?.focus();
  }, [takesFocus]);
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const hits = found ?? [];
  const current = Math.min(at, hits.length - 1);
  const hasList = isOpen && hits.length > 0;
  const pick = (one: T | undefined) => {
    if (one === undefined) return;
    setOpen(false);
    onPick(one);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move !== undefined) {
      setAt(isOpen ? (current + move + hits.length) % Math.max(hits.length, 1) : current);
      setOpen(true);
    } else if (event.key === "Enter" && hasList) pick(hits[current]);
    else if (event.key === "Escape" && isOpen) setOpen(false);
    else return;
    event.preventDefault();
  };
  return (
    <Field label={label} hint={hint} error={error} className="relative">
      {(wiring) => (
        <div className="relative">
          <Icon
            name="search"
            className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-soft"
          />
          <input
            {...wiring}
            ref={input}
            type="text"
            role="combobox"
            name={name}
            autoComplete="off"
            aria-autocomplete="list"
            aria-expanded={hasList}
            aria-controls={hasList ? listId : undefined}
            aria-activedescendant={hasList ? `${listId}-${current}` : undefined}
            placeholder={placeholder}
            maxLength={200}
            value={typed}
            onChange={({ target }) => {
              onType(target.value);
              setAt(0);
              setOpen(true);
            }}
            onClick={() => setOpen(true)}
            onBlur={() => setOpen(false)}
            onKeyDown={onKeyDown}
            className={names(controlClass, "h-8.5 pl-8 pointer-coarse:h-10")}
          />
          {hasList && (
            <div
              id={listId}
              role="listbox"
              aria-label="Found"
              className="floating absolute inset-x-0 top-full z-20 mt-1 max-h-80 overflow-y-auto p-1"
            >
              {hits.map((one, index) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
                <div
                  key={keyOf(one)}
                  id={`${listId}-${index}`}
                  ref={index === current ? (element) => element?.scrollIntoView({ block: "nearest" }) : undefined}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === current}
                  // Keeps the focus in the field: the list closes when it is lost.
                  onPointerDown={(event) => event.preventDefault()}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => pick(one)}
                  onPointerMove={() => setAt(index)}
                  className={names(
                    "cursor-pointer rounded-md px-2.5 py-1.5 break-words",
                    index === current && "bg-accent-wash",
                  )}
                >
                  {show(one)}
                </div>
              ))}
            </div>
          )}
          <p role="status" className={hits.length === 0 && isOpen ? "mt-1 text-sm text-soft" : "sr-only"}>
            {isOpen && (found === undefined ? "Searching…" : hits.length === 0 ? nothing : `${hits.length} found`)}
          </p>
        </div>
      )}
    </Field>
  );
}
