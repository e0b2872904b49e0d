// Effects of a start and their times, in sentences, from the experiment's own settings.

import { count, moment } from "~/lib/format";
import { Icon } from "~/ui/icon";
import type { Experiment } from "../open";

export function WhatHappens({ experiment }: { experiment: Experiment }) {
  return (
    <ul className="flex flex-col gap-1.5">
      {[...beginning(experiment), ...ending(experiment)].map((sentence) => (
        <li key={sentence} className="flex gap-2">
          <Icon name="chevronRight" className="mt-1 size-3.5 text-soft" />
          <span className="min-w-0 flex-1 break-words">{sentence}</span>
        </li>
      ))}
    </ul>
  );
}

function beginning({ status, schedule, epochs }: Experiment): string[] {
  if (status === 1) {
    const first = epochs[0];
    return first ? [`It started on ${moment(first.started_at)}.`] : [];
  }
  const sentences = ["The experiment reaches visitors within a minute of the start."];
  if (schedule.next?.act === "start")
    sentences.push(`Its start date is ${moment(schedule.next.at)}. If you start it now, it does not wait for that.`);
  sentences.push(
    epochs.length > 0
      ? "A new period (epoch) begins. Data recorded before is kept."
      : "The first start locks its plan: comparisons are tuned for the planned visitors.",
  );
  return sentences;
}

/**
 * Rules that end the experiment automatically, in sentences. No rule acts while it is concluded or a winner is served.
 */
export function ending({ configuration, is_completed, is_deploy }: Experiment): string[] {
  if (is_completed === 1 || is_deploy === 1) return [];
  const sentences: string[] = [];
  const { end_test_date, completion_visitor, completion_conversion, completion_after_period } = configuration;
  if (end_test_date) sentences.push(`It stops on ${moment(end_test_date)}.`);
  if (completion_after_period)
    sentences.push(`It stops ${count(completion_after_period, "day")} after its first start.`);
  if (completion_visitor) sentences.push(`It stops after ${count(completion_visitor, "visitor")}.`);
  if (completion_conversion) sentences.push(`It stops after ${count(completion_conversion, "conversion")}.`);
  if (configuration.completion_stats_significant_flag === 1)
    sentences.push("It stops when its verdict is reached and no health check fails.");
  if (configuration.is_mab === 1) sentences.push("It is a bandit: the split follows the result of the primary goal.");
  if (configuration.is_autopilot === 1) sentences.push("Autopilot serves a winning variant to more and more visitors.");
  if (sentences.length === 0) sentences.push("It runs until somebody stops it.");
  return sentences;
}
