// Multiple choice from a long list: a search field, a list below it, and the chosen values, each with a button to
// remove it.

import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { names } from "~/lib/names";
import { controlClass, Field } from "./field";
import { Icon } from "./icon";

const MOST_SHOWN = 60;

interface PickerProps {
  label: string;
  hint?: string;
  error?: string | undefined;
  /** Name of the API's field, by which errors find the picker. */
  name: string;
  options: readonly (readonly [value: string, text: string])[];
  chosen: readonly string[];
  /** Text of a chosen value that is not among the options. */
  textOf?: (value: string) => string;
  onChange: (chosen: string[]) => void;
  /** True when any typed text can be chosen, too. */
  takesOthers?: boolean;
  placeholder?: string;
}

export function Picker({
  label,
  hint,
  error,
  name,
  options,
  chosen,
  textOf,
  onChange,
  takesOthers,
  placeholder,
}: PickerProps) {
  const field = useRef<HTMLInputElement>(null);
  const textOfChosen = (value: string) => options.find(([one]) => one === value)?.[1] ?? textOf?.(value) ?? value;
  return (
    <Field label={label} hint={hint} error={error}>
      {(wiring) => (
        <>
          {chosen.length > 0 && (
            <ul aria-label={`${label}: chosen`} className="flex flex-wrap gap-1.5">
              {chosen.map((value) => (
                <li
                  key={value}
                  className="inline-flex max-w-full items-center rounded-md border border-line bg-sunken pl-2 in-disabled:pr-2"
                >
                  <span className="min-w-0 truncate">{textOfChosen(value)}</span>
                  <button
                    type="button"
                    aria-label={`Remove ${textOfChosen(value)}`}
                    onClick={() => {
                      onChange(chosen.filter((one) => one !== value));
                      field.current?.focus();
                    }}
                    className="grid size-7 shrink-0 place-items-center rounded-md text-soft in-disabled:hidden hover:text-ink pointer-coarse:size-9"
                  >
                    <Icon name="close" className="size-3.5" />
                  </button>
                </li>
              ))}
            </ul>
          )}
          <Search
            wiring={wiring}
            field={field}
            name={name}
            label={label}
            placeholder={placeholder}
            optionsFor={(typed) => matching(options, chosen, typed, takesOthers)}
            onChoose={(value) => onChange([...chosen, value])}
            takesTyped={takesOthers === true && options.length === 0}
          />
        </>
      )}
    </Field>
  );
}

function matching(options: PickerProps["options"], chosen: readonly string[], typed: string, takesOthers = false) {
  const word = typed.trim().toLowerCase();
  const fits = options
    .filter(
      ([value, text]) => !chosen.includes(value) && (text.toLowerCase().includes(word) || value.toLowerCase() === word),
    )
    // Matches of the beginning, and of the code itself, come first.
    .sort((a, b) => Number(begins(b, word)) - Number(begins(a, word)))
    .slice(0, MOST_SHOWN);
  const isNew =
    takesOthers && word !== "" && !chosen.includes(typed.trim()) && !options.some(([value]) => value === typed.trim());
  return isNew ? [...fits, [typed.trim(), `Use “${typed.trim()}”`] as const] : fits;
}

function begins([value, text]: readonly [string, string], word: string): boolean {
  return text.toLowerCase().startsWith(word) || value.toLowerCase() === word;
}

interface SearchProps {
  wiring: object;
  field: React.RefObject<HTMLInputElement | null>;
  name: string;
  label: string;
  placeholder: string | undefined;
  optionsFor: (typed: string) => readonly (readonly [value: string, text: string])[];
  onChoose: (value: string) => void;
  /**
   * True when typed text is chosen when the field loses the focus. Otherwise it is discarded, because it is only a
   * search.
   */
  takesTyped: boolean;
}

function Search({ wiring, field, name, label, placeholder, optionsFor, onChoose, takesTyped }: SearchProps) {
  const [typed, setTyped] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const shown = isOpen ? optionsFor(typed) : [];
  const current = Math.min(at, shown.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  });

  const choose = (value: string | undefined) => {
    if (value === undefined) return;
    onChoose(value);
    setTyped("");
    setAt(0);
  };
  const leave = () => {
    setOpen(false);
    if (takesTyped && optionsFor(typed).some(([value]) => value === typed.trim())) choose(typed.trim());
    else setTyped("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" && !isOpen) setOpen(true);
    else if (event.key === "ArrowDown") setAt((current + 1) % Math.max(shown.length, 1));
    else if (event.key === "ArrowUp") setAt((current + shown.length - 1) % Math.max(shown.length, 1));
    else if (event.key === "Escape" && isOpen) setOpen(false);
    // Enter never submits the form: it acts on the list.
    else if (event.key === "Enter") isOpen ? choose(shown[current]?.[0]) : setOpen(true);
    else return;
    event.preventDefault();
  };

  return (
    <div className="relative">
      <input
        {...wiring}
        ref={field}
        name={name}
        role="combobox"
        autoComplete="off"
        aria-autocomplete="list"
        aria-expanded={shown.length > 0}
        aria-controls={shown.length > 0 ? listId : undefined}
        aria-activedescendant={shown.length > 0 ? `${listId}-${current}` : undefined}
        placeholder={placeholder}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setOpen(true);
          setAt(0);
        }}
        onClick={() => setOpen(true)}
        onBlur={leave}
        onKeyDown={onKeyDown}
        className={names(controlClass, "h-8.5 pointer-coarse:h-10")}
      />
      {shown.length > 0 && (
        <div
          ref={list}
          id={listId}
          role="listbox"
          aria-label={label}
          className="floating absolute inset-x-0 top-full z-30 mt-1 max-h-64 overflow-y-auto p-1"
        >
          {shown.map(([value, text], index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
            <div
              key={value}
              id={`${listId}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === current}
              // Keeps the focus in the field.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(value)}
              onPointerMove={() => setAt(index)}
              className={names(
                "cursor-pointer truncate rounded-sm px-2 py-1.25 pointer-coarse:py-2.5",
                index === current && "bg-accent-wash",
              )}
            >
              {text}
            </div>
          ))}
        </div>
      )}
      <span role="status" className="sr-only">
        {isOpen && shown.length === 0 ? "Nothing matches." : ""}
      </span>
    </div>
  );
}
