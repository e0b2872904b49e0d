// Hypotheses as cards, with a column per stage. The stage follows from the experiments, so a card moves when an
// experiment is created, started or ended.

import { Link } from "@tanstack/react-router";
import { ago, integer } from "~/lib/format";
import { Badge, Dot, WordBadge } from "~/ui/badge";
import { Rating } from "~/ui/rating";
import { type Hypothesis, RATINGS, titleOf } from "~/experiment/hypothesis-words";
import { endOf, experimentsOf, type Item, type Linked, STAGE, STAGES, type Stage, stageOf } from "./linked";

export interface HypothesesShown {
  projectKey: string;
  hypotheses: Hypothesis[];
  linked: Linked;
  /** True when all matching hypotheses are loaded. */
  isWhole: boolean;
}

interface CardData {
  hypothesis: Hypothesis;
  experiments: Item[];
}

export function Board({ projectKey, hypotheses, linked, isWhole }: HypothesesShown) {
  const columns = new Map<Stage, CardData[]>(STAGES.map((stage) => [stage, []]));
  for (const hypothesis of hypotheses) {
    const experiments = experimentsOf(hypothesis, linked);
    columns.get(stageOf(experiments))?.push({ hypothesis, experiments });
  }
  if (!linked.isComplete && linked.error === undefined)
    return (
      <div aria-busy="true" className="grid gap-4 md:grid-cols-2 lg:grid-cols-4">
        {STAGES.map((stage) => (
          <div key={stage} className="skeleton h-60 rounded-lg" />
        ))}
      </div>
    );
  return (
    <div className="grid items-start gap-x-3 gap-y-6 md:grid-cols-2 lg:grid-cols-4">
      {[...columns].map(([stage, cards]) => (
        <section key={stage} aria-label={STAGE[stage].text} className="flex min-w-0 flex-col gap-2">
          <div className="border-b border-line pb-1.5">
            <div className="flex items-baseline justify-between gap-2">
              <h2 className="font-semibold">
                <Dot word={STAGE[stage]} hollow={stage === "idea" || stage === "planned"} />
              </h2>
              {/* The count is shown only if it is complete. */}
              {isWhole && <span className="num text-soft">{integer(cards.length)}</span>}
            </div>
            <p className="text-sm text-soft">{STAGE[stage].about}</p>
          </div>
          {cards.length > 0 ? (
            <ul className="flex flex-col gap-2">
              {cards.map((card) => (
                <li key={card.hypothesis.hypothesis_id}>
                  <HypothesisCard projectKey={projectKey} {...card} />
                </li>
              ))}
            </ul>
          ) : (
            <p className="rounded-lg border border-dashed border-line px-3 py-3 text-sm text-soft max-md:py-2">
              None{isWhole ? "" : " of those loaded"}
            </p>
          )}
        </section>
      ))}
    </div>
  );
}

function HypothesisCard({ projectKey, hypothesis, experiments }: CardData & { projectKey: string }) {
  const { hypothesis_id, problem, solution, archived, updated_at } = hypothesis;
  const isRated = RATINGS.some(({ name }) => hypothesis[name] !== null);
  return (
    <article className="flex flex-col gap-2 rounded-lg border border-line bg-panel px-3 py-2.5">
      <div>
        <Link
          to="/p/$projectKey/hypotheses/$hypothesisId"
          params={{ projectKey, hypothesisId: String(hypothesis_id) }}
          className="font-medium text-ink no-underline hover:underline"
        >
          {titleOf(hypothesis)}
        </Link>
        {problem?.trim() && solution?.trim() && <p className="mt-0.5 line-clamp-3 text-sm text-soft">{solution}</p>}
      </div>
      {isRated && (
        <dl className="grid grid-cols-[1fr_auto] gap-x-2 text-sm xs:max-md:flex xs:max-md:gap-x-4">
          {RATINGS.map(({ name, label }) => (
            <div key={name} className="contents xs:max-md:flex xs:max-md:gap-2">
              <dt className="text-soft">{label}</dt>
              <dd>
                <Rating value={hypothesis[name]} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {experiments.length > 0 && <ExperimentList projectKey={projectKey} experiments={experiments} />}
      <p className="flex flex-wrap items-center gap-x-2 text-xs text-soft">
        {archived && <Badge>Archived</Badge>}
        <span>Changed {ago(updated_at)}</span>
      </p>
    </article>
  );
}

const MOST = 3;

/** A few experiments, with the state of each. */
export function ExperimentList({ projectKey, experiments }: { projectKey: string; experiments: Item[] }) {
  const more = experiments.length - MOST;
  return (
    <ul className="flex flex-col text-sm">
      {experiments.slice(0, MOST).map((one) => (
        <li key={one.test_id} className="flex items-baseline justify-between gap-2">
          <Link
            to="/p/$projectKey/experiments/$testId"
            params={{ projectKey, testId: String(one.test_id) }}
            className="link min-w-0 py-0.75 break-words"
          >
            {one.test_name}
          </Link>
          <WordBadge word={endOf(one)} />
        </li>
      ))}
      {more > 0 && <li className="text-soft">and {integer(more)} more</li>}
    </ul>
  );
}
