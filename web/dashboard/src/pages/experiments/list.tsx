// The list: rows of a table, or cards on narrow screens. Only rows near the window are in the document, so that
// thousands of rows scroll well.

import { Link } from "@tanstack/react-router";
import { useWindowVirtualizer, type VirtualItem } from "@tanstack/react-virtual";
import { memo, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useSession } from "~/api/session";
import { ago, count, date, integer, moment, NOTHING } from "~/lib/format";
import { names } from "~/lib/names";
import { HEALTH, OUTCOME, SERVED, STATUS, UNDECIDED, VERDICT, wordOf } from "~/lib/words";
import { Badge, Dot, WordBadge } from "~/ui/badge";
import { Icon } from "~/ui/icon";
import { BEGINS_DOWN, DEFAULT_SORT, type Filters, type Item, type SortKey } from "./filters";
import { SORT_NAMES } from "./toolbar";

const ROW_PX = 65;
const CARD_PX = 150;
/** Rows outside the window that are in the document. */
const OVERSCAN = 8;
/** The next page is read when this number of loaded rows is left below. */
const AHEAD = 60;

/**
 * Heights of the rows that were shown last, for one width of the window. With them, a user who returns to the list is
 * at the same rows. With estimated heights, other rows would be at the same scroll position.
 */
let kept: { width: number; heights: VirtualItem[] } = { width: 0, heights: [] };

interface ListProps {
  items: Item[];
  total: number;
  sort: Filters["sort"];
  showsProject: boolean;
  /** True when the rows are those of the previous filters, and the new ones are in flight. */
  isStale: boolean;
  change: (changes: Partial<Filters>) => void;
  selected: ReadonlyMap<number, Item>;
  select: (selected: ReadonlyMap<number, Item>) => void;
  /** Reads the next page; undefined if the last page is loaded, or the next one is in flight. */
  more: (() => unknown) | undefined;
}

const grid = "grid-cols-[1.25rem_minmax(0,1fr)_5.5rem_7.5rem_4.5rem_5rem_8.5rem]";

export function List({
  items,
  total,
  sort = DEFAULT_SORT,
  showsProject,
  isStale,
  change,
  selected,
  select,
  more,
}: ListProps) {
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(body.current?.offsetTop ?? 0), []);
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => (innerWidth < 832 ? CARD_PX : ROW_PX),
    getItemKey: (at) => items[at]?.test_id ?? at,
    overscan: OVERSCAN,
    scrollMargin: top,
    initialMeasurementsCache: kept.width === innerWidth ? kept.heights : [],
  });
  useEffect(() => () => void (kept = { width: innerWidth, heights: rows.takeSnapshot() }), [rows]);
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= items.length - AHEAD) more?.();
  }, [last, items.length, more]);

  const toggle = (item: Item) => {
    const next = new Map(selected);
    if (!next.delete(item.test_id)) next.set(item.test_id, item);
    select(next);
  };
  const allSelected = items.every((item) => selected.has(item.test_id));

  return (
    <div
      role="table"
      aria-label="Experiments"
      aria-rowcount={total + 1}
      className={names("rounded-lg border border-line bg-panel", isStale && "opacity-60")}
    >
      <div role="rowgroup" className="sticky top-0 z-10 rounded-t-lg border-b border-line bg-panel max-md:hidden">
        <div
          role="row"
          aria-rowindex={1}
          className={names("grid items-center gap-x-3 px-4 py-1.5 text-sm text-soft", grid)}
        >
          <div role="columnheader" aria-label="Selected">
            <input
              type="checkbox"
              aria-label="Select all that are loaded"
              checked={allSelected}
              onChange={() => select(allSelected ? new Map() : new Map(items.map((item) => [item.test_id, item])))}
              className="size-4 accent-accent-fill align-middle"
            />
          </div>
          <Heading of="test_name" sort={sort} change={change} text={count(total, "experiment")} />
          <Heading of="status" sort={sort} change={change} />
          <Heading of="verdict" sort={sort} change={change} />
          <Heading of="visitors" sort={sort} change={change} isNumber />
          <Heading of="days" sort={sort} change={change} isNumber />
          <Heading of="last_change" sort={sort} change={change} />
        </div>
      </div>
      <div ref={body} role="rowgroup" className="relative" style={{ height: rows.getTotalSize() }}>
        {shown.map((row) => {
          const item = items[row.index]!;
          return (
            <div
              key={row.key}
              ref={rows.measureElement}
              data-index={row.index}
              role="row"
              aria-rowindex={row.index + 2}
              className="absolute inset-x-0 top-0 border-b border-line"
              style={{ transform: `translateY(${row.start - top}px)` }}
            >
              <Row item={item} showsProject={showsProject} isSelected={selected.has(item.test_id)} toggle={toggle} />
            </div>
          );
        })}
      </div>
      {items.length < total && (
        <p className="px-4 py-3 text-center text-sm text-soft" aria-hidden="true">
          {integer(items.length)} of {integer(total)} loaded
        </p>
      )}
    </div>
  );
}

interface HeadingProps {
  of: SortKey;
  sort: NonNullable<Filters["sort"]>;
  change: ListProps["change"];
  isNumber?: boolean;
  /** Replaces the name of the sort key. */
  text?: string;
}

function Heading({ of, sort, change, isNumber = false, text }: HeadingProps) {
  const isOn = sort === of || sort === `-${of}`;
  const isDown = sort === `-${of}`;
  const next = isOn ? (isDown ? of : (`-${of}` as const)) : BEGINS_DOWN.includes(of) ? (`-${of}` as const) : of;
  return (
    <div
      role="columnheader"
      aria-sort={isOn ? (isDown ? "descending" : "ascending") : "none"}
      className={isNumber ? "text-right" : of === "last_change" ? "pl-3" : undefined}
    >
      <button
        type="button"
        onClick={() => change({ sort: next === DEFAULT_SORT ? undefined : next })}
        aria-label={`${text ?? SORT_NAMES[of]}: sort by ${SORT_NAMES[of].toLowerCase()}`}
        className={names("inline-flex items-center gap-1 rounded-sm font-medium hover:text-ink", isOn && "text-ink")}
      >
        {text ?? SORT_NAMES[of]}
        {isOn && <Icon name={isDown ? "arrowDown" : "arrowUp"} className="size-3" />}
      </button>
    </div>
  );
}

interface RowProps {
  item: Item;
  showsProject: boolean;
  isSelected: boolean;
  toggle: (item: Item) => void;
}

const Row = memo(function Row({ item, showsProject, isSelected, toggle }: RowProps) {
  const { projects } = useSession();
  const project = projects.find((one) => one.project_key === item.project_key);
  return (
    <div
      className={names(
        "gap-x-3 px-4 hover:bg-accent-wash/30 max-md:flex max-md:flex-wrap max-md:items-center max-md:gap-y-1 max-md:py-3 md:grid md:min-h-16 md:items-center md:py-2",
        grid,
        isSelected && "bg-accent-wash/60",
      )}
    >
      <div role="cell" className="max-md:order-2 max-md:-mt-px">
        <input
          type="checkbox"
          aria-label={`Select ${item.test_name}`}
          checked={isSelected}
          onChange={() => toggle(item)}
          className="size-4 accent-accent-fill align-middle pointer-coarse:size-5"
        />
      </div>
      <div role="cell" className="min-w-0 max-md:w-full">
        <div className="flex min-w-0 items-baseline gap-2">
          <Link
            to="/p/$projectKey/experiments/$testId"
            params={{ projectKey: item.project_key, testId: String(item.test_id) }}
            className="min-w-0 font-medium text-ink no-underline hover:underline max-md:line-clamp-2 md:truncate"
          >
            {item.test_name}
          </Link>
          {item.archived && <Badge>Archived</Badge>}
          {showsProject && <span className="max-w-32 shrink-0 truncate text-sm text-soft">{project?.name}</span>}
          <Tags tags={item.tags} />
        </div>
        <p className="line-clamp-3 text-pretty text-soft md:line-clamp-2" title={item.sentence}>
          {item.sentence}
        </p>
      </div>
      <div role="cell" className="max-md:order-2">
        {item.is_deploy === 1 ? <Dot word={SERVED} /> : <Dot word={STATUS[item.status]} hollow={item.status !== 1} />}
      </div>
      <div role="cell" className="flex flex-col items-start gap-0.5 max-md:order-2 max-md:flex-row max-md:gap-2">
        <Verdict item={item} />
      </div>
      <div role="cell" className="num max-md:order-2 md:text-right">
        {integer(item.visitors)}
        <span className="text-soft md:sr-only"> visitors</span>
      </div>
      <div role="cell" className="num leading-tight max-md:order-2 md:text-right">
        {item.days === null ? (
          <span className="max-md:hidden">{NOTHING}</span>
        ) : (
          <>
            {count(item.days, "day")}
            {item.days_left !== null && item.status === 1 && (
              <span className="text-sm text-soft md:block">
                <span className="md:hidden">, </span>
                {item.days_left > 0 ? `${integer(item.days_left)} left` : "complete"}
              </span>
            )}
          </>
        )}
      </div>
      <div role="cell" className="min-w-0 pl-3 leading-tight max-md:hidden" title={moment(item.last_change.at)}>
        <span className="block truncate">{ago(item.last_change.at)}</span>
        <span className="block truncate text-sm text-soft">{item.last_change.actor.name}</span>
      </div>
    </div>
  );
});

function Tags({ tags }: { tags: string[] }) {
  const [first, ...others] = tags;
  if (first === undefined) return null;
  return (
    <span className="flex shrink-0 items-baseline gap-1 max-xl:hidden">
      <Link
        from="/experiments"
        to="/experiments"
        search={(before) => ({ ...before, tag: first })}
        title={tags.join(", ")}
        aria-label={`Filter by the tag ${first}`}
        className="inline-block max-w-32 truncate rounded-full border border-line px-2 text-xs leading-4.5 text-soft no-underline hover:border-edge hover:text-ink"
      >
        {first}
      </Link>
      {others.length > 0 && <span className="text-xs text-soft">+{others.length}</span>}
    </span>
  );
}

/** The outcome, else the verdict, with the health if it is not good. */
function Verdict({ item }: { item: Item }) {
  const word =
    item.outcome !== null
      ? wordOf(OUTCOME, item.outcome)
      : item.verdict === "keep_running" && item.status !== 1
        ? UNDECIDED
        : item.verdict !== null
          ? wordOf(VERDICT, item.verdict)
          : undefined;
  const isIll = item.health === "warn" || item.health === "fail";
  return (
    <>
      {word ? <WordBadge word={word} /> : !isIll && <span className="text-soft max-md:hidden">{NOTHING}</span>}
      {isIll && (
        <span
          className={names(
            "inline-flex items-center gap-1 text-xs font-medium",
            item.health === "fail" ? "text-bad" : "text-caution",
          )}
          title={item.as_of ? `As of ${date(item.as_of)}` : undefined}
        >
          <Icon name="warning" className="size-3.5" />
          {HEALTH[item.health].text}
        </span>
      )}
    </>
  );
}

export function ListSkeleton() {
  return (
    <div className="rounded-lg border border-line bg-panel" aria-hidden="true">
      {Array.from({ length: 8 }, (_, at) => (
        <div key={at} className="flex h-16 flex-col justify-center gap-2 border-b border-line px-4 last:border-0">
          <div className="skeleton h-3.5 w-1/3" />
          <div className="skeleton h-3 w-1/2" />
        </div>
      ))}
    </div>
  );
}
