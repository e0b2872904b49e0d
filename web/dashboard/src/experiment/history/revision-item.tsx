// One change in a history: author, time, action, and the fields before and after.

import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { ago, moment } from "~/lib/format";
import { names } from "~/lib/names";
import { Actor } from "~/ui/actor";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { FieldChanges } from "../changes/field-changes";
import { actOf, clockDetail, reasonOf } from "./acts";
import { ClockReason } from "./clock-reason";
import type { Revision } from "./history-query";

/** Lines of code that a change shows at first: a page has twenty changes. */
const LINES = 14;

interface RevisionItemProps {
  revision: Revision;
  /** True for the revision in the address. */
  isChosen: boolean;
  /** True for the current state. */
  isPresent: boolean;
  onRestore: (() => void) | undefined;
}

export function RevisionItem({ revision, isChosen, isPresent, onRestore }: RevisionItemProps) {
  const element = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!isChosen) return;
    element.current?.scrollIntoView({ block: "center" });
    element.current?.focus({ preventScroll: true });
  }, [isChosen]);
  const byClock = clockDetail(revision.detail);
  const reason = reasonOf(revision);
  return (
    <li
      ref={element}
      tabIndex={-1}
      aria-current={isChosen || undefined}
      aria-label={`Revision ${revision.revision}`}
      className={names(
        "flex flex-col gap-3 border-b border-line px-4 py-3.5 last:border-0 md:px-5",
        isChosen && "bg-accent-wash",
      )}
    >
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1.5">
        <p className="min-w-0 break-words">
          <Actor actor={revision.actor} /> {actOf(revision)}
        </p>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm text-soft">
          <time dateTime={revision.at} title={ago(revision.at)}>
            {moment(revision.at)}
          </time>
          <Link
            to="."
            search={((before: object) => ({ ...before, revision: revision.revision })) as never}
            className="link"
            resetScroll={false}
          >
            Revision {revision.revision}
          </Link>
          {isPresent ? (
            <Badge>Current state</Badge>
          ) : (
            onRestore && (
              <Button small onClick={onRestore} aria-label={`Restore this state: revision ${revision.revision}`}>
                Restore this state
              </Button>
            )
          )}
        </div>
      </div>
      {byClock && <ClockReason reason={byClock} />}
      {reason && <p className="wrap-anywhere">Reason: {reason}</p>}
      {revision.changes.length > 0 && <FieldChanges changes={revision.changes} shown={LINES} />}
      {revision.changes.length === 0 && revision.action !== "create" && <p className="text-soft">No field changed.</p>}
    </li>
  );
}
