// Actions that need only a confirmation. Each dialog explains the effect, and whether it can be undone.

import { useQueryClient } from "@tanstack/react-query";
import { send } from "~/api/query";
import { ConfirmDialog } from "~/ui/dialog";
import { toast } from "~/ui/toast";
import { inWords } from "../changes/conflict";
import { outdateExperiment, useExperiment } from "../open";
import { plainSentence } from "../plain-sentence";
import { ReopenEffects } from "./reopen-effects";

export interface ActDialogProps {
  onClose: () => void;
}

/**
 * Parameters of the experiment's operations, and a function that runs an action: it shows a toast and reads the
 * experiment again.
 */
export function useAct() {
  const cache = useQueryClient();
  const { projectKey, experiment, etag } = useExperiment();
  const params = { path: { project_key: projectKey, test_id: experiment.test_id } };
  const run = async (act: () => Promise<{ warnings: string[] }>, done: string) => {
    try {
      const { warnings } = await act();
      toast(done);
      for (const warning of warnings) toast(plainSentence(warning), "caution");
    } catch (thrown) {
      throw await inWords(thrown, cache);
    }
    await outdateExperiment(cache);
  };
  return { params, etag, experiment, run };
}

export function StopDialog({ onClose }: ActDialogProps) {
  const { params, experiment, run } = useAct();
  // Without If-Match: stopping is right whatever the current state is.
  const stop = () =>
    send("patch", "/v2/project/{project_key}/experiment/{test_id}/status", { params, body: { status: 0 } });
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Stop this experiment?"
      act="Stop the experiment"
      onConfirm={() => run(stop, "The experiment is stopped.")}
    >
      <p>
        {experiment.is_deploy === 1
          ? "No more visitors enter. The winner continues to be served."
          : "Visitors get the original page within a minute."}{" "}
        Recorded data is kept.
      </p>
      <p className="text-soft">You can resume it. A new period (epoch) begins then.</p>
    </ConfirmDialog>
  );
}

export function ArchiveDialog({ onClose }: ActDialogProps) {
  const { params, experiment, run } = useAct();
  const archived = !experiment.archived;
  const set = () =>
    send("patch", "/v2/project/{project_key}/experiment/{test_id}/archive", { params, body: { archived } });
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={archived ? "Archive this experiment?" : "Take this experiment out of the archive?"}
      act={archived ? "Archive it" : "Take it out"}
      danger={false}
      onConfirm={() =>
        run(set, archived ? "The experiment is in the archive." : "The experiment is out of the archive.")
      }
    >
      <p>
        {archived
          ? "It leaves the list and keeps its results. It does not start on its start date. You can take it out of the archive."
          : "It is in the list again."}
      </p>
    </ConfirmDialog>
  );
}

export function StopServingDialog({ onClose }: ActDialogProps) {
  const { params, run } = useAct();
  const stop = () => send("post", "/v2/project/{project_key}/experiment/{test_id}/stop-serving", { params });
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Stop serving the winner?"
      act="Stop serving"
      onConfirm={() => run(stop, "The winner is not served any more.")}
    >
      <p>
        Visitors get the original page within a minute, unless the experiment is live. You can serve a winner again.
      </p>
    </ConfirmDialog>
  );
}

export function ReopenDialog({ onClose }: ActDialogProps) {
  const { params, experiment, run } = useAct();
  const reopen = () => send("post", "/v2/project/{project_key}/experiment/{test_id}/reopen", { params });
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Reopen this experiment?"
      act="Reopen it"
      danger={false}
      onConfirm={() => run(reopen, "The experiment is open again.")}
    >
      <ReopenEffects experiment={experiment} />
    </ConfirmDialog>
  );
}

export function DeleteDialog({ onClose, onDeleted }: ActDialogProps & { onDeleted: () => unknown }) {
  const cache = useQueryClient();
  const { params, etag, experiment } = useAct();
  const remove = async () => {
    try {
      await send("delete", "/v2/project/{project_key}/experiment/{test_id}", { params, ifMatch: etag });
    } catch (thrown) {
      throw await inWords(thrown, cache);
    }
    toast("The experiment was deleted.");
    // Leave the page of the deleted experiment before its data is read again.
    await onDeleted();
    await cache.invalidateQueries({ queryKey: ["/v2/overview"] });
  };
  return (
    <ConfirmDialog isOpen onClose={onClose} title="Delete this experiment?" act="Delete for good" onConfirm={remove}>
      <p>
        <strong className="font-semibold">{experiment.test_name}</strong> is deleted with its results and history.
        {(experiment.status === 1 || experiment.is_deploy === 1) && " Visitors get the original page within a minute."}
      </p>
      <p>This cannot be undone. To keep the experiment but remove it from the list, archive it instead.</p>
    </ConfirmDialog>
  );
}
