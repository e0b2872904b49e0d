// History of an experiment, a goal or a hypothesis: every change, newest first. Each can be restored.
//
// A page passes the subject, the `revision` of its address
// (`validateSearch: ({ revision }) => ({ revision: id(revision) })`), and a function that reads again what a restore
// has changed.

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
/** Page size while searching for a revision: the server's maximum. */
const LONG_PAGE = 100;

interface RevisionsProps {
  subject: Subject;
  /** Revision in the address. It is shown even if it is old. */
  chosen?: number | undefined;
  /**
   * Entity tag of the current state, for goals and hypotheses. With it, a restore is refused if somebody else has
   * changed the object.
   */
  etag?: string | undefined;
  /** True when the user may restore. */
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
              Every change from now on is listed here, with its author.
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

/** Reads further pages until the chosen revision is loaded, or cannot exist. */
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
