// Short words with a meaning: badges have a ground, pills are labels that users create.

import type { ReactNode } from "react";
import { names } from "~/lib/names";
import type { Tone, Word } from "~/lib/words";

const GROUNDS: Record<Tone, string> = {
  neutral: "bg-sunken text-soft",
  accent: "bg-accent-wash text-accent",
  good: "bg-good-wash text-good",
  caution: "bg-caution-wash text-caution",
  bad: "bg-bad-wash text-bad",
};

export const TEXT: Record<Tone, string> = {
  neutral: "text-soft",
  accent: "text-accent",
  good: "text-good",
  caution: "text-caution",
  bad: "text-bad",
};

export function Badge({
  tone = "neutral",
  children,
  className,
}: {
  tone?: Tone;
  children: ReactNode;
  className?: string;
}) {
  return (
    <span
      className={names(
        "inline-flex items-center gap-1 rounded-sm px-1.5 py-px text-xs font-medium whitespace-nowrap",
        GROUNDS[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}

/** A badge with the word for a value. */
export function WordBadge({ word }: { word: Word }) {
  return <Badge tone={word.tone}>{word.text}</Badge>;
}

/**
 * A word with a dot before it, for states in lists, where grounds would be too prominent. `hollow` is for states that
 * have not begun.
 */
export function Dot({ word, hollow = false }: { word: Word; hollow?: boolean }) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <span
        aria-hidden="true"
        className={names(
          "size-2 shrink-0 rounded-full border-[1.5px] border-current",
          !hollow && "bg-current",
          TEXT[word.tone],
        )}
      />
      {word.text}
    </span>
  );
}

/** A label that users create. */
export function Pill({ children }: { children: ReactNode }) {
  return (
    <span className="inline-block max-w-40 truncate rounded-full border border-line px-2 text-xs leading-4.5 text-soft">
      {children}
    </span>
  );
}
