// Filters of the list of hypotheses, in the address.

import { text, word } from "~/lib/search";

export interface HypothesisFilters {
  search?: string;
  /** Default: a board. */
  view?: "table";
  /** Default: without the archive. */
  archived?: "include";
}

export function readHypothesisFilters(search: Record<string, unknown>): HypothesisFilters {
  return {
    search: text(search.search),
    view: word(search.view, ["table"] as const),
    archived: word(search.archived, ["include"] as const),
  };
}
