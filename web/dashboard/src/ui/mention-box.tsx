// Text box in which `@` finds people. While a name is typed, a list below offers matches; the arrow keys, Enter and Tab
// choose from it. The focus stays in the box.

import { type ComponentProps, type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from "react";
import { names } from "~/lib/names";
import { complete, type Typed, typedMention } from "~/lib/mentions";
import { controlClass, Field } from "./field";

export interface MentionOption {
  person_id: number;
  name: string;
  /** Distinguishes people with the same name. */
  aside: string;
}

interface MentionBoxProps
  extends Omit<ComponentProps<"textarea">, "value" | "onChange" | "className" | "aria-label" | "id"> {
  label: string;
  hint?: string;
  error?: string | undefined;
  value: string;
  onChange: (text: string) => void;
  /** Called with the typed part of a name; undefined while no name is typed. */
  onSearch: (search: string | undefined) => void;
  /** Matches; undefined while the search is in flight. */
  found: MentionOption[] | undefined;
  onMention: (person: MentionOption) => void;
}

export function MentionBox({
  label,
  hint,
  error,
  value,
  onChange,
  onSearch,
  found,
  onMention,
  ...rest
}: MentionBoxProps) {
  const box = useRef<HTMLTextAreaElement>(null);
  /** Position of the caret after a name was inserted into the text. */
  const caret = useRef<number>(undefined);
  const listId = useId();
  const [typed, setTyped] = useState<Typed>();
  const [at, setAt] = useState(0);
  const options = typed === undefined ? [] : (found ?? []);
  const current = Math.min(at, options.length - 1);
  const isOpen = options.length > 0;

  // In a layout effect, so that it happens before anything else is typed.
  useLayoutEffect(() => {
    if (caret.current !== undefined) box.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  });

  const follow = (next: Typed | undefined) => {
    if (next?.at === typed?.at && next?.search === typed?.search) return;
    setTyped(next);
    setAt(0);
    onSearch(next?.search);
  };
  const look = () => {
    const { value: text, selectionStart, selectionEnd } = box.current as HTMLTextAreaElement;
    follow(selectionStart === selectionEnd ? typedMention(text, selectionStart) : undefined);
  };
  const choose = (person: MentionOption | undefined) => {
    if (person === undefined || typed === undefined) return;
    const next = complete(value, typed, person.name);
    caret.current = next.caret;
    onChange(next.text);
    onMention(person);
    follow(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen || event.nativeEvent.isComposing) return;
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move !== undefined) setAt((current + move + options.length) % options.length);
    else if (event.key === "Enter" || event.key === "Tab") choose(options[current]);
    else if (event.key === "Escape") follow(undefined);
    else return;
    event.preventDefault();
  };

  return (
    <Field label={label} hint={hint} error={error}>
      {(wiring) => (
        <div className="relative">
          <textarea
            {...rest}
            {...wiring}
            ref={box}
            value={value}
            aria-autocomplete="list"
            aria-haspopup="listbox"
            aria-controls={isOpen ? listId : undefined}
            aria-activedescendant={isOpen ? `${listId}-${current}` : undefined}
            onChange={({ target }) => {
              onChange(target.value);
              follow(typedMention(target.value, target.selectionStart));
            }}
            onClick={look}
            onKeyUp={({ key }) => /^(Arrow(Left|Right)|Home|End)$/.test(key) && look()}
            onBlur={() => follow(undefined)}
            onKeyDown={onKeyDown}
            className={names(controlClass, "py-1.5")}
          />
          {isOpen && (
            <div
              id={listId}
              role="listbox"
              aria-label="People to mention"
              className="floating absolute inset-x-0 top-full z-20 mt-1 max-w-90 overflow-hidden p-1"
            >
              {options.map((person, index) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the box handles the keys
                <div
                  key={person.person_id}
                  id={`${listId}-${index}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === current}
                  // Keeps the focus in the box: the list closes when it is lost.
                  onPointerDown={(event) => event.preventDefault()}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => choose(person)}
                  onPointerMove={() => setAt(index)}
                  className={names(
                    "flex cursor-pointer items-baseline justify-between gap-3 rounded-md px-2.5 py-1.5 pointer-coarse:py-2.5",
                    index === current && "bg-accent-wash",
                  )}
                >
                  <span className="min-w-0 truncate">{person.name}</span>
                  <span className="shrink-0 text-sm text-soft">{person.aside}</span>
                </div>
              ))}
            </div>
          )}
          <p role="status" className="sr-only">
            {typed === undefined || found === undefined ? "" : told(options.length)}
          </p>
        </div>
      )}
    </Field>
  );
}

function told(number: number): string {
  if (number === 0) return "Nobody has this name.";
  return `${number === 1 ? "1 person" : `${number} people`} to mention. Arrow keys choose, Enter confirms.`;
}
