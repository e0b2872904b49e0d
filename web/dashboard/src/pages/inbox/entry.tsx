// One entry of the inbox: its object, event and actor, and whether it was read.

import { capital } from "~/lib/capital";
import { Link } from "@tanstack/react-router";
import { ago, moment } from "~/lib/format";
import { names } from "~/lib/names";
import { Actor } from "~/ui/actor";
import { IconButton } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { useMark } from "./marks";
import { type Entry, lookOf, placeOf } from "./notices";

const TONES = { soft: "text-soft", good: "text-good", bad: "text-bad", accent: "text-accent" };

export function EntryLine({ entry }: { entry: Entry }) {
  const mark = useMark();
  const { icon, tone } = lookOf(entry.event);
  return (
    <li
      className={names(
        "flex items-start gap-3 border-b border-line px-4 py-3 last:border-0 md:px-5",
        !entry.read && "bg-accent-wash/30",
      )}
    >
      <Icon name={icon} className={names("mt-0.75 size-4", TONES[tone])} />
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <Name entry={entry} onOpen={() => entry.read || mark(entry, true)} />
          {!entry.read && <span className="sr-only">Unread</span>}
          <span className="min-w-0 truncate text-sm text-soft">in {entry.project_name}</span>
        </p>
        <p className="break-words">{sentence(entry.sentence)}</p>
        {entry.excerpt !== null && (
          <p className="border-l-2 border-line pl-2.5 break-words whitespace-pre-wrap text-soft">{entry.excerpt}</p>
        )}
        <p className="flex flex-wrap items-baseline gap-x-1.5 text-sm text-soft">
          <Actor actor={entry.actor} />
          <time dateTime={entry.at} title={moment(entry.at)}>
            {ago(entry.at)}
          </time>
        </p>
      </div>
      <IconButton
        icon={entry.read ? "undo" : "check"}
        small
        label={`Mark as ${entry.read ? "unread" : "read"}: ${entry.name}`}
        onClick={() => mark(entry, !entry.read)}
      />
    </li>
  );
}

function Name({ entry, onOpen }: { entry: Entry; onOpen: () => void }) {
  const place = placeOf(entry);
  const weight = entry.read ? "font-medium" : "font-semibold";
  if (place === undefined)
    return (
      <span className={names("break-words", weight)}>
        {entry.name} <span className="font-normal text-soft">(deleted)</span>
      </span>
    );
  return (
    <Link {...place} onClick={onOpen} className={names("link break-words", weight)}>
      {entry.name}
    </Link>
  );
}

/** Makes the server's sentence a complete one: with a capital and a full stop. */
function sentence(text: string): string {
  const whole = capital(text);
  return whole === "" || /[.!?…]$/.test(whole) ? whole : `${whole}.`;
}
