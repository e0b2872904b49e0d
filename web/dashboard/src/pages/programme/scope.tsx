// Filters of the whole page: projects and a period.

import { type ReactNode, useEffect, useRef, useState } from "react";
import { useSession } from "~/api/session";
import { isDay } from "~/lib/search";
import { Button } from "~/ui/button";
import { TextInput } from "~/ui/field";
import { ProjectFilter } from "~/ui/filter-menu";
import { type ChangeFilters, narrowsAll, type ProgrammeFilters } from "./filters";

interface ScopeProps {
  filters: ProgrammeFilters;
  change: ChangeFilters;
  /** Content at the end of the line. */
  aside?: ReactNode;
}

export function Scope({ filters, change, aside }: ScopeProps) {
  const { projects } = useSession();
  const group = useRef<HTMLDivElement>(null);
  const clear = () => {
    change({ project: undefined, from: undefined, to: undefined });
    // The button disappears, and would take the focus with it.
    group.current?.querySelector("input")?.focus();
  };
  return (
    <div ref={group} role="group" aria-label="Projects and time" className="flex flex-wrap items-end gap-x-2 gap-y-3">
      <DayField label="Concluded from" value={filters.from} change={(from) => change({ from })} />
      <DayField label="Before" value={filters.to} change={(to) => change({ to })} />
      <ProjectFilter projects={projects} value={filters.project} change={(project) => change({ project })} />
      {narrowsAll(filters) && (
        <Button kind="quiet" onClick={clear}>
          All projects and times
        </Button>
      )}
      <span className="flex-1" />
      {aside}
    </div>
  );
}

/** While a year is typed, the field has dates of earlier centuries, which are not requested. */
const FIRST_YEAR = 2000;

function DayField({
  label,
  value = "",
  change,
}: {
  label: string;
  value: string | undefined;
  change: (day: string | undefined) => void;
}) {
  const [typed, setTyped] = useState(value);
  // The address was changed elsewhere.
  useEffect(() => setTyped(value), [value]);
  return (
    <TextInput
      label={label}
      type="date"
      value={typed}
      onChange={({ target }) => {
        setTyped(target.value);
        if (target.value === "") change(undefined);
        else if (isDay(target.value) && Number(target.value.slice(0, 4)) >= FIRST_YEAR) change(target.value);
      }}
      className="w-38"
    />
  );
}
