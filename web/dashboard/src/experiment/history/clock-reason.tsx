// Reason for an action of the clock: the rule, the server's sentence about it, and the numbers in the sentence.

import { capital } from "~/lib/capital";
import { decimal, moment } from "~/lib/format";
import { Facts } from "~/ui/layout";
import { type ClockDetail, ruleName } from "./acts";

export function ClockReason({ reason: { rule, sentence, numbers } }: { reason: ClockDetail }) {
  const first = capital(sentence);
  return (
    <div className="flex flex-col gap-1.5 rounded-md bg-sunken px-3 py-2">
      <p>
        Rule: {ruleName(rule)}. {/[.!?]$/.test(first) || first === "" ? first : `${first}.`}
      </p>
      {numbers.length > 0 && (
        <details>
          <summary className="text-sm text-soft">Numbers at that moment</summary>
          <div className="pt-1.5 text-sm">
            <Facts
              facts={numbers.map(([name, value]) => [
                name.replaceAll("_", " "),
                <Value key={name} name={name} of={value} />,
              ])}
            />
          </div>
        </details>
      )}
    </div>
  );
}

function Value({ name, of }: { name: string; of: unknown }) {
  if (typeof of === "number") return <span className="num">{decimal(of, 6)}</span>;
  if (typeof of === "string") return /_(at|date)$/.test(name) ? moment(of) : of;
  return <code className="font-mono text-sm break-all">{JSON.stringify(of)}</code>;
}
