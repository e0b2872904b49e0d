// The verdict in one sentence, from the verdicts of the variants, and the server's reasons.

import type { ReactNode } from "react";
import { WordBadge } from "~/ui/badge";
import { Card } from "~/ui/layout";
import { Exploratory } from "./exploratory";
import { verdictWord } from "./lift";
import { goalName, type Result } from "./reading";
import { judged, verdictOf } from "./verdict-words";

/** Groups variants with the same verdict and reason. */
function reasons(result: Result): { verdict: string; reason: string; names: string[] }[] {
  const found = new Map<string, { verdict: string; reason: string; names: string[] }>();
  for (const { name, analysis } of judged(result.variants)) {
    const key = `${analysis.verdict} ${analysis.reason}`;
    const one = found.get(key) ?? { verdict: analysis.verdict, reason: analysis.reason, names: [] };
    one.names.push(name);
    found.set(key, one);
  }
  return [...found.values()];
}

interface VerdictCardProps {
  result: Result;
  /** Filters of the visitors in words; empty for the whole experiment. */
  about?: string[];
  /** Actions next to the verdict. */
  actions?: ReactNode;
}

export function VerdictCard({ result, about = [], actions }: VerdictCardProps) {
  const { verdict, sentence } = verdictOf(result);
  const isLive = result.status_code === 1;
  const goal = goalName(result);
  const why = reasons(result);
  return (
    <Card tone={verdict === "do_not_trust" ? "bad" : "plain"}>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="flex min-w-0 flex-1 basis-72 flex-col gap-2">
          {about.length > 0 && <p className="text-soft">Only visitors: {about.join(", ")}.</p>}
          <h2 className="max-w-170 text-xl font-medium text-pretty">{sentence}</h2>
          {/* The health card shows what is broken, and what to do. */}
          {verdict !== "do_not_trust" && (
            <ul className="flex flex-col gap-1">
              {why.map(({ verdict: word, reason, names }) => (
                <li key={word + reason} className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
                  <WordBadge word={verdictWord(word, isLive)} />
                  <span className="min-w-0 flex-1 basis-60">
                    {why.length > 1 && <span className="font-medium">{names.join(", ")}: </span>}
                    {reason}
                  </span>
                </li>
              ))}
            </ul>
          )}
          <p className="flex flex-wrap items-baseline gap-x-2 text-sm text-soft">
            <span className="min-w-0 break-words">{goal === undefined ? "No goal" : `Goal: ${goal}`}</span>
            <Exploratory of={result} />
          </p>
        </div>
        {actions}
      </div>
    </Card>
  );
}
