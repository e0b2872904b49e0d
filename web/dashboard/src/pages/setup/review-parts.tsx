// Settings of each step, in words, with a link to the step.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { query, type Schemas } from "~/api/query";
import { count, integer, moment, percentage } from "~/lib/format";
import { countsOf } from "~/lib/goal-types";
import { BUILTIN_METRIC, TEST_TYPE } from "~/lib/words";
import { Card, Facts } from "~/ui/layout";
import { Excerpt } from "~/experiment/hypothesis-field";
import { useExperiment } from "~/experiment/open";
import { clauses, sentence } from "./audience/words";
import { STEPS } from "./steps";

type Experiment = Schemas["ExperimentDetails"];
type Fact = [name: ReactNode, value: ReactNode];

export function ReviewParts() {
  const { experiment } = useExperiment();
  return (
    <Card title="Your setup" flush>
      <Part step="Page" facts={pageFacts(experiment)} />
      <Part step="Variants" facts={variantFacts(experiment)} />
      <Goals />
      <Part step="Audience" facts={audienceFacts(experiment)} />
      <Traffic />
      <Part step="Schedule" facts={scheduleFacts(experiment.configuration)} />
    </Card>
  );
}

function Part({ step, facts }: { step: string; facts: Fact[] }) {
  const { projectKey, experiment } = useExperiment();
  const to = STEPS.find(({ name }) => name === step)?.to;
  return (
    <section className="grid gap-x-5 gap-y-2 border-t border-line px-4 py-3.5 sm:grid-cols-[6.5rem_minmax(0,1fr)] md:px-5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 sm:flex-col sm:justify-start">
        <h3 className="font-semibold">{step}</h3>
        {to && (
          <Link
            to={to as "/"}
            params={{ projectKey, testId: String(experiment.test_id) } as never}
            className="link text-sm"
            aria-label={`Change ${step}`}
          >
            Change
          </Link>
        )}
      </div>
      <Facts facts={facts} />
    </section>
  );
}

const NO_CHANGES = <span className="text-caution">No changes yet</span>;
const NONE_YET = <span className="text-soft">None yet</span>;

function pageFacts({ test_name, url, test_type, tags, hypothesis }: Experiment): Fact[] {
  return [
    ["Name", test_name],
    [
      "Page",
      <span key="page" className="break-all">
        {url}
      </span>,
    ],
    ["Kind of test", TEST_TYPE[test_type].text],
    ["Tags", tags.length > 0 ? tags.join(", ") : "None"],
    ["Hypothesis", hypothesis ? <Excerpt key="hypothesis" texts={hypothesis} whole /> : NONE_YET],
  ];
}

function variantFacts({ control, variants, custom_js, custom_css }: Experiment): Fact[] {
  const all: Fact[] = [
    ["Control", described(control.nickname, "The original page", control)],
    ...variants.map((variant): Fact => [variant.name, described(variant.nickname, NO_CHANGES, variant)]),
  ];
  const common = [custom_js && "JavaScript", custom_css && "CSS"].filter(Boolean);
  return common.length > 0 ? [...all, ["In all of them", common.join(", ")]] : all;
}

/** Nickname of a variant, and its parts. */
function described(
  nickname: string,
  otherwise: ReactNode,
  { customJS, customCSS, data = [] }: { customJS: string; customCSS: string; data?: readonly unknown[] },
): ReactNode {
  const parts = [data.length > 0 && count(data.length, "change"), customJS && "JavaScript", customCSS && "CSS"];
  const made = parts.filter(Boolean).join(", ") || otherwise;
  return nickname === "" ? (
    made
  ) : (
    <>
      {nickname} <span className="text-soft">({made})</span>
    </>
  );
}

function Goals() {
  const { projectKey, experiment } = useExperiment();
  const goals = useQuery(
    query("/v2/project/{project_key}/goals", { path: { project_key: projectKey }, query: { limit: 500 } }),
  );
  const { primary_goal, secondary_goal_keys, builtin_metrics, event_metrics, plan, configuration } = experiment;
  const nameOf = (key: string) => goals.data?.goals.find(({ goal_key }) => goal_key === key)?.goal_name ?? key;
  const metrics = builtin_metrics.map(
    (metric) => BUILTIN_METRIC[metric as keyof typeof BUILTIN_METRIC]?.text ?? metric,
  );
  return (
    <Part
      step="Goals"
      facts={[
        [
          "Primary goal",
          primary_goal ? (
            <span key="primary">
              {primary_goal.goal_name} <span className="block text-sm text-soft">{countsOf(primary_goal)}</span>
            </span>
          ) : (
            <span key="none" className="text-caution">
              No primary goal yet, so no variant can win
            </span>
          ),
        ],
        ["Also reported", [...secondary_goal_keys.map(nameOf), ...event_metrics].join(", ") || "Nothing else"],
        ["Guardrails", metrics.join(", ") || "None"],
        ["Worth acting on", <>Lifts of {percentage(plan.mde)} or more</>],
        ["Confidence", percentage(configuration.confidence_interval)],
        ["Planned visitors", plan.visitors == null ? "Computed at the start" : integer(plan.visitors)],
      ]}
    />
  );
}

function audienceFacts({ targeting, url, test_type }: Experiment): Fact[] {
  const facts: Fact[] = [["Who", sentence(clauses(targeting, url))]];
  return test_type === "personalization" ? [...facts, ["Audiences", "Each variant has its own"]] : facts;
}

function Traffic() {
  const { projectKey, experiment } = useExperiment();
  const shares = useQuery(
    query("/v2/project/{project_key}/experiment/{test_id}/distribution", {
      path: { project_key: projectKey, test_id: experiment.test_id },
    }),
  );
  const { traffic_allocation, is_mab, is_autopilot } = experiment.configuration;
  return (
    <Part
      step="Traffic"
      facts={[
        ["Take part", `${percentage(traffic_allocation)} of the audience`],
        [
          "Shares",
          shares.data
            ? shares.data.variants.map(({ name, traffic_weight }) => `${name} ${percentage(traffic_weight)}`).join(", ")
            : "…",
        ],
        ["Automation", automatic(is_mab === 1, is_autopilot === 1)],
      ]}
    />
  );
}

function automatic(isBandit: boolean, isAutopilot: boolean): string {
  const acts = [isBandit && "Shares follow the results", isAutopilot && "A winner is served to more and more visitors"];
  return acts.filter(Boolean).join(". ") || "Shares do not change, and people decide about a winner";
}

function scheduleFacts(configuration: Schemas["Configuration"]): Fact[] {
  const { start_test_date, end_test_date, completion_after_period, completion_visitor, completion_conversion } =
    configuration;
  const ends = [
    end_test_date && `on ${moment(end_test_date)}`,
    completion_after_period ? `after ${count(completion_after_period, "day")}` : "",
    completion_visitor ? `after ${count(completion_visitor, "visitor")}` : "",
    completion_conversion ? `after ${count(completion_conversion, "conversion")}` : "",
    configuration.completion_stats_significant_flag === 1 && "as soon as a variant wins or loses",
  ].filter(Boolean);
  return [
    ["Starts", start_test_date ? moment(start_test_date) : "By hand"],
    ["Ends", ends.length === 0 ? "By hand" : `By hand, or ${ends.join(", or ")}`],
  ];
}
