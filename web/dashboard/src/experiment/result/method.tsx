// Statistical method of a metric, in the terms of analysts, with the numbers of the answer. Collapsed, because few
// readers need it.

import { percent, probability } from "~/lib/format";
import { Icon } from "~/ui/icon";
import type { Analysis } from "./reading";

/**
 * Metrics that are corrected together: the variants on the goal at the top (`goal`), or all other metrics (`metrics`).
 * Guardrails are tested for harm only.
 */
export type Family = "goal" | "metrics" | "guardrails";

interface Compared {
  name: string;
  analysis?: Analysis | null | undefined;
}

const all = new Intl.ListFormat("en-GB");

/** Sentences on the method; empty if nothing is compared. */
export function methodOf(arms: readonly Compared[], family: Family): string[] {
  const compared = arms.flatMap(({ name, analysis }) => (analysis == null ? [] : [{ name, analysis }]));
  if (compared.length === 0) return [];
  return [
    family === "guardrails"
      ? "Sequential test (always-valid), one-sided: it tests for harm, and is valid at any time you look."
      : "Sequential test (always-valid): the interval and p hold at any time you look.",
    cuped(compared),
    correction(compared, family),
    ...compared.flatMap(({ name, analysis: { exact_p_value: exact } }) =>
      exact == null
        ? []
        : [`Conversions are rare, so there is an exact test, too: p ${probability(exact)} for ${name}.`],
    ),
  ];
}

type Known = { name: string; analysis: Analysis };

/** `CUPED removed 23 % of the variance.` */
function cuped(compared: readonly Known[]): string {
  const removed = compared.flatMap(({ name, analysis: { variance_ratio: left } }) =>
    left == null ? [] : [{ name, share: percent(1 - left, 0) }],
  );
  const [first] = removed;
  if (first === undefined) return "CUPED: not used, because data from before entry does not reduce the variance.";
  if (compared.length === 1) return `CUPED removed ${first.share} of the variance.`;
  return `Variance removed by CUPED: ${all.format(removed.map(({ name, share }) => `${share} (${name})`))}.`;
}

function correction(compared: readonly Known[], family: Family): string {
  const how =
    family === "goal"
      ? compared.length === 1
        ? "Correction for several variants (Holm): one variant is compared, so nothing is corrected."
        : `Correction for several variants (Holm), over ${compared.length}.`
      : "Correction for several metrics (e-BH), over all variants of all metrics except the primary goal.";
  const before = compared.flatMap(({ name, analysis: { p_value: plain, p_value_adjusted: adjusted } }) =>
    plain === null || adjusted === null || probability(plain) === probability(adjusted)
      ? []
      : [`${name} p ${probability(adjusted)}, ${probability(plain)} uncorrected`],
  );
  return before.length === 0 ? how : `${how} ${before.join("; ")}.`;
}

export function Method({ arms, family, of }: { arms: readonly Compared[]; family: Family; of: string }) {
  const sentences = methodOf(arms, family);
  if (sentences.length === 0) return null;
  return (
    <details className="group/method max-w-full">
      <summary className="inline-flex w-fit list-none items-center gap-1 rounded-sm text-sm font-medium text-accent">
        Method<span className="sr-only"> for {of}</span>
        <Icon name="chevronDown" className="size-3 group-open/method:rotate-180" />
      </summary>
      <ul className="mt-1 flex max-w-160 flex-col gap-1 text-sm whitespace-normal text-soft">
        {sentences.map((sentence) => (
          <li key={sentence} className="break-words">
            {sentence}
          </li>
        ))}
      </ul>
    </details>
  );
}
