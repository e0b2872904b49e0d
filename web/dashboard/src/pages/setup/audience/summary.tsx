// The whole targeting in words: a sentence if it is short, else a list.

import { capital } from "~/lib/capital";
import type { Targeting } from "./kinds";
import { clauses, sentence } from "./words";

const MOST_IN_A_SENTENCE = 4;
const LONGEST_SENTENCE = 240;

interface WordsProps {
  targeting: Targeting;
  home?: string;
  /** Text for targeting without rules. */
  nobody?: string;
}

export function InWords({ targeting, home, nobody }: WordsProps) {
  const found = clauses(targeting, home);
  if (found.length === 0 && nobody) return <p className="text-lg">{nobody}</p>;
  const text = sentence(found);
  if (found.length <= MOST_IN_A_SENTENCE && text.length <= LONGEST_SENTENCE)
    return <p className="text-lg break-words">{text}</p>;
  return (
    <>
      <p className="text-lg">Visitors for whom all of this holds:</p>
      <ul className="mt-1.5 flex list-disc flex-col gap-1 pl-5">
        {found.map((clause) => (
          <li key={clause.kind} className="min-w-0 break-words">
            {capital(clause.text)}
          </li>
        ))}
      </ul>
    </>
  );
}
