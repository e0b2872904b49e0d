// Results of an experiment: the verdict, its health, its progress, and then the numbers.

import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type ApiFailure, failureFrom } from "~/api/failure";
import { query } from "~/api/query";
import { may, useSession } from "~/api/session";
import { usePageTitle } from "~/lib/page";
import { Button, ButtonLink } from "~/ui/button";
import { Card, Note } from "~/ui/layout";
import { ErrorPanel, Lines, Loading } from "~/ui/loaded";
import { NextActButtons } from "~/experiment/acts/next-act-buttons";
import { EXPERIMENT, type Experiment, useExperiment } from "~/experiment/open";
import { standingQuery } from "~/experiment/standing";
import { ending } from "~/experiment/acts/what-happens";
import { ShareResult } from "./share-result";
import { type Answered, useResult } from "./answer";
import { BanditSection } from "./bandit/bandit-section";
import { BreakdownCard } from "./breakdown-card";
import { ConfirmPlan } from "./confirm-plan";
import { Downloads } from "./downloads";
import { NobodyFits, NobodyYet, NotStarted } from "./empty";
import { EVERYBODY, FIELDS, FilterBar } from "./filter-bar";
import { AsOf, Replaced, StillFormer, Waiting } from "~/experiment/result/freshness";
import { HoldoutLinks } from "./holdout-links";
import { parametersOf, type Question } from "~/experiment/result/question";
import { narrowings } from "~/experiment/result/question-words";
import { askedOf, goalName, primaryUnit } from "~/experiment/result/reading";
import { ResultSections } from "~/experiment/result/sections";
import { TimeSection } from "./time/time-section";

export function ResultsPage() {
  const { projectKey, experiment } = useExperiment();
  usePageTitle(`Results of ${experiment.test_name}`);
  // The key resets the page, so that it never shows answers of another experiment.
  const key = `${projectKey} ${experiment.test_id}`;
  return experiment.epochs.length === 0 ? <Draft key={key} /> : <ResultOf key={key} />;
}

/** Reads the current plan. */
function usePlan() {
  const { projectKey, experiment } = useExperiment();
  const path = { project_key: projectKey, test_id: experiment.test_id };
  return useQuery(query(`${EXPERIMENT}/plan`, { path })).data;
}

function Draft() {
  const { projectKey, experiment } = useExperiment();
  const params = { projectKey, testId: String(experiment.test_id) };
  return (
    <NotStarted
      plan={usePlan()}
      action={
        <ButtonLink to="/p/$projectKey/experiments/$testId/launch" params={params}>
          Go to the launch
        </ButtonLink>
      }
    />
  );
}

function ResultOf() {
  const { projectKey, experiment } = useExperiment();
  const question = useSearch({ from: "/app/p/$projectKey/experiments/$testId/results" });
  const change = useChange();
  const { answer, waitsFor } = useResult(projectKey, experiment, question);
  const goals = useQuery(
    query("/v2/project/{project_key}/goals", { path: { project_key: projectKey }, query: { limit: 500 } }),
  );
  const failure = answer.error ? failureFrom(answer.error) : undefined;
  const shown = answer.data;
  const isFormer = shown !== undefined && answer.isPlaceholderData;
  const readAgain = () => answer.refetch();
  return (
    <div className="flex flex-col gap-5">
      <FilterBar
        question={question}
        change={change}
        problem={(parameter) => failure?.fields.find(({ field }) => field === parameter)?.message}
        goals={goals.data?.goals.map((one) => [one.goal_key, one.goal_name] as const) ?? []}
        primary={experiment.primary_goal}
        epochs={experiment.epochs}
        wasServed={experiment.serving_variant_id !== undefined}
        aside={
          shown &&
          (isFormer ? (
            <StillFormer former={inWords(shown)} />
          ) : (
            <AsOf result={shown.result} isReading={answer.isFetching} readAgain={readAgain} />
          ))
        }
      />
      {waitsFor !== undefined && <Waiting why={waitsFor} isOutdated={shown !== undefined} />}
      {failure &&
        (isOfFields(failure) ? (
          <Note tone="bad" role="alert">
            The result cannot be computed. Correct the marked fields above.
          </Note>
        ) : (
          <ErrorPanel error={failure} retry={readAgain} isOutdated={shown !== undefined} />
        ))}
      {shown === undefined && failure === undefined && (
        <Loading>
          <Lines count={12} />
        </Loading>
      )}
      {shown && (
        <Replaced isFormer={isFormer}>
          <Shown answered={shown} change={change} isFormer={isFormer} />
        </Replaced>
      )}
    </div>
  );
}

/** Returns a function that changes the question in the address. */
function useChange() {
  const navigate = useNavigate({ from: "/p/$projectKey/experiments/$testId/results" });
  return (changes: Partial<Question>) =>
    navigate({ search: (before) => ({ ...before, ...changes }), replace: true, resetScroll: false });
}

/** Returns whether all errors are shown at fields. */
function isOfFields({ fields }: ApiFailure): boolean {
  return fields.length > 0 && fields.every(({ field }) => FIELDS.includes(field));
}

/** The question of an answer in words. */
function inWords({ question, result }: Answered): string {
  const visitors = narrowings(question);
  return [goalName(result) ?? "no goal", visitors.length > 0 ? visitors.join(", ") : "all visitors"].join(", ");
}

interface ShownProps {
  answered: Answered;
  change: (changes: Partial<Question>) => void;
  isFormer: boolean;
}

function Shown({ answered: { question, result }, change, isFormer }: ShownProps) {
  const { projectKey, experiment } = useExperiment();
  const { test_id: testId, epochs } = experiment;
  const about = narrowings(question);
  const plan = usePlan();
  const session = useSession();
  const standing = useQuery(standingQuery(projectKey, testId)).data;
  const all = <Button onClick={() => change(EVERYBODY)}>All visitors</Button>;
  const { breakdown_by: _, ...visitors } = parametersOf(question);
  const { asOf = "", endedAt } = askedOf(result);
  const of = { projectKey, testId, epochs, arms: result.variants, of: result.test_name };
  return (
    <ResultSections
      result={result}
      about={about}
      plan={plan}
      wholeDays={standing?.days}
      ending={result.status_code === 1 ? ending(experiment) : []}
      places={{
        actions: (
          <NextActButtons isResults>
            <ShareResult projectKey={projectKey} testId={testId} question={question} />
          </NextActButtons>
        ),
        nobody:
          about.length > 0 ? (
            <NobodyFits action={all} />
          ) : (
            <NobodyYet plan={plan} isLive={result.status_code === 1} action={<Look experiment={experiment} />} />
          ),
        heldBack: <ConfirmPlan />,
        health: may(session, projectKey, "admin") && (
          <p className="print:hidden">
            <Link
              to="/p/$projectKey/experiments/$testId/suspects"
              params={{ projectKey, testId: String(testId) }}
              className="link text-sm"
            >
              Look for made-up visitors
            </Link>
          </p>
        ),
        overTime: result.goal_key !== null && (
          <TimeSection
            {...of}
            question={visitors}
            goalName={goalName(result) ?? result.goal_key}
            confidence={result.confidence_threshold_percent}
            currency={result.currency}
            asOf={asOf}
          />
        ),
        breakdown: <BreakdownCard result={result} question={question} change={change} isFormer={isFormer} />,
        bandit: result.is_mab === 1 && (
          <BanditSection {...of} asOf={asOf} endedAt={endedAt} unit={primaryUnit(result)} />
        ),
        more: (
          <>
            <HoldoutLinks projectKey={projectKey} testId={testId} />
            <div className="print:hidden">
              <Card title="Export">
                <Downloads
                  projectKey={projectKey}
                  testId={testId}
                  testName={result.test_name}
                  question={parametersOf(question)}
                />
              </Card>
            </div>
          </>
        ),
      }}
    />
  );
}

/** Advice on what to check if no visitors enter. */
function Look({ experiment }: { experiment: Experiment }) {
  const { projectKey } = useExperiment();
  return (
    <ButtonLink
      to="/p/$projectKey/experiments/$testId/launch"
      params={{ projectKey, testId: String(experiment.test_id) }}
    >
      Check the page and the checklist
    </ButtonLink>
  );
}
