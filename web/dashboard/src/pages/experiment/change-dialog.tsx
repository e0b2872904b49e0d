// Saves changes. If visitors meet the experiment, the user sees the effect of a change before it is saved. If the
// project requires a second person, the change is proposed.

import { useQueryClient } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { ApiFailure } from "~/api/failure";
import { type Schemas, type Sent, send } from "~/api/query";
import { useIdempotencyKey } from "~/lib/idempotency";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { TextBox } from "~/ui/field";
import { Note } from "~/ui/layout";
import { ErrorPanel } from "~/ui/loaded";
import { toast } from "~/ui/toast";
import { ChangeEffects } from "~/experiment/changes/change-effects";
import { inWords } from "~/experiment/changes/conflict";
import { plainSentence } from "~/experiment/plain-sentence";
import { isMet, type OpenExperiment, outdateExperiment, type Save, SaveContext } from "~/experiment/open";

const EXPERIMENT = "/v2/project/{project_key}/experiment/{test_id}";

type Request = Sent<typeof EXPERIMENT, "patch">;

/** A change that the user is reviewing, and the callbacks that continue its form. */
interface Asked {
  request: Request;
  preview: Schemas["ChangePreview"];
  /** True when the experiment is live; otherwise its winner is served. */
  isLive: boolean;
  settle: (outcome: "keep" | undefined) => void;
  fail: (thrown: unknown) => void;
}

export function SaveProvider({ open, children }: { open: OpenExperiment; children: ReactNode }) {
  const cache = useQueryClient();
  const [asked, setAsked] = useState<Asked>();
  const { projectKey, experiment, etag } = open;

  const path = { project_key: projectKey, test_id: experiment.test_id };
  const save: Save = async (changes, { merge = false } = {}) => {
    const request: Request = { params: { path }, body: changes, ifMatch: etag, merge };
    try {
      if (isMet(experiment)) {
        const { data: preview } = await send("post", `${EXPERIMENT}/change-preview`, { ...request });
        if (preview.changes.length > 0) {
          return await new Promise((settle, fail) => {
            setAsked({ request, preview, isLive: experiment.status === 1, settle, fail });
          });
        }
      }
      await change(request);
    } catch (thrown) {
      throw await inWords(thrown, cache, "Your changes are kept: check them, and save again.");
    }
    await outdateExperiment(cache);
    return undefined;
  };

  return (
    <SaveContext value={save}>
      {children}
      {asked && <ChangeDialog asked={asked} close={() => setAsked(undefined)} />}
    </SaveContext>
  );
}

async function change(request: Request): Promise<void> {
  const { warnings } = await send("patch", EXPERIMENT, request);
  for (const warning of warnings) toast(plainSentence(warning), "caution");
  toast("Saved.");
}

function ChangeDialog({ asked, close }: { asked: Asked; close: () => void }) {
  const cache = useQueryClient();
  const [preview, setPreview] = useState(asked.preview);
  const [note, setNote] = useState("");
  const idempotencyKey = useIdempotencyKey();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const keep = () => {
    if (isBusy) return;
    close();
    asked.settle("keep");
  };
  useLeaving(keep);

  const act = async () => {
    setBusy(true);
    setError(undefined);
    try {
      if (preview.needs_approval) await propose(asked.request, note, idempotencyKey(note));
      else await change(asked.request);
      await outdateExperiment(cache);
      close();
      asked.settle(undefined);
    } catch (thrown) {
      if (isOfForm(thrown)) {
        close();
        asked.fail(thrown);
      } else {
        // The project has begun to require a second person meanwhile.
        if (isCode(thrown, "approval_needed")) setPreview({ ...preview, needs_approval: true });
        else setError(thrown);
        setBusy(false);
      }
    }
  };

  const words = wordsOf(preview.needs_approval, asked.isLive);
  return (
    <Dialog
      isOpen
      onClose={keep}
      width="wide"
      title={words.title}
      about={words.about}
      footer={
        <>
          <Button onClick={keep}>Cancel</Button>
          <Button kind="primary" isBusy={isBusy} onClick={act}>
            {words.act}
          </Button>
        </>
      }
    >
      <ChangeEffects preview={preview} />
      {preview.needs_approval && (
        <TextBox
          label="Why"
          aside="optional"
          hint="Shown to the person who approves it."
          rows={2}
          maxLength={10_000}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
      )}
      {preview.needs_approval && !asked.preview.needs_approval && (
        <Note tone="caution" role="alert">
          The project now requires approval by a second person.
        </Note>
      )}
      {error !== undefined && <ErrorPanel error={error} />}
    </Dialog>
  );
}

function wordsOf(needsApproval: boolean, isLive: boolean): { title: string; about: string; act: string } {
  if (needsApproval)
    return {
      title: "Propose this change?",
      about: "This project asks a second person to approve it. Nothing changes until then.",
      act: "Propose the change",
    };
  return {
    title: isLive ? "Change the live experiment?" : "Change the experiment while its winner is served?",
    about: "Visitors get it within a minute. The experiment's history keeps the previous version.",
    act: isLive ? "Change the live experiment" : "Change the experiment",
  };
}

async function propose(request: Request, note: string, idempotencyKey: string): Promise<void> {
  const body = note.trim() === "" ? request.body : { ...request.body, note };
  await send("post", `${EXPERIMENT}/proposals`, { ...request, body, idempotencyKey } as never);
  toast("Proposed. Somebody else has to approve it.");
}

/** Returns whether the form shows the error: it is about one of its fields, or it is a conflict. */
function isOfForm(thrown: unknown): boolean {
  return thrown instanceof ApiFailure && (thrown.status === 412 || thrown.fields.length > 0);
}

function isCode(thrown: unknown, code: string): boolean {
  return thrown instanceof ApiFailure && thrown.code === code;
}

/** Calls `leave` when another page is opened, for example with the back button while the dialog is open. */
function useLeaving(leave: () => void): void {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [first] = useState(path);
  useEffect(() => {
    if (path !== first) leave();
  });
}
