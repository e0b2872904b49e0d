// A field that searches when the user pauses typing.

import { useEffect, useState } from "react";
import { names } from "~/lib/names";
import { controlClass } from "./field";
import { Icon } from "./icon";

const SEARCH_DELAY_MS = 200;

interface SearchBoxProps {
  /** Describes the search: "Search by name, key or page". */
  label: string;
  /** Current search, from the address. */
  value: string;
  change: (search: string) => void;
}

export function SearchBox({ label, value, change }: SearchBoxProps) {
  const [typed, setTyped] = useState(value);
  const [last, setLast] = useState(value);
  // The address was changed elsewhere: by going back, or by clearing the filters.
  if (value !== last) {
    setLast(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => {
      setLast(typed.trim());
      change(typed.trim());
    }, SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  });
  return (
    <div className="relative w-full xs:w-50">
      <Icon name="search" className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-soft" />
      <input
        type="search"
        aria-label={label}
        placeholder="Search"
        maxLength={200}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className={names(controlClass, "h-8.5 pl-8 pointer-coarse:h-10")}
      />
    </div>
  );
}
