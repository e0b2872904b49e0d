// State of an experiment: the server's sentence on what to do, then verdict, health and counts.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ago, integer, moment, NOTHING } from "~/lib/format";
import { HEALTH, UNDECIDED, VERDICT, wordOf } from "~/lib/words";
import { WordBadge } from "~/ui/badge";
import { Card } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { NextActButtons } from "~/experiment/acts/next-act-buttons";
import { useExperiment } from "~/experiment/open";
import { type Standing, standingQuery } from "~/experiment/standing";

export function StandingCard() {
  const { projectKey, experiment } = useExperiment();
  const standing = useQuery(standingQuery(projectKey, experiment.test_id));
  return (
    <Card>
      <Loaded query={standing}>{(found) => (found ? <Found standing={found} /> : <p>No status yet.</p>)}</Loaded>
    </Card>
  );
}

function Found({ standing }: { standing: Standing }) {
  const { sentence, verdict, health, visitors, days, days_left, as_of, status, outcome } = standing;
  const isUndecided = verdict === "keep_running" && (status !== 1 || outcome !== null);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <p className="min-w-0 max-w-150 flex-1 basis-72 text-xl font-medium text-pretty break-words">{sentence}</p>
        <NextActButtons />
      </div>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 xs:grid-cols-3 lg:grid-cols-5">
        <Figure name="Verdict">
          {verdict ? <WordBadge word={isUndecided ? UNDECIDED : wordOf(VERDICT, verdict)} /> : <Nothing />}
        </Figure>
        <Figure name="Health">
          <WordBadge word={wordOf(HEALTH, health)} />
        </Figure>
        <Figure name="Visitors">{integer(visitors)}</Figure>
        <Figure name="Days">{integer(days)}</Figure>
        <Figure name="Days left">{integer(days_left)}</Figure>
      </dl>
      {as_of && (
        <p className="text-sm text-soft">
          Verdict, health and visitors as of {moment(as_of)} ({ago(as_of)}).
        </p>
      )}
    </div>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-soft">{name}</dt>
      <dd className="num text-lg">{children}</dd>
    </div>
  );
}

function Nothing() {
  return (
    <>
      <span aria-hidden="true">{NOTHING}</span>
      <span className="sr-only">none</span>
    </>
  );
}
