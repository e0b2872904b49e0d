// The result by one attribute of the visitors, combined with the filters above.

import { useRef } from "react";
import { Button } from "~/ui/button";
import { Select } from "~/ui/field";
import { HowToRead } from "~/ui/how-to-read";
import { Card, Note } from "~/ui/layout";
import { BreakdownTable, partName } from "~/experiment/result/tables/breakdown-table";
import { DIMENSIONS, type Dimension, filterOf, type Question } from "~/experiment/result/question";
import { DIMENSION } from "~/experiment/result/question-words";
import type { Part, Result } from "~/experiment/result/reading";

interface BreakdownCardProps {
  result: Result;
  /** Question that the result answers. */
  question: Question;
  change: (changes: Partial<Question>) => void;
  /** True when the answer to another question is in flight. */
  isFormer: boolean;
}

export function BreakdownCard({ result, question, change, isFormer }: BreakdownCardProps) {
  const { breakdown_by: dimension, filter_by: filterBy = [] } = question;
  const by = useRef<HTMLDivElement>(null);
  const filterFor = (part: Part) => {
    const filter = filterOf(part.dimension, part.value);
    if (filter === undefined || part.is_rest || filterBy.includes(filter)) return null;
    return (
      <Button
        small
        kind="quiet"
        className="-ml-2 text-accent!"
        onClick={() => {
          change({ filter_by: [...filterBy, filter] });
          // The button disappears, and would take the focus with it.
          by.current?.querySelector("select")?.focus();
        }}
      >
        Only these<span className="sr-only">: {partName(part)}</span>
      </Button>
    );
  };
  return (
    <Card flush title="Segments" about="The same comparison for each segment of visitors. The filters above apply.">
      <div ref={by} className="flex flex-col gap-3 px-4 pb-4 md:px-5">
        <BySelect value={dimension} change={change} />
        {isFormer && <p className="text-sm text-soft">Waiting for the new numbers…</p>}
        {dimension !== undefined && (
          <>
            <Note>
              Ideas for the next experiment, not verdicts. One in twenty segments stands out by chance, and nothing here
              corrects for that.
            </Note>
            <HowToRead>
              <p>
                A visitor belongs to the segment that applied on entry. The 50 largest segments are shown, then all
                others together. Intervals are wider than above, as each segment has fewer visitors.
              </p>
              <p>
                A segment that does much better or worse than the others is worth an experiment of its own: write a
                hypothesis, and test it on these visitors.
              </p>
            </HowToRead>
          </>
        )}
      </div>
      {dimension !== undefined &&
        (result.breakdowns.length > 0 ? (
          <BreakdownTable key={dimension} result={result} actOf={filterFor} />
        ) : (
          <p className="px-4 pb-4 text-soft md:px-5">There are no segments: nobody entered.</p>
        ))}
    </Card>
  );
}

function BySelect({ value, change }: { value: Dimension | undefined; change: BreakdownCardProps["change"] }) {
  return (
    <Select
      label="Break down by"
      className="max-w-72"
      value={value ?? ""}
      onChange={({ target }) => change({ breakdown_by: (target.value || undefined) as Dimension | undefined })}
    >
      <option value="">Nothing</option>
      {DIMENSIONS.map((one) => (
        <option key={one} value={one}>
          {DIMENSION[one]}
        </option>
      ))}
    </Select>
  );
}
