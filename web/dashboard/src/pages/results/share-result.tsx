// Links to a result, for people without an account: creates a link, and lists the existing ones.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { outdate, query, type Schemas, send } from "~/api/query";
import { may, useSession } from "~/api/session";
import { FormSelect } from "~/ui/form/fields";
import { FormView, useForm } from "~/ui/form/form";
import { date } from "~/lib/format";
import { useIdempotencyKey } from "~/lib/idempotency";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { Note } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { Secret } from "~/ui/secret";
import { parametersOf, type Question } from "~/experiment/result/question";
import { questionWords } from "~/experiment/result/query-words";
import { RevokeDialog, ShareTable } from "./share-table";

const SHARES = "/v2/project/{project_key}/experiment/{test_id}/shares";

interface ShareProps {
  projectKey: string;
  testId: number;
  /** Question of the page. A link shows the same. */
  question: Question;
}

/** Button with its dialog. Not shown to users who may not create links. */
export function ShareResult(props: ShareProps) {
  const session = useSession();
  const [isOpen, setOpen] = useState(false);
  if (!may(session, props.projectKey, "write")) return null;
  return (
    <>
      <Button icon="link" onClick={() => setOpen(true)}>
        Share
      </Button>
      <ShareDialog {...props} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

function ShareDialog({ projectKey, testId, question, isOpen, onClose }: ShareProps & DialogProps) {
  const goalName = useGoalName(projectKey, isOpen);
  const params = { path: { project_key: projectKey, test_id: testId } };
  const shares = useQuery({ ...query(SHARES, params), enabled: isOpen });
  const [made, setMade] = useState<Schemas["ShareCreated"]>();
  const [revoking, setRevoking] = useState<Schemas["Share"]>();
  const close = () => {
    setMade(undefined);
    onClose();
  };
  return (
    <>
      <Dialog
        isOpen={isOpen && revoking === undefined}
        onClose={close}
        width="wide"
        title="Share this result"
        about="Anybody with a link can read the result without signing in, until the link expires or you revoke it. The link shows numbers and names, but no code, pages or people."
      >
        {made ? (
          <Made made={made} again={() => setMade(undefined)} />
        ) : (
          <NewLink params={params} question={question} goalName={goalName} onMade={setMade} />
        )}
        <section className="flex flex-col gap-2">
          <h3 className="font-semibold">Links to this experiment</h3>
          <Loaded query={shares}>
            {({ shares }) =>
              shares.length > 0 ? (
                <ShareTable shares={shares} goalName={goalName} revoke={setRevoking} />
              ) : (
                <p className="text-soft">No links yet.</p>
              )
            }
          </Loaded>
        </section>
      </Dialog>
      <RevokeDialog projectKey={projectKey} share={revoking} onClose={() => setRevoking(undefined)} />
    </>
  );
}

/** Returns the name of a goal, or its key while the names are not loaded. */
function useGoalName(projectKey: string, isOpen: boolean): (key: string) => string {
  const path = { project_key: projectKey };
  const goals = useQuery({
    ...query("/v2/project/{project_key}/goals", { path, query: { limit: 500 } }),
    enabled: isOpen,
  });
  return (key) => goals.data?.goals.find(({ goal_key: one }) => one === key)?.goal_name ?? key;
}

interface DialogProps {
  isOpen: boolean;
  onClose: () => void;
}

const LIVES = [
  ["1", "A day"],
  ["7", "A week"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "A year"],
] as const;

interface NewLinkProps {
  params: { path: { project_key: string; test_id: number } };
  question: Question;
  goalName: (key: string) => string;
  onMade: (made: Schemas["ShareCreated"]) => void;
}

function NewLink({ params, question, goalName, onMade }: NewLinkProps) {
  const cache = useQueryClient();
  const keyFor = useIdempotencyKey();
  const form = useForm({
    stored: { expires_in_days: "30" },
    submit: async ({ expires_in_days: days }) => {
      const body = { expires_in_days: Number(days), query: bodyOf(question) };
      const { data } = await send("post", SHARES, { params, body, idempotencyKey: keyFor(JSON.stringify(body)) });
      onMade(data);
      await outdate(cache, SHARES, "/v2/audit");
    },
  });
  const fixed = questionWords(question, goalName);
  return (
    <FormView form={form} act="Create link" isAlwaysReady>
      <Note>
        {fixed.length > 0 ? (
          <>
            The link shows only what this page shows now: <b className="font-semibold">{fixed.join(", ")}</b>.
          </>
        ) : (
          "The link shows all visitors, by the primary goal. To share only some, choose visitors on the page first."
        )}{" "}
        {question.end_date === undefined && "Its numbers are updated while the experiment runs."}
      </Note>
      <FormSelect form={form} name="expires_in_days" label="Valid for" choices={LIVES} className="max-w-72" />
    </FormView>
  );
}

/** Converts the question for the operation. */
function bodyOf(question: Question): NonNullable<Schemas["ShareBody"]["query"]> {
  const { epoch: _, ...parameters } = parametersOf(question);
  return { ...parameters, ...(question.epoch !== undefined && { epoch: question.epoch }) };
}

function Made({ made: { url, share }, again }: { made: Schemas["ShareCreated"]; again: () => void }) {
  const link = useRef<HTMLDivElement>(null);
  // The button that had the focus is gone.
  useEffect(() => link.current?.focus(), []);
  return (
    <div className="flex flex-col items-start gap-3">
      <div ref={link} tabIndex={-1} className="w-full outline-none">
        <Secret label="Link" text={url} />
      </div>
      <p className="text-soft">Copy it now: it is not shown again. The link works until {date(share.expires_at)}.</p>
      <Button small onClick={again}>
        Create another link
      </Button>
    </div>
  );
}
