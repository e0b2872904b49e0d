// Tables of up to a few hundred rows. Below 480 px they become cards, in which each cell has its column's name before
// it. Longer lists are virtualised; see pages/experiments.

import type { ReactNode } from "react";
import { names } from "~/lib/names";
import { Scroller } from "./scroller";

export interface Column<T> {
  /** The heading, and the name before the value in cards. */
  name: string;
  cell: (row: T) => ReactNode;
  /** True for numbers, which are aligned at the end. */
  isNumber?: boolean;
  /** True for the column that names the row: the first. */
  isName?: boolean;
  /** True for actions: the heading is only for screen readers, and cards have no name before them. */
  isActs?: boolean;
}

interface TableProps<T> {
  /** Describes the rows, for screen readers. */
  label: string;
  columns: Column<T>[];
  rows: T[];
  keyOf: (row: T) => string | number;
}

export function Table<T>({ label, columns, rows, keyOf }: TableProps<T>) {
  return (
    <Scroller label={label}>
      {/* The roles are explicit because `display: block` removes them. */}
      <table role="table" aria-label={label} className="w-full border-collapse max-xs:block">
        <thead role="rowgroup" className="max-xs:sr-only">
          <tr role="row">
            {columns.map((column) => (
              <th
                key={column.name}
                role="columnheader"
                scope="col"
                className={names(
                  "border-b border-line px-3 py-2 text-sm font-medium whitespace-nowrap text-soft first:pl-4 last:pr-4 md:first:pl-5 md:last:pr-5",
                  column.isNumber ? "text-right" : "text-left",
                )}
              >
                {column.isActs ? <span className="sr-only">{column.name}</span> : column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" className="max-xs:block">
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              role="row"
              className="border-b border-line last:border-0 max-xs:flex max-xs:flex-col max-xs:gap-1 max-xs:px-4 max-xs:py-3"
            >
              {columns.map((column) => (
                <td
                  key={column.name}
                  role="cell"
                  className={names(
                    "px-3 py-2.5 align-top first:pl-4 last:pr-4 max-xs:flex max-xs:gap-3 max-xs:p-0! md:first:pl-5 md:last:pr-5",
                    column.isNumber && "num xs:text-right",
                    column.isActs && "max-xs:mt-1 xs:text-right",
                  )}
                >
                  {!column.isName && !column.isActs && (
                    <span aria-hidden="true" className="w-28 shrink-0 text-soft xs:hidden">
                      {column.name}
                    </span>
                  )}
                  <div className="min-w-0 max-xs:flex-1">{column.cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}
