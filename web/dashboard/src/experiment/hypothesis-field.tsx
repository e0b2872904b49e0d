// The hypothesis of an experiment: searched for in the project, shown with its texts, and removable.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useId, useRef, useState } from "react";
import { failureFrom } from "~/api/failure";
import { query, type Schemas } from "~/api/query";
import { useDelayed } from "~/lib/delayed";
import { Button } from "~/ui/button";
import { FieldError } from "~/ui/field";
import { ErrorPanel } from "~/ui/loaded";
import { SearchPick } from "~/ui/search-pick";

const SEARCH_DELAY_MS = 150;
const MOST = 20;

type Texts = Pick<Schemas["HypothesisExcerpt"], "hypothesis_id" | "observation" | "problem" | "solution">;

interface FieldProps {
  projectKey: string;
  value: number | null;
  onChange: (hypothesisId: number | null) => void;
  error?: string | undefined;
  label?: string;
  hint?: string;
  /** Name of the field, for errors. */
  name?: string;
}

export function HypothesisField({
  projectKey,
  value,
  onChange,
  error,
  label = "Hypothesis",
  hint = "What the experiment tests. The two stay linked, so each of them leads to the other.",
  name = "hypothesis_id",
}: FieldProps) {
  const labelId = useId();
  // After a change by the user, the new element gets the focus.
  const [isChanged, setChanged] = useState(false);
  const change = (hypothesisId: number | null) => {
    setChanged(true);
    onChange(hypothesisId);
  };
  if (value === null) {
    const search = { projectKey, error, label, hint, name };
    return <Search {...search} onChange={change} takesFocus={isChanged} />;
  }
  return (
    <div role="group" aria-labelledby={labelId} className="flex flex-col gap-1">
      <span id={labelId} className="font-medium">
        {label}
      </span>
      <Chosen projectKey={projectKey} hypothesisId={value} takesFocus={isChanged} onRemove={() => change(null)} />
      {error && <FieldError>{error}</FieldError>}
    </div>
  );
}

interface SearchProps extends Omit<FieldProps, "value"> {
  label: string;
  hint: string;
  name: string;
  takesFocus: boolean;
}

function Search({ projectKey, onChange, error, label, hint, name, takesFocus }: SearchProps) {
  const [typed, setTyped] = useState("");
  const search = useDelayed(typed.trim(), SEARCH_DELAY_MS);
  const found = useQuery({
    ...query("/v2/project/{project_key}/hypotheses", {
      path: { project_key: projectKey },
      query: { search: search || undefined, limit: MOST },
    }),
    placeholderData: (before) => before,
  });
  return (
    <SearchPick
      label={label}
      hint={hint}
      name={name}
      placeholder="Search in observations, problems and solutions"
      error={error}
      typed={typed}
      onType={setTyped}
      found={found.isError ? [] : found.data?.hypotheses}
      nothing={
        found.isError
          ? failureFrom(found.error).message
          : typed.trim() === ""
            ? "This project has no hypotheses yet. You can continue without one."
            : "No hypothesis matches."
      }
      keyOf={(one) => one.hypothesis_id}
      show={(one) => <Excerpt texts={one} />}
      onPick={(one) => onChange(one.hypothesis_id)}
      takesFocus={takesFocus}
    />
  );
}

function Chosen({
  projectKey,
  hypothesisId,
  takesFocus,
  onRemove,
}: {
  projectKey: string;
  hypothesisId: number;
  takesFocus: boolean;
  onRemove: () => void;
}) {
  const remove = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (takesFocus) remove.current?.focus();
  }, [takesFocus]);
  const read = useQuery(
    query("/v2/project/{project_key}/hypothesis/{hypothesis_id}", {
      path: { project_key: projectKey, hypothesis_id: hypothesisId },
    }),
  );
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 rounded-md border border-line bg-sunken px-3 py-2.5">
      <div className="min-w-0 flex-1 basis-60">
        {read.isError ? (
          <ErrorPanel error={read.error} retry={() => read.refetch()} />
        ) : read.data ? (
          <Excerpt texts={read.data.hypothesis} whole />
        ) : (
          <div aria-busy="true" className="skeleton my-1 h-10" />
        )}
      </div>
      <div className="flex items-center gap-3">
        <Link
          to={"/p/$projectKey/hypotheses/$hypothesisId" as "/"}
          params={{ projectKey, hypothesisId: String(hypothesisId) } as never}
          className="link text-sm"
        >
          Open
        </Link>
        <Button ref={remove} small onClick={onRemove} aria-label="Remove the hypothesis">
          Remove
        </Button>
      </div>
    </div>
  );
}

/** Texts of a hypothesis. In a list, only the first line of each. */
export function Excerpt({ texts, whole = false }: { texts: Texts; whole?: boolean }) {
  const { problem, solution, observation, hypothesis_id } = texts;
  const [title, ...others] = [problem, solution, observation].filter((text) => text);
  const cut = whole ? "break-words whitespace-pre-line" : "truncate";
  return (
    <>
      <p className={`font-medium ${cut}`}>{title ?? `Hypothesis ${hypothesis_id}`}</p>
      {others.map((text) => (
        <p key={text} className={`text-sm text-soft ${cut}`}>
          {text}
        </p>
      ))}
    </>
  );
}
