// Next and last automatic action of the clock on an experiment.

import { Link } from "@tanstack/react-router";
import type { Schemas } from "~/api/query";
import { count, moment } from "~/lib/format";
import { Card, Note } from "~/ui/layout";
import { withoutRepeat } from "./history/acts";
import { ConfirmAct } from "./acts/confirm-act";
import { type Experiment, useExperiment } from "./open";

const ACTS: Record<Schemas["ClockAct"], string> = {
  start: "It starts",
  stop: "It stops",
  reweight: "The bandit checks the result, and may change the weights of the variants",
  ramp: "The winner may be served to more visitors",
};

const DONE: Record<Schemas["ClockAct"], string> = {
  start: "It was started",
  stop: "It was stopped",
  reweight: "The weights of the variants were changed",
  ramp: "The serving of a winner was changed",
};

export function ClockCard() {
  const { projectKey, experiment } = useExperiment();
  const { last } = experiment.schedule;
  const ahead = expected(experiment);
  return (
    <Card title="Automation">
      <div className="flex flex-col gap-2.5">
        {ahead.length > 0 ? (
          <ul className="flex flex-col gap-1.5">
            {ahead.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        ) : (
          <p className="text-soft">{nothing(experiment)}</p>
        )}
        {last?.failed && (
          <Note tone="bad">
            {last.act === "start"
              ? `It could not be started on ${moment(last.at)}: ${last.failed}. Muriel retries when the experiment changes.`
              : `The rule ${last.rule} did not act on ${moment(last.at)}: ${last.failed}. If you trust the result, let it act.`}
          </Note>
        )}
        {last?.failed && last.act !== "start" && <ConfirmAct />}
        {last && !last.failed && (
          <p className="text-sm text-soft">
            Last: {DONE[last.act] ?? last.act} on {moment(last.at)}: {withoutStop(withoutRepeat(last.detail))}.{" "}
            <Link
              to="/p/$projectKey/experiments/$testId/history"
              params={{ projectKey, testId: String(experiment.test_id) }}
              className="link"
            >
              History
            </Link>
          </p>
        )}
      </div>
    </Card>
  );
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, "");
}

/** Expected actions: the next one with a known time, and rules that act on numbers. */
function expected({ schedule, configuration, status, is_completed, is_deploy }: Experiment): string[] {
  const { next } = schedule;
  const sentences = next ? [`${ACTS[next.act] ?? next.act} on ${moment(next.at)}.`] : [];
  // No rule acts while the experiment is concluded or a winner is served. A draft has to start first.
  if (is_completed === 1 || is_deploy === 1 || status === 0) return sentences;
  const { completion_visitor, completion_conversion, completion_after_period, end_test_date } = configuration;
  if (end_test_date && next?.rule !== "end_date") sentences.push(`It stops on ${moment(end_test_date)}.`);
  if (completion_after_period && next?.rule !== "period")
    sentences.push(`It stops ${count(completion_after_period, "day")} after its first start.`);
  if (completion_visitor) sentences.push(`It stops after ${count(completion_visitor, "visitor")}.`);
  if (completion_conversion)
    sentences.push(`It stops after ${count(completion_conversion, "conversion")} on the primary goal.`);
  if (configuration.completion_stats_significant_flag === 1)
    sentences.push("It stops when its verdict is reached and no health check fails.");
  if (configuration.is_mab === 1 && next?.act !== "reweight")
    sentences.push("The bandit sets the weights of the variants from the result.");
  if (configuration.is_autopilot === 1) sentences.push("Autopilot serves a winning variant to more and more visitors.");
  return sentences;
}

function nothing({ is_completed, status }: Experiment): string {
  if (is_completed === 1) return "No automatic actions: it is concluded.";
  return status === 1
    ? "No automatic actions. It runs until somebody stops it."
    : "No automatic actions. It starts when somebody starts it.";
}
