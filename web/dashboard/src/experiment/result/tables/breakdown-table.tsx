// The variants in each segment of the visitors. It is for ideas, not for decisions: many segments are compared without
// a correction.

import type { ReactNode } from "react";
import { useState } from "react";
import { integer } from "~/lib/format";
import { Button } from "~/ui/button";
import { GroupedTable } from "~/ui/grouped-table";
import { usePrinting } from "~/ui/scheme";
import type { Column } from "~/ui/table";
import { ArmNames } from "../arm-name";
import { Exploratory } from "../exploratory";
import { percentChange } from "../interval-words";
import { LiftShown, moneyColumns, RateShown } from "../lift";
import { valueWords } from "../question-words";
import { armOf, hasRevenue, type Part, type PartArm, partKey, type Result } from "../reading";

interface Row {
  id: string;
  arm: PartArm;
  isControl: boolean;
}

/** Number of segments that are shown at first. */
const AT_ONCE = 10;

interface BreakdownProps {
  result: Result;
  /** Action on a segment, such as a filter for it. */
  actOf?: (part: Part) => ReactNode;
}

export function BreakdownTable({ result, actOf }: BreakdownProps) {
  const [isWhole, setWhole] = useState(false);
  const isPrinting = usePrinting();
  const parts = result.breakdowns;
  const more = parts.length - AT_ONCE;
  return (
    <>
      <GroupedTable<Part, Row>
        label="Segments"
        groupName="Segment"
        groups={isWhole || isPrinting ? parts : parts.slice(0, AT_ONCE)}
        keyOf={partKey}
        headOf={(part) => (
          <span className="flex flex-col items-start gap-0.5">
            <span className="max-w-full font-medium break-words">{partName(part)}</span>
            <Exploratory of={part} />
            {actOf?.(part)}
          </span>
        )}
        rowsOf={({ variants }) => variants.map((arm, at) => ({ id: arm.variant_id, arm, isControl: at === 0 }))}
        keyOfRow={({ id }) => id}
        columns={columnsOf(result)}
      />
      {more > 0 && !isPrinting && (
        <div className="border-t border-line px-4 py-3 md:px-5">
          {/* The button stays, and keeps the focus. */}
          <Button small onClick={() => setWhole(!isWhole)}>
            {isWhole ? `Show the first ${AT_ONCE}` : `Show ${more} more`}
          </Button>
        </div>
      )}
    </>
  );
}

export function partName({ dimension, value, is_rest: isRest }: Part): string {
  return valueWords(dimension, value, isRest);
}

function columnsOf(result: Result): Column<Row>[] {
  return [
    {
      name: "Variant",
      isName: true,
      cell: ({ id }) => {
        const arm = armOf(result, id);
        return arm ? (
          <span className="flex flex-wrap gap-x-2">
            <ArmNames name={arm.name} nickname={arm.nickname} />
          </span>
        ) : (
          id
        );
      },
    },
    { name: "Visitors", isNumber: true, cell: ({ arm }) => integer(arm.visitors) },
    { name: "Rate", isNumber: true, cell: ({ arm }) => <RateShown of={arm} /> },
    ...(hasRevenue(result)
      ? moneyColumns(
          ({ arm }: Row) => arm,
          () => result.currency,
        )
      : []),
    {
      name: "Change, seen",
      isNumber: true,
      cell: ({ arm, isControl }) => (isControl ? null : percentChange(arm.improvement)),
    },
    {
      name: "Lift, inferred",
      isNumber: true,
      cell: ({ arm, isControl }) => (isControl ? null : <LiftShown of={arm} />),
    },
  ];
}
