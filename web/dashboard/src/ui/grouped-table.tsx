// A table whose rows belong to groups, such as the arms of each metric. The group is named once, next to its rows. If
// the table is too narrow for its columns, each group is a card, with its rows below each other.

import type { ReactNode } from "react";
import { names } from "~/lib/names";
import type { Column } from "./table";

interface GroupedTableProps<G, R> {
  /** Describes the rows, for screen readers. */
  label: string;
  /** The heading over the groups. */
  groupName: string;
  groups: readonly G[];
  keyOf: (group: G) => string;
  headOf: (group: G) => ReactNode;
  rowsOf: (group: G) => readonly R[];
  keyOfRow: (row: R) => string;
  columns: readonly Column<R>[];
}

const EDGES = "first:pl-4 last:pr-4 md:first:pl-5 md:last:pr-5";
const HEADING = names("border-b border-line px-3 py-2 text-sm font-medium text-soft", EDGES);
/** Tables with more columns need the width that they have at 1280 px. */
const MANY_COLUMNS = 6;

export function GroupedTable<G, R>(props: GroupedTableProps<G, R>) {
  const { label, groupName, groups, keyOf, columns } = props;
  return (
    <div className="@container" data-cards={columns.length > MANY_COLUMNS ? "early" : "late"}>
      {/* The roles are explicit because `display: block` removes them. */}
      <table role="table" aria-label={label} className="w-full border-collapse cards:block">
        <thead role="rowgroup" className="cards:sr-only">
          <tr role="row">
            <th role="columnheader" scope="col" className={names(HEADING, "text-left")}>
              {groupName}
            </th>
            {columns.map(({ name, isNumber }) => (
              <th
                key={name}
                role="columnheader"
                scope="col"
                className={names(
                  HEADING,
                  isNumber ? "text-right" : "text-left",
                  name.length < 12 && "whitespace-nowrap",
                )}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        {groups.map((group) => (
          <Group key={keyOf(group)} {...props} group={group} />
        ))}
      </table>
    </div>
  );
}

function Group<G, R>({ group, headOf, rowsOf, keyOfRow, columns }: GroupedTableProps<G, R> & { group: G }) {
  const rows = rowsOf(group);
  return (
    <tbody
      role="rowgroup"
      className="border-b border-line last:border-0 cards:block cards:px-4 cards:pt-1 cards:pb-3 md:cards:px-5"
    >
      {rows.map((row, at) => (
        <tr key={keyOfRow(row)} role="row" className="cards:flex cards:flex-col cards:gap-0.5 cards:pt-2">
          {at === 0 && (
            <th
              role="rowheader"
              scope="rowgroup"
              rowSpan={rows.length}
              className={names("max-w-70 px-3 py-2.5 text-left align-top font-normal cards:p-0! cards:pb-1!", EDGES)}
            >
              {headOf(group)}
            </th>
          )}
          {columns.map((column) => (
            <Cell key={column.name} column={column} row={row} />
          ))}
        </tr>
      ))}
    </tbody>
  );
}

function Cell<R>({ column, row }: { column: Column<R>; row: R }) {
  const content = column.cell(row);
  return (
    <td
      role="cell"
      className={names(
        "px-3 py-2.5 align-top last:pr-4 cards:flex cards:gap-3 cards:p-0! md:last:pr-5",
        column.isNumber && "num text-right cards:text-left",
        // In a card, a name without a value is useless.
        (content === null || content === "") && "cards:hidden",
      )}
    >
      {!column.isName && (
        <span aria-hidden="true" className="hidden w-28 shrink-0 whitespace-normal text-soft cards:block">
          {column.name}
        </span>
      )}
      <div className="min-w-0 cards:flex-1">{content}</div>
    </td>
  );
}
