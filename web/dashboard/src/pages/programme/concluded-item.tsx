// One concluded experiment: its outcome, what was learned, and its lift.

import { Link } from "@tanstack/react-router";
import { type ReactNode, useId, useState } from "react";
import type { Schemas } from "~/api/query";
import { useSession } from "~/api/session";
import { date, integer, moment, NOTHING } from "~/lib/format";
import { liftEnds } from "~/lib/lift-ends";
import type { Domain } from "~/lib/scale";
import { OUTCOME, wordOf } from "~/lib/words";
import { WordBadge } from "~/ui/badge";
import { Icon } from "~/ui/icon";
import { domainOf } from "~/ui/interval-geometry";
import { IntervalLines } from "~/ui/interval-line";
import { Facts } from "~/ui/layout";
import { Rating } from "~/ui/rating";
import { armName } from "~/experiment/outcomes";
import { RATINGS } from "~/experiment/hypothesis-words";
import type { Concluded } from "./filters";
import { drawnLift, lift, liftRange } from "./numbers";

const NO_ESTIMATE: Record<Schemas["NoEstimate"], string> = {
  invalid: "The experiment is not valid, so it has no expected lift.",
  personalization: "Its variants are for different audiences, so the difference between them is not an effect.",
  no_result: "No result was stored with its conclusion: an older version concluded it, or it had no primary goal.",
  not_trusted: "A health check had failed, so its result cannot be trusted.",
  too_few_conversions: "A variant or the control had fewer than 10 conversions: too few for an expected lift.",
};

/** Lines of the picture: the observed lift, and the expected lift below it. */
export function linesOf(item: Concluded) {
  if (item.lift === null) return [];
  const shown = drawnLift(item.lift, item.lift_interval);
  return item.expected_lift === null
    ? [shown]
    : [shown, drawnLift(item.expected_lift, item.expected_interval, "accent")];
}

/**
 * Common scale of a list: that of the expected lifts, because they are what matters. Observed intervals beyond it are
 * cut.
 */
export function domainOfAll(items: readonly Concluded[]): Domain {
  const expected = items.flatMap((item) =>
    item.expected_lift === null
      ? []
      : [drawnLift(item.expected_lift, item.expected_interval), drawnLift(item.lift, null)],
  );
  return domainOf(expected.length > 0 ? expected : items.flatMap(linesOf));
}

export function ConcludedItem({ item, domain }: { item: Concluded; domain: Domain }) {
  const [isOpen, setOpen] = useState(false);
  const more = useId();
  const params = { projectKey: item.project_key, testId: String(item.test_id) };
  return (
    <li className="grid gap-x-8 gap-y-3 border-b border-line px-4 py-4 last:border-0 md:px-5 lg:grid-cols-[minmax(0,1fr)_17rem] xl:grid-cols-[minmax(0,1fr)_30rem]">
      <div className="flex min-w-0 flex-col gap-1.5">
        <div className="flex flex-wrap items-baseline gap-x-2.5 gap-y-1">
          <h3 className="min-w-0 font-semibold break-words">
            <Link to="/p/$projectKey/experiments/$testId" params={params} className="link">
              {item.test_name}
            </Link>
          </h3>
          <WordBadge word={wordOf(OUTCOME, item.outcome)} />
        </div>
        <Byline item={item} />
        <p className={`max-w-160 break-words ${isOpen ? "whitespace-pre-wrap" : "line-clamp-3"}`}>
          {item.learned || <span className="text-soft">Nobody wrote down what was learned.</span>}
        </p>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? more : undefined}
          onClick={() => setOpen(!isOpen)}
          className="inline-flex w-fit items-center gap-1 rounded-sm py-0.5 text-sm font-medium text-accent pointer-coarse:py-2"
        >
          <Icon name={isOpen ? "chevronDown" : "chevronRight"} className="size-3.5" />
          {isOpen ? "Less" : "More"}
          <span className="sr-only"> about {item.test_name}</span>
        </button>
        {isOpen && (
          <div id={more}>
            <Details item={item} />
          </div>
        )}
      </div>
      <Lifts item={item} domain={domain} />
    </li>
  );
}

function Byline({ item }: { item: Concluded }) {
  const { projects } = useSession();
  const project = projects.find((one) => one.project_key === item.project_key)?.name;
  return (
    <p className="text-sm break-words text-soft">
      {item.concluded_by ?? "Somebody"}, {date(item.concluded_at)}
      {projects.length > 1 && project !== undefined && <> · {project}</>}
      {item.hypothesis_id !== null && (
        <>
          {" · "}
          <Link
            to="/p/$projectKey/hypotheses/$hypothesisId"
            params={{ projectKey: item.project_key, hypothesisId: String(item.hypothesis_id) }}
            className="link"
          >
            Hypothesis<span className="sr-only"> of {item.test_name}</span>
          </Link>
        </>
      )}
      {item.serving_variant_id !== null && <> · {armName(item.serving_variant_id)} is served</>}
    </p>
  );
}

function Lifts({ item, domain }: { item: Concluded; domain: Domain }) {
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      {item.lift !== null && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 xl:flex-nowrap">
          <dl className="flex min-w-0 flex-1 basis-64 flex-col gap-1">
            <LiftLine name="Shown" value={item.lift} interval={item.lift_interval} />
            {item.expected_lift !== null && (
              <LiftLine name="Expected" value={item.expected_lift} interval={item.expected_interval} isMain />
            )}
          </dl>
          <IntervalLines rows={linesOf(item)} domain={domain} />
        </div>
      )}
      {item.no_estimate !== null && <p className="text-sm text-soft">{NO_ESTIMATE[item.no_estimate]}</p>}
    </div>
  );
}

function LiftLine({
  name,
  value,
  interval,
  isMain = false,
}: {
  name: string;
  value: number;
  interval: number[] | null;
  isMain?: boolean;
}) {
  return (
    <div className="grid grid-cols-[4.25rem_minmax(0,1fr)] items-baseline gap-x-2">
      <dt className="text-soft">{name}</dt>
      <dd className="num">
        <span className={isMain ? "font-semibold" : undefined}>{lift(value)}</span>{" "}
        <span className="inline-block text-sm text-soft">{liftRange(liftEnds(interval) ?? null) ?? "no interval"}</span>
      </dd>
    </div>
  );
}

function Details({ item }: { item: Concluded }) {
  const facts: [ReactNode, ReactNode][] = [
    ["Why it ended this way", <Text key="note" text={item.note} />],
    ["Concluded", moment(item.concluded_at)],
    ["Primary goal", item.goal_name ?? "Not stored"],
    ["Visitors", item.visitors === null ? "Not stored" : integer(item.visitors)],
    ["Compared variant", item.variant_id === null ? NOTHING : armName(item.variant_id)],
    ["Served now", item.serving_variant_id === null ? "None" : armName(item.serving_variant_id)],
    ["Key", <code key="key">{item.experiment_key}</code>],
  ];
  if (item.hypothesis_id !== null) {
    facts.push(
      ...RATINGS.map(({ name, label }): [ReactNode, ReactNode] => [label, <Rating key={name} value={item[name]} />]),
    );
  }
  return <Facts facts={facts} />;
}

function Text({ text }: { text: string }) {
  return text ? (
    <p className="max-w-120 whitespace-pre-wrap">{text}</p>
  ) : (
    <span className="text-soft">Nobody wrote it down.</span>
  );
}
