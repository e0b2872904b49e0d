// Concluded experiments, newest first, with search, filters and export as a table.

import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { count, integer } from "~/lib/format";
import { OUTCOME, textsOf } from "~/lib/words";
import { Button } from "~/ui/button";
import { FilterMenu } from "~/ui/filter-menu";
import { HowToRead } from "~/ui/how-to-read";
import { Card, Empty } from "~/ui/layout";
import { SearchBox } from "~/ui/search-box";
import { ConcludedItem, domainOfAll } from "./concluded-item";
import { Download } from "./download";
import {
  type ChangeFilters,
  type FilteredProgramme,
  narrowsList,
  OUTCOMES,
  type Outcome,
  type ProgrammeFilters,
} from "./filters";

const OUTCOME_NAMES: Record<Outcome, string> = textsOf(OUTCOME);

interface ListProps {
  programme: UseInfiniteQueryResult<InfiniteData<FilteredProgramme>>;
  /** Current data, which may be that of the previous filters; undefined if it could not be read. */
  shown: FilteredProgramme | undefined;
  /** Filters in the address. */
  filters: ProgrammeFilters;
  change: ChangeFilters;
}

export function ConcludedList({ programme, shown, filters, change }: ListProps) {
  // An experiment that was reopened and concluded again between two reads is on two pages.
  const items = useMemo(
    () => [
      ...new Map(
        programme.data?.pages.flatMap((page) => page.items.map((item) => [item.test_id, item] as const)),
      ).values(),
    ],
    [programme.data],
  );
  const total = shown?.total ?? 0;
  const bar = useRef<HTMLDivElement>(null);
  const clear = () => {
    change({ search: undefined, outcome: undefined });
    // The button disappears, and would take the focus with it.
    bar.current?.querySelector("input")?.focus();
  };
  const domain = useMemo(() => domainOfAll(items), [items]);
  return (
    <Card
      flush
      title="What was learned"
      actions={shown && total > 0 && <Download filters={shown.filters} total={total} />}
    >
      <div
        ref={bar}
        role="search"
        aria-label="Concluded experiments"
        className="flex flex-wrap items-center gap-2 px-4 pb-3 md:px-5"
      >
        <SearchBox
          label="Search by name, key, page, tag, note or what was learned"
          value={filters.search ?? ""}
          change={(search) => change({ search: search || undefined }, true)}
        />
        <FilterMenu
          name="Outcome"
          words={OUTCOMES}
          texts={OUTCOME_NAMES}
          value={filters.outcome}
          change={(outcome) => change({ outcome })}
        />
        {narrowsList(filters) && (
          <Button kind="quiet" onClick={clear}>
            Clear
          </Button>
        )}
        <p role="status" className="text-soft">
          {shown && count(total, "experiment")}
        </p>
      </div>
      {items.length > 0 && <Explained />}
      {items.length > 0 ? (
        <ul aria-label="Concluded experiments" className="border-t border-line">
          {items.map((item) => (
            <ConcludedItem key={item.test_id} item={item} domain={domain} />
          ))}
        </ul>
      ) : (
        shown && (
          <Empty
            icon="search"
            title="No experiment matches"
            action={<Button onClick={clear}>Show all concluded experiments</Button>}
          >
            Remove filters to find more.
          </Empty>
        )
      )}
      <More programme={programme} shown={items.length} total={total} />
    </Card>
  );
}

function More({ programme, shown, total }: Pick<ListProps, "programme"> & { shown: number; total: number }) {
  if (!programme.hasNextPage) return null;
  return (
    <div className="flex flex-wrap items-center justify-center gap-3 border-t border-line px-4 py-3">
      <span className="text-soft">
        {integer(shown)} of {integer(total)}
      </span>
      <Button isBusy={programme.isFetchingNextPage} onClick={() => programme.fetchNextPage()}>
        Show more
      </Button>
    </div>
  );
}

function Explained() {
  return (
    <div className="px-4 pb-3 md:px-5">
      <HowToRead>
        <p>
          “Shown” is the lift in the result when the experiment was concluded, with its interval. It is that of the
          variant that is served, or else of the variant with the highest lift. In the picture it has a hollow dot.
        </p>
        <p>
          “Expected” is the best estimate of the true lift. It is usually smaller, because results that look best are
          partly luck. The true lift is within its interval with a probability of 95{"\u00a0"}%. In the picture it has a
          filled dot. All pictures of the list have one scale. The line marks a lift of 0, and an arrow shows that an
          interval continues.
        </p>
      </HowToRead>
    </div>
  );
}
