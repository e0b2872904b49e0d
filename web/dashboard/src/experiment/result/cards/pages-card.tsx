// Health of the variants' pages: errors, late variants and web vitals, each compared with the control. All checks
// together raise a false alarm in at most 5 % of experiments, on whatever days they are read.

import type { Schemas } from "~/api/query";
import { capital } from "~/lib/capital";
import { count, decimal, integer, moment, NOTHING, percentage, signed } from "~/lib/format";
import type { Word } from "~/lib/words";
import { WordBadge } from "~/ui/badge";
import { GroupedTable } from "~/ui/grouped-table";
import { HowToRead } from "~/ui/how-to-read";
import { Card } from "~/ui/layout";
import type { Column } from "~/ui/table";
import { ArmName } from "../arm-name";
import { Below } from "../lift";
import { armOf, type Result } from "../reading";

type PageArm = Schemas["PageHealth"];
type Measured = Schemas["PageShare"] | Schemas["PageMean"];

export function PagesCard({ result }: { result: Result }) {
  const arms = result.page_health;
  if (arms.length === 0) return null;
  const said = arms.filter(({ message }) => message !== "");
  return (
    <Card
      flush
      title="Pages of the variants"
      about="Whether a variant breaks the pages that visitors see, or slows them down."
    >
      <div className="flex flex-col gap-3 px-4 pb-3 md:px-5">
        {said.map(({ variant_id: id, message }) => (
          <p key={id} className="max-w-160 break-words">
            {message}
          </p>
        ))}
        <HowToRead>
          <PagesHelp />
        </HowToRead>
      </div>
      <GroupedTable<PageArm, PageArm>
        label="Pages of the variants"
        groupName="Variant"
        groups={arms}
        keyOf={({ variant_id: id }) => id}
        headOf={(of) => <Arm result={result} of={of} />}
        rowsOf={(of) => [of]}
        keyOfRow={({ variant_id: id }) => id}
        columns={COLUMNS}
      />
      <Errors arms={arms} />
      <Matches arms={arms} />
    </Card>
  );
}

function Arm({ result, of }: { result: Result; of: PageArm }) {
  const arm = armOf(result, of.variant_id);
  return arm ? <ArmName arm={arm} isServed={arm.variant_id === result.serving_variant_id} /> : of.name;
}

const milliseconds = (value: number | null) => (value === null ? NOTHING : `${integer(Math.round(value))}\u00a0ms`);
const moreMilliseconds = (value: number) => signed(value, "ms", 0);
const points = (value: number) => signed(value, "points", 2);
const score = (value: number) => signed(value, "", 3).trim();

const COLUMNS: Column<PageArm>[] = [
  {
    name: "Visitors with errors",
    isNumber: true,
    cell: ({ errors }) => <Cell of={errors} value={percentage(errors.percent)} write={points} />,
  },
  {
    name: "Variant came late",
    isNumber: true,
    cell: ({ late }) => <Cell of={late} value={percentage(late.percent)} write={points} />,
  },
  {
    name: "Largest paint",
    isNumber: true,
    cell: ({ lcp_ms: of }) => <Cell of={of} value={milliseconds(of.mean)} write={moreMilliseconds} />,
  },
  {
    name: "Layout shift",
    isNumber: true,
    cell: ({ layout_shift: of }) => <Cell of={of} value={decimal(of.mean, 3)} write={score} />,
  },
  {
    name: "Interaction",
    isNumber: true,
    cell: ({ inp_ms: of }) => <Cell of={of} value={milliseconds(of.mean)} write={moreMilliseconds} />,
  },
  { name: "Hidden", isNumber: true, cell: ({ hidden_ms: of }) => milliseconds(of.mean) },
];

const STATUS: Partial<Record<Schemas["PageStatusWord"], Word>> = {
  harmed: { text: "Harmed", tone: "bad" },
  worse: { text: "Worse", tone: "caution" },
  better: { text: "Better", tone: "good" },
};

interface CellProps {
  of: Measured;
  value: string;
  write: (value: number) => string;
}

function Cell({ of: { difference, difference_interval: interval, status }, value, write }: CellProps) {
  const word = STATUS[status];
  const [low, high] = interval ?? [];
  return (
    <>
      {value}
      {difference !== null && <Below>{write(difference)}</Below>}
      {low !== undefined && high !== undefined && (
        <Below>
          {write(low)} to {write(high)}
        </Below>
      )}
      {word && (
        <div>
          <WordBadge word={word} />
        </div>
      )}
    </>
  );
}

/** Messages of the errors on the variants' pages. Those of most visitors are first. */
function Errors({ arms }: { arms: readonly PageArm[] }) {
  const failing = arms.filter(({ top_errors: errors }) => errors.length > 0);
  if (failing.length === 0) return null;
  return (
    <div className="flex flex-col gap-3 border-t border-line px-4 py-4 md:px-5">
      <h3 className="font-semibold">What the errors say</h3>
      {failing.map(({ variant_id: id, name, top_errors: errors }) => (
        <ul key={id} aria-label={`Errors of ${name}`} className="flex flex-col gap-3">
          {errors.map(({ message, url, browser, visitors, percent: share, first_seen, last_seen }) => (
            <li key={message} className="flex flex-col gap-0.5">
              <code className="text-sm break-words">{message}</code>
              <span className="text-sm break-words text-soft">
                {[
                  `${name}: ${count(visitors, "visitor")} (${percentage(share)})`,
                  browser !== null && `mostly ${capital(browser)}`,
                  url !== null && `on ${url}`,
                  first_seen === last_seen
                    ? `seen ${moment(first_seen)}`
                    : `from ${moment(first_seen)} to ${moment(last_seen)}`,
                ]
                  .filter(Boolean)
                  .join(" · ")}
              </span>
            </li>
          ))}
        </ul>
      ))}
    </div>
  );
}

/** Share of pages on which the changes of the variants found their elements. */
function Matches({ arms }: { arms: readonly PageArm[] }) {
  const known = arms.filter(({ changes }) => changes.length > 0);
  if (known.length === 0) return null;
  return (
    <div className="flex flex-col gap-2 border-t border-line px-4 py-4 md:px-5">
      <h3 className="font-semibold">Pages on which changes matched</h3>
      {known.map(({ variant_id: id, name, changes }) => (
        <ul key={id} aria-label={name} className="flex flex-col gap-1">
          {changes.map(({ index, pages, matched, matched_percent: share }) => (
            <li key={index} className={matched === 0 ? "text-bad" : undefined}>
              {name}, change {index + 1}: matched on {percentage(share)} of {integer(pages)} pages
            </li>
          ))}
        </ul>
      ))}
    </div>
  );
}

function PagesHelp() {
  return (
    <>
      <p>
        Each visitor counts once. Below a number are its difference from the control, and an interval of the true
        difference that holds on any day. <b className="font-semibold">Harmed</b> means: known to be worse by more than
        a margin.
      </p>
      <p>
        <b className="font-semibold">Largest paint</b> (LCP): until the largest content of the page is shown.{" "}
        <b className="font-semibold">Layout shift</b> (CLS): how much the content moves unexpectedly.{" "}
        <b className="font-semibold">Interaction</b> (INP): until the page answers a click or a key.{" "}
        <b className="font-semibold">Hidden</b>: for how long elements were kept invisible until the variant was shown.
      </p>
      <p>Browsers measure these on some page views, so there are fewer of them than visitors.</p>
    </>
  );
}
