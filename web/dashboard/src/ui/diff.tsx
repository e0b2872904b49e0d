// Line-by-line comparison of two texts: changed lines with some equal ones around them. Long ones are shown in steps.

import { useMemo, useState } from "react";
import { count } from "~/lib/format";
import { type DiffLine, type DiffPart, lineDiff, withContext } from "~/lib/line-diff";
import { names } from "~/lib/names";

/** Lines that each step adds. */
const STEP = 500;

interface DiffProps {
  before: string;
  after: string;
  /** Number of lines that are shown at first. */
  shown?: number;
}

export function Diff({ before, after, shown = 60 }: DiffProps) {
  const [most, setMost] = useState(shown);
  const parts = useMemo(() => withContext(lineDiff(before, after)), [before, after]);
  const total = parts.reduce((sum, part) => sum + ("lines" in part ? part.lines.length : 0), 0);
  const left = total - most;
  return (
    <div className="overflow-hidden rounded-md border border-line">
      {firstOf(parts, most).map((part, at) =>
        "skipped" in part ? (
          <p key={at} className="bg-sunken px-2.5 py-0.5 text-xs text-soft">
            {count(part.skipped, "line")} unchanged
          </p>
        ) : (
          <Lines key={at} lines={part.lines} />
        ),
      )}
      {left > 0 && (
        <button
          type="button"
          className="link w-full border-t border-line bg-sunken px-2.5 py-1 text-left text-sm"
          onClick={() => setMost(most + STEP)}
        >
          {left > STEP ? `Show ${STEP} of ${count(left, "more line")}` : `Show ${count(left, "more line")}`}
        </button>
      )}
    </div>
  );
}

/** The parts up to `most` lines. */
function firstOf(parts: DiffPart[], most: number): DiffPart[] {
  const found: DiffPart[] = [];
  let left = most;
  for (const part of parts) {
    if (left <= 0) break;
    if ("skipped" in part) found.push(part);
    else {
      found.push({ lines: part.lines.slice(0, left) });
      left -= part.lines.length;
    }
  }
  return found;
}

const LINES = {
  same: { sign: "\u00a0", word: "", classes: "text-soft" },
  removed: { sign: "−", word: "Removed: ", classes: "bg-bad-wash text-bad" },
  added: { sign: "+", word: "Added: ", classes: "bg-good-wash text-good" },
} as const;

function Lines({ lines }: { lines: DiffLine[] }) {
  return (
    <div className="font-mono text-sm">
      {lines.map(({ kind, text }, at) => (
        <div key={at} className={names("flex gap-2 px-2.5", LINES[kind].classes)}>
          <span aria-hidden="true" className="shrink-0 select-none">
            {LINES[kind].sign}
          </span>
          <span className="sr-only">{LINES[kind].word}</span>
          <span className="min-w-0 flex-1 break-all whitespace-pre-wrap">{text || "\u00a0"}</span>
        </div>
      ))}
    </div>
  );
}
