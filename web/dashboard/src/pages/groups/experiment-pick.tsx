// Finds an experiment of the project by a few letters, or by `#` and its id.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { query } from "~/api/query";
import { useDelayed } from "~/lib/delayed";
import { STATUS } from "~/lib/words";
import { SearchPick } from "~/ui/search-pick";

const FOUND = 20;
const DELAY_MS = 120;

interface PickProps {
  projectKey: string;
  label: string;
  /** Experiments that are already in the group, which are not offered. */
  chosen: number[];
  onPick: (testId: number) => void;
}

export function ExperimentPick({ projectKey, label, chosen, onPick }: PickProps) {
  const [typed, setTyped] = useState("");
  const search = useDelayed(typed.trim(), DELAY_MS);
  const answer = useQuery({
    ...query("/v2/overview", {
      query: { project: projectKey, sort: "-last_change", limit: FOUND, ...(search && { search }) },
    }),
    placeholderData: keepPreviousData,
  });
  const isCurrent = search === typed.trim() && !answer.isPlaceholderData;
  return (
    <SearchPick
      label={label}
      name="experiment"
      placeholder="Name, key, page or #id"
      typed={typed}
      onType={setTyped}
      found={
        answer.isError
          ? []
          : isCurrent
            ? answer.data?.items.filter(({ test_id: id }) => !chosen.includes(id))
            : undefined
      }
      nothing={answer.isError ? "The search failed. Change the text to try again." : "No other experiment matches."}
      keyOf={({ test_id: id }) => id}
      show={({ test_name: name, status }) => (
        <>
          {name} <span className="text-sm text-soft">{STATUS[status].text}</span>
        </>
      )}
      onPick={({ test_id: id }) => {
        setTyped("");
        onPick(id);
      }}
    />
  );
}
