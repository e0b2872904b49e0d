// Restores an earlier state. The changes are shown before it is done.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ApiFailure } from "~/api/failure";
import { outdate, type Schemas, send } from "~/api/query";
import { moment } from "~/lib/format";
import { useIdempotencyKey } from "~/lib/idempotency";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { Note } from "~/ui/layout";
import { ErrorPanel, Loaded } from "~/ui/loaded";
import { toast } from "~/ui/toast";
import { ChangeEffects } from "../changes/change-effects";
import { FieldChanges } from "../changes/field-changes";
import { plainSentence } from "../plain-sentence";
import { changesBack } from "./changes-back";
import { pathsOf, type Revision, type Subject } from "./history-query";

interface RestoreDialogProps {
  subject: Subject;
  revision: Revision;
  /** Loaded changes, newest first, including all after the revision. */
  revisions: readonly Revision[];
  etag: string | undefined;
  onClose: () => void;
  onRestored: () => Promise<void>;
}

export function RestoreDialog(props: RestoreDialogProps) {
  return props.subject.kind === "experiment" ? <WithPreview {...props} /> : <WithChanges {...props} />;
}

/** For an experiment, the server provides the preview. */
function WithPreview(props: RestoreDialogProps) {
  const { subject, revision } = props;
  const { path } = pathsOf(subject);
  const preview = useQuery({
    queryKey: ["restore-preview", path, revision.revision] as const,
    queryFn: ({ signal }) =>
      send("post", "/v2/project/{project_key}/experiment/{test_id}/restore-preview", {
        params: { path },
        body: { revision: revision.revision },
        signal,
      }),
    gcTime: 0,
    staleTime: 0,
    retry: false,
  });
  const data = preview.data?.data;
  return (
    <RestoreFrame
      {...props}
      etag={preview.data?.etag}
      // Somebody else has changed it, so the effect of a restore is different now.
      onOutdated={() => preview.refetch()}
      isReady={data !== undefined && !preview.isFetching && isPossible(data)}
    >
      <Loaded query={preview}>{({ data }) => <Preview preview={data} />}</Loaded>
    </RestoreFrame>
  );
}

function isPossible({ changes, needs_approval }: Schemas["ChangePreview"]): boolean {
  return changes.length > 0 && !needs_approval;
}

function Preview({ preview }: { preview: Schemas["ChangePreview"] }) {
  if (preview.changes.length === 0) return <Same />;
  return (
    <>
      {preview.needs_approval && (
        <Note tone="caution">
          In this project, a second person has to approve such a change, so it cannot be restored here. Make the change
          under Setup and propose it there.
        </Note>
      )}
      <ChangeEffects preview={preview} />
    </>
  );
}

/** For a goal or a hypothesis, the preview is computed from the later changes. */
function WithChanges(props: RestoreDialogProps) {
  const changes = changesBack(props.revisions, props.revision.revision);
  return (
    <RestoreFrame {...props} onOutdated={() => {}} isReady={changes.length > 0}>
      {changes.length > 0 ? <FieldChanges changes={changes} /> : <Same />}
    </RestoreFrame>
  );
}

function Same() {
  return <Note>A restore would change nothing: the current values are the same.</Note>;
}

interface FrameProps extends RestoreDialogProps {
  onOutdated: () => unknown;
  isReady: boolean;
  children: ReactNode;
}

function RestoreFrame({ subject, revision, etag, onClose, onRestored, onOutdated, isReady, children }: FrameProps) {
  const cache = useQueryClient();
  const keyFor = useIdempotencyKey();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const restore = async () => {
    const { history, restore, path } = pathsOf(subject);
    setBusy(true);
    setError(undefined);
    try {
      const { warnings } = await send("post", restore, {
        params: { path },
        body: { revision: revision.revision },
        ifMatch: etag,
        idempotencyKey: keyFor(`${revision.revision} ${etag}`),
      });
      for (const warning of warnings) toast(plainSentence(warning), "caution");
      toast(`Revision ${revision.revision} was restored.`);
      await Promise.all([outdate(cache, history), onRestored()]);
      onClose();
    } catch (thrown) {
      setError(thrown);
      if (thrown instanceof ApiFailure && thrown.status === 412) {
        await Promise.all([outdate(cache, history), onRestored()]);
        onOutdated();
      }
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width="wide"
      title={`Restore revision ${revision.revision}?`}
      about={
        <>
          This restores the state after the change of {moment(revision.at)}. A restore is a new change, so you can undo
          it in the same way.
          {subject.kind === "experiment" && " Status, conclusion and a served winner stay as they are."}
        </>
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" isBusy={isBusy} disabled={!isReady} onClick={restore}>
            Restore this state
          </Button>
        </>
      }
    >
      {children}
      {error !== undefined && <ErrorPanel error={error} />}
    </Dialog>
  );
}
