// One line of the live view: the event, and for a page view the decision of each experiment.

import { capital } from "~/lib/capital";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { count, moment, time } from "~/lib/format";
import { REASON } from "~/lib/words";
import { Badge } from "~/ui/badge";
import { Icon } from "~/ui/icon";
import type { Decision, Entry } from "~/experiment/live/log";
import { type Names, saying } from "./sentences";

interface RowProps {
  entry: Entry;
  names: Names;
  projectKey: string;
}

export function EntryRow({ entry, names, projectKey }: RowProps) {
  if (entry.kind === "gap") {
    return (
      <li className="flex gap-3 bg-caution-wash px-4 py-2 text-sm text-caution md:px-5">
        <Time at={entry.at} />
        <span>{entry.text}</span>
      </li>
    );
  }
  const { icon, text } = saying(entry.event, names);
  return (
    <li className="flex gap-3 px-4 py-2.5 md:px-5">
      <Time at={entry.at} />
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <details className="group">
          <summary className="flex list-none flex-wrap items-start gap-x-2 gap-y-1 [&::-webkit-details-marker]:hidden">
            <Icon name={icon} className="mt-0.75 size-4 text-soft" />
            <span className="min-w-0 flex-1 basis-40 break-words">{text}</span>
            {entry.event.bot === true && <Badge tone="caution">Automated: not in results</Badge>}
            <Icon name="chevronRight" className="mt-0.75 size-4 text-soft group-open:rotate-90" />
          </summary>
          <p className="mt-2 text-sm text-soft">The event as it is stored:</p>
          <pre className="mt-1 rounded-md bg-sunken px-2.5 py-2 font-mono text-xs break-all whitespace-pre-wrap">
            {JSON.stringify(entry.event, null, 2)}
          </pre>
        </details>
        {entry.decisions && <Decisions decisions={entry.decisions} names={names} projectKey={projectKey} />}
      </div>
    </li>
  );
}

function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={moment(at)} className="num shrink-0 pt-px text-sm text-soft">
      {time(at)}
    </time>
  );
}

function Details({ summary, children }: { summary: ReactNode; children: ReactNode }) {
  return (
    <details className="text-sm">
      <summary className="w-fit text-soft">{summary}</summary>
      {children}
    </details>
  );
}

function Decisions({ decisions, ...rest }: { decisions: Decision[] } & Omit<RowProps, "entry">) {
  const here = decisions.filter((one) => one.elsewhere === null);
  const shown = here.filter((one) => one.variant !== null);
  const out = here.filter((one) => one.variant === null);
  const elsewhere = decisions.filter((one) => one.elsewhere !== null);
  if (decisions.length === 0) return <p className="text-sm text-soft">No experiment is live.</p>;
  return (
    <div className="flex flex-col gap-2 rounded-md border border-line px-3 py-2">
      {shown.length > 0 ? (
        <DecisionList decisions={shown} {...rest} />
      ) : (
        <p className="text-soft">No experiment shows anything to this visitor here.</p>
      )}
      {out.length > 0 && (
        <Details summary={`${count(out.length, "experiment")} on this page without this visitor`}>
          <DecisionList decisions={out} {...rest} />
        </Details>
      )}
      {elsewhere.length > 0 && (
        <Details summary={`${count(elsewhere.length, "experiment")} on other pages`}>
          <DecisionList decisions={elsewhere} {...rest} />
        </Details>
      )}
    </div>
  );
}

function DecisionList({ decisions, names, projectKey }: { decisions: Decision[] } & Omit<RowProps, "entry">) {
  return (
    <ul className="flex flex-col gap-2 [details>&]:mt-2">
      {decisions.map((decision) => (
        <li key={decision.test_id} className="flex flex-col gap-0.5">
          <div className="flex flex-wrap items-baseline gap-x-2">
            <Link
              to="/p/$projectKey/experiments/$testId"
              params={{ projectKey, testId: String(decision.test_id) }}
              className="link text-base font-medium"
            >
              {names.get(decision.test_id) ?? decision.experiment_key}
            </Link>
            <Badge tone={decision.variant === null ? "neutral" : "accent"}>{decision.variant ?? "Not included"}</Badge>
            {decision.variant !== null && !decision.in_experiment && (
              <span className="text-sm text-soft">not counted</span>
            )}
          </div>
          <p className="text-sm">
            {decision.elsewhere === null
              ? (REASON[decision.reason] ?? decision.reason)
              : `${capital(decision.elsewhere)}.`}
          </p>
          <Details summary="Every check">
            <Steps steps={decision.steps} />
          </Details>
        </li>
      ))}
    </ul>
  );
}

const OUTCOMES: Record<Decision["steps"][number]["outcome"], { mark: string; text: string; tone: string }> = {
  pass: { mark: "✓", text: "yes", tone: "text-good" },
  fail: { mark: "✕", text: "no", tone: "text-bad" },
  unknown: { mark: "?", text: "not known", tone: "text-caution" },
  not_enforced: { mark: "–", text: "only pages check this", tone: "text-soft" },
};

function Steps({ steps }: { steps: Decision["steps"] }) {
  return (
    <ol className="mt-1 flex flex-col gap-1">
      {steps.map((step, at) => {
        const outcome = OUTCOMES[step.outcome];
        return (
          <li key={at} className="flex gap-2">
            <span aria-hidden="true" className={`w-3 shrink-0 text-center ${outcome.tone}`}>
              {outcome.mark}
            </span>
            <span className="min-w-0 break-words">
              {capital(step.detail)} <span className="text-soft">({outcome.text})</span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}
