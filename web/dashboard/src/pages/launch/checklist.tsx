// The checklist: the server's findings, and where each can be fixed. It updates itself, and screen readers announce the
// changes.

import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { names } from "~/lib/names";
import { CHECK, type Tone, type Word } from "~/lib/words";
import { TEXT, WordBadge } from "~/ui/badge";
import { Icon, type IconName } from "~/ui/icon";
import { checkPlace, type Check } from "~/experiment/acts/checks";
import { plainSentence } from "~/experiment/plain-sentence";

const ICONS: Record<Check["status"], IconName> = { ok: "check", warn: "warning", blocked: "stop", unknown: "info" };
const NEEDS_APPROVAL: Word = { text: "Needs a second person", tone: "caution" };
const CIRCLES: Record<Tone, string> = {
  neutral: "bg-sunken",
  accent: "bg-accent-wash",
  good: "bg-good-wash",
  caution: "bg-caution-wash",
  bad: "bg-bad-wash",
};

interface ItemsProps {
  items: readonly Check[];
  projectKey: string;
  testId: number;
}

export function ChecklistItems({ items, projectKey, testId }: ItemsProps) {
  const news = useNews(items);
  return (
    <>
      <ul aria-label="Checklist">
        {items.map((item) => (
          <ChecklistLine key={item.check} item={item} projectKey={projectKey} testId={testId} />
        ))}
      </ul>
      <p role="status" className="sr-only">
        {news}
      </p>
    </>
  );
}

function ChecklistLine({ item, projectKey, testId }: { item: Check; projectKey: string; testId: number }) {
  const { name, to, go } = checkPlace(item.check);
  // A required approval is a pending step, and not an error.
  const needsApproval = item.check === "approval" && item.status === "blocked";
  const word = needsApproval ? NEEDS_APPROVAL : CHECK[item.status];
  return (
    <li className="flex gap-3 border-t border-line px-4 py-3 md:px-5">
      <span
        className={names(
          "mt-px grid size-6 shrink-0 place-items-center rounded-full",
          CIRCLES[word.tone],
          TEXT[word.tone],
        )}
      >
        <Icon name={needsApproval ? "people" : ICONS[item.status]} className="size-3.5" />
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-x-3 gap-y-1 xs:flex-row xs:items-center">
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-center gap-x-2.5 gap-y-0.5">
            <h3 className="font-medium">{name}</h3>
            {item.status === "ok" ? <span className="sr-only">{word.text}</span> : <WordBadge word={word} />}
          </div>
          <p className="break-words text-soft">{plainSentence(item.sentence)}</p>
        </div>
        {to && item.status !== "ok" && (
          <Link
            to={to}
            params={{ projectKey, testId: String(testId) } as never}
            className="link self-start xs:self-center"
          >
            {go}
          </Link>
        )}
      </div>
    </li>
  );
}

/** A sentence on what has changed since the previous read of the list. */
function useNews(items: readonly Check[]): string {
  const last = useRef<ReadonlyMap<Check["check"], Check["status"]>>(undefined);
  const [news, setNews] = useState("");
  useEffect(() => {
    const changed = items.filter(({ check, status }) => last.current && last.current.get(check) !== status);
    last.current = new Map(items.map(({ check, status }) => [check, status]));
    if (changed.length === 0) return;
    setNews(changed.map(({ check, status }) => `${checkPlace(check).name}: ${CHECK[status].text}.`).join(" "));
  }, [items]);
  return news;
}
