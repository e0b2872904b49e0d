// The experiment to copy. The search covers the project, with its archive.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { failureFrom } from "~/api/failure";
import { query } from "~/api/query";
import { useDelayed } from "~/lib/delayed";
import { STATUS } from "~/lib/words";
import { Button } from "~/ui/button";
import { SearchPick } from "~/ui/search-pick";

const SEARCH_DELAY_MS = 150;
const MOST = 20;

interface CopyProps {
  projectKey: string;
  value: number | null;
  /** Name of the chosen experiment; undefined until it is known. */
  name: string | undefined;
  onChange: (testId: number | null) => void;
  error?: string | undefined;
}

export function CopyField({ projectKey, value, name, onChange, error }: CopyProps) {
  const [typed, setTyped] = useState("");
  const [isChanged, setChanged] = useState(false);
  const search = useDelayed(typed.trim(), SEARCH_DELAY_MS);
  const found = useQuery({
    ...query("/v2/overview", {
      query: { project: projectKey, search: search || undefined, archived: "include", limit: MOST },
    }),
    placeholderData: (before) => before,
    enabled: value === null,
  });
  if (value !== null) {
    return (
      <div role="group" aria-label="Experiment to copy" className="flex flex-col gap-1">
        <span className="font-medium">Experiment to copy</span>
        <div className="flex items-center justify-between gap-3 rounded-md border border-line bg-sunken px-3 py-2">
          <span className="min-w-0 break-words">{name ?? `Experiment ${value}`}</span>
          <Button
            small
            onClick={() => {
              setChanged(true);
              onChange(null);
            }}
          >
            Choose another
          </Button>
        </div>
      </div>
    );
  }
  return (
    <SearchPick
      label="Experiment to copy"
      name="copy"
      placeholder="Search by name, key, page or tag"
      error={error}
      typed={typed}
      onType={setTyped}
      found={found.isError ? [] : found.data?.items}
      nothing={found.isError ? failureFrom(found.error).message : "No experiment of this project matches."}
      keyOf={(one) => one.test_id}
      show={(one) => (
        <span className="flex items-baseline justify-between gap-3">
          <span className="min-w-0 truncate">{one.test_name}</span>
          <span className="shrink-0 text-sm text-soft">
            {one.archived ? "In the archive" : STATUS[one.status].text}
          </span>
        </span>
      )}
      onPick={(one) => onChange(one.test_id)}
      takesFocus={isChanged}
    />
  );
}
