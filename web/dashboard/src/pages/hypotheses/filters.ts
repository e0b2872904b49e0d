// What the list of hypotheses shows, as it stands in the address.

import { text, word } from "~/lib/search";

export interface HypothesisFilters {
  search?: string;
  /** A board unless said. */
  view?: "table";
  /** Without the archive unless said. */
  archived?: "include";
}

export function readHypothesisFilters(search: Record<string, unknown>): HypothesisFilters {
  return {
    search: text(search.search),
    view: word(search.view, ["table"] as const),
    archived: word(search.archived, ["include"] as const),
  };
}
