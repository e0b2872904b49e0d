// Conclusion of an experiment, for its summary, with an action that reverts it.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ApiFailure } from "~/api/failure";
import { query, type Schemas, send } from "~/api/query";
import { moment } from "~/lib/format";
import { OUTCOME, VERDICT, wordOf } from "~/lib/words";
import { WordBadge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { ConfirmDialog } from "~/ui/dialog";
import { Card } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { toast } from "~/ui/toast";
import { outdateExperiment, useExperiment, useLocked } from "~/experiment/open";
import { ReopenEffects } from "~/experiment/acts/reopen-effects";
import { armName } from "~/experiment/outcomes";

type Conclusion = Schemas["ConclusionShown"];

const CONCLUSION = "/v2/project/{project_key}/experiment/{test_id}/conclusion";

export function ConclusionCard() {
  const { projectKey, experiment } = useExperiment();
  const locked = useLocked();
  const path = { project_key: projectKey, test_id: experiment.test_id };
  const read = useQuery(query(CONCLUSION, { path }));
  return (
    <Card title="Conclusion" actions={locked === undefined && <Reopen />}>
      <Loaded query={read}>
        {({ conclusion }) => (conclusion ? <Shown conclusion={conclusion} /> : <p>It was reopened meanwhile.</p>)}
      </Loaded>
    </Card>
  );
}

function Shown({ conclusion }: { conclusion: Conclusion }) {
  const { outcome, note, learned, override_reason, follow_up_hypothesis_id } = conclusion;
  const { concluded_at, concluded_by, verdicts } = conclusion;
  return (
    <div className="flex flex-col gap-3">
      <p className="flex flex-wrap items-baseline gap-x-2.5 gap-y-1">
        <WordBadge word={wordOf(OUTCOME, outcome)} />
        <span className="text-soft">
          {concluded_by ?? "Somebody"}, {moment(concluded_at)}
        </span>
      </p>
      <Said name="Why it ended this way" text={note} />
      <Said name="What was learned" text={learned} />
      <Said name="Why the outcome is right" text={override_reason} />
      {follow_up_hypothesis_id !== null && <FollowUp hypothesisId={follow_up_hypothesis_id} />}
      <VerdictsThen verdicts={verdicts} />
    </div>
  );
}

function FollowUp({ hypothesisId }: { hypothesisId: number }) {
  const { projectKey } = useExperiment();
  const path = { project_key: projectKey, hypothesis_id: hypothesisId };
  const read = useQuery(query("/v2/project/{project_key}/hypothesis/{hypothesis_id}", { path }));
  const texts = read.data?.hypothesis;
  return (
    <div>
      <h3 className="text-sm text-soft">What to try next</h3>
      <Link
        to="/p/$projectKey/hypotheses/$hypothesisId"
        params={{ projectKey, hypothesisId: String(hypothesisId) }}
        className="link break-words"
      >
        {texts?.problem || texts?.solution || texts?.observation || `Hypothesis ${hypothesisId}`}
      </Link>
    </div>
  );
}

function Said({ name, text }: { name: string; text: string | null }) {
  if (!text) return null;
  return (
    <div>
      <h3 className="text-sm text-soft">{name}</h3>
      <p className="max-w-150 break-words whitespace-pre-wrap">{text}</p>
    </div>
  );
}

function VerdictsThen({ verdicts }: { verdicts: unknown }) {
  const said = typeof verdicts === "object" && verdicts !== null ? Object.entries(verdicts) : [];
  return (
    <div>
      <h3 className="text-sm text-soft">Verdict at that time</h3>
      {said.length > 0 ? (
        <ul className="mt-0.5 flex flex-wrap gap-x-4 gap-y-1">
          {said.map(([arm, verdict]) => (
            <li key={arm} className="flex items-baseline gap-1.5">
              {armName(arm)} <WordBadge word={wordOf(VERDICT, String(verdict))} />
            </li>
          ))}
        </ul>
      ) : (
        <p>There was no verdict.</p>
      )}
    </div>
  );
}

function Reopen() {
  const cache = useQueryClient();
  const { projectKey, experiment, etag } = useExperiment();
  const [isOpen, setOpen] = useState(false);
  const [key, setKey] = useState("");
  const path = { project_key: projectKey, test_id: experiment.test_id };
  const reopen = async () => {
    try {
      await send("post", "/v2/project/{project_key}/experiment/{test_id}/reopen", {
        params: { path },
        ifMatch: etag,
        idempotencyKey: key,
      });
    } catch (thrown) {
      if (thrown instanceof ApiFailure && [409, 412].includes(thrown.status)) await outdateExperiment(cache);
      throw thrown;
    }
    await outdateExperiment(cache);
    toast("The experiment was reopened.");
  };
  return (
    <>
      <Button
        small
        onClick={() => {
          setKey(crypto.randomUUID());
          setOpen(true);
        }}
      >
        Reopen
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Reopen this experiment?"
        act="Reopen experiment"
        danger={false}
        onConfirm={reopen}
      >
        <ReopenEffects experiment={experiment} />
      </ConfirmDialog>
    </>
  );
}
