// Time of an answer, and notes that it is about to be replaced, or that the server is not ready.

import { capital } from "~/lib/capital";
import type { ReactNode } from "react";
import { ago, moment } from "~/lib/format";
import { names } from "~/lib/names";
import { Button } from "~/ui/button";
import { Note } from "~/ui/layout";
import { askedOf, type Result } from "./reading";

interface AsOfProps {
  result: Result;
  isReading: boolean;
  readAgain: () => void;
}

/** Time of the report. While the experiment is live, it is read again automatically. */
export function AsOf({ result, isReading, readAgain }: AsOfProps) {
  const { asOf } = askedOf(result);
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-sm text-soft">
      <span>
        As of {moment(asOf)}
        {result.status_code === 1 && ` (${ago(asOf)})`}
      </span>
      <Button small kind="quiet" isBusy={isReading} onClick={readAgain}>
        Read again
      </Button>
    </p>
  );
}

/** Replaces `AsOf` while the answer to another question is shown. */
export function StillFormer({ former }: { former: string }) {
  return (
    <p role="status" className="flex items-center gap-2 rounded-md bg-caution-wash px-2.5 py-1 text-sm text-caution">
      These are still the numbers of {former}. The new ones are loading.
    </p>
  );
}

/** Frame around numbers that are about to be replaced, visible at every scroll position. */
export function Replaced({ isFormer, children }: { isFormer: boolean; children: ReactNode }) {
  return (
    <div
      aria-busy={isFormer}
      className={names(
        "flex flex-col gap-5",
        isFormer && "rounded-lg outline-2 outline-offset-6 outline-edge outline-dashed",
      )}
    >
      {children}
    </div>
  );
}

/** Progress of a server that loads its events. The request is repeated automatically. */
export function Waiting({ why, isOutdated }: { why: string; isOutdated: boolean }) {
  return (
    <Note tone="caution" role="status">
      <p className="font-medium">The server is catching up. The result appears automatically.</p>
      <p>{capital(why)}. A result that lacks events would be wrong, so none is shown before that.</p>
      {isOutdated && <p>The numbers below were loaded earlier.</p>}
    </Note>
  );
}
