// The history of an experiment, a goal or a hypothesis: every change, newest first, each of which can be gone back to.
//
// A page gives the subject, the `revision` that its address names (`validateSearch: ({ revision }) => ({ revision: id(revision) })`), and
// what is read again after a restore.

import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Button, Spinner } from "~/ui/button";
import { Card, Empty, Note } from "~/ui/layout";
import { ErrorPanel, Lines } from "~/ui/loaded";
import { historyQuery, type Revision, type Subject } from "./history-query";
import { RestoreDialog } from "./restore-dialog";
import { RevisionItem } from "./revision-item";

export type { Subject } from "./history-query";

const PAGE = 20;
/** Where a revision is looked for: as many as the server gives at once. */
const LONG_PAGE = 100;

interface RevisionsProps {
  subject: Subject;
  /** The revision that the address names. It is shown, however far down it is. */
  chosen?: number | undefined;
  /** The entity tag of the present state, for goals and hypotheses: a restore is refused once somebody else has changed it. */
  etag?: string | undefined;
  /** Whether who is signed in may restore. */
  canRestore: boolean;
  /** Reads again what a restore has changed. */
  onRestored: () => Promise<void>;
}

export function Revisions({ subject, chosen, etag, canRestore, onRestored }: RevisionsProps) {
  const [limit] = useState(chosen === undefined ? PAGE : LONG_PAGE);
  const history = useInfiniteQuery(historyQuery(subject, limit));
  const revisions = history.data?.pages.flatMap((page) => page.revisions) ?? [];
  const isSeeking = useSeek(history, revisions, chosen);
  const [restored, setRestored] = useState<Revision>();
  const newest = revisions[0]?.revision;
  return (
    <>
      {history.isError && (
        <ErrorPanel error={history.error} retry={() => history.refetch()} isOutdated={revisions.length > 0} />
      )}
      {chosen !== undefined && history.isSuccess && !isSeeking && !revisions.some((one) => one.revision === chosen) && (
        <Note tone="caution" role="status">
          There is no revision {chosen} of this {subject.kind}.
        </Note>
      )}
      <Card flush>
        {history.isPending ? (
          <div aria-busy="true">
            <Lines count={8} />
          </div>
        ) : revisions.length > 0 ? (
          <ol aria-label="Changes, newest first">
            {revisions.map((revision) => (
              <RevisionItem
                key={revision.revision}
                revision={revision}
                isChosen={revision.revision === chosen}
                isPresent={revision.revision === newest}
                onRestore={canRestore ? () => setRestored(revision) : undefined}
              />
            ))}
          </ol>
        ) : (
          history.isSuccess && (
            <Empty icon="receipt" title="No changes yet">
              Each change from now on is kept here, with who made it.
            </Empty>
          )
        )}
      </Card>
      {isSeeking ? (
        <p role="status" className="flex items-center gap-2 text-soft">
          <Spinner /> Looking for revision {chosen}…
        </p>
      ) : (
        history.hasNextPage && (
          <div className="flex justify-center">
            <Button isBusy={history.isFetchingNextPage} onClick={() => history.fetchNextPage()}>
              Show older changes
            </Button>
          </div>
        )
      )}
      {restored && (
        <RestoreDialog
          subject={subject}
          revision={restored}
          revisions={revisions}
          etag={etag}
          onClose={() => setRestored(undefined)}
          onRestored={onRestored}
        />
      )}
    </>
  );
}

interface Pages {
  hasNextPage: boolean;
  isFetching: boolean;
  isError: boolean;
  fetchNextPage: () => unknown;
}

/** Reads on until the chosen revision is there, or cannot come any more. */
function useSeek(pages: Pages, revisions: Revision[], chosen: number | undefined): boolean {
  const oldest = revisions.at(-1)?.revision;
  const isNeeded = chosen !== undefined && oldest !== undefined && oldest > chosen && pages.hasNextPage;
  const goesOn = isNeeded && !pages.isFetching && !pages.isError;
  const { fetchNextPage } = pages;
  useEffect(() => {
    if (goesOn) fetchNextPage();
  }, [goesOn, fetchNextPage]);
  return isNeeded && !pages.isError;
}
