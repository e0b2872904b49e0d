// A decision of the server, step by step.

import { capital } from "~/lib/capital";
import type { Schemas } from "~/api/query";
import { names } from "~/lib/names";
import { REASON, type Tone } from "~/lib/words";
import { TEXT } from "~/ui/badge";
import { Icon, type IconName } from "~/ui/icon";
import { Note } from "~/ui/layout";
import { type Experiment, useExperiment } from "~/experiment/open";
import { TITLES } from "./kinds";

type Explanation = Schemas["Explanation"];

const CHECKS: Record<string, string> = {
  status: "Status",
  forced: "Preview",
  holdout: "Holdout",
  serving: "Winner",
  exclusion: "Exclusion group",
  sticky: "Earlier variant",
  traffic: "Traffic",
  audience: "Audience of a variant",
  variant: "Variant",
};

const OUTCOMES: Record<Schemas["StepOutcome"], { text: string; icon: IconName; tone: Tone }> = {
  pass: { text: "in", icon: "check", tone: "good" },
  fail: { text: "out", icon: "close", tone: "bad" },
  unknown: { text: "not known", icon: "info", tone: "caution" },
  not_enforced: { text: "ignored", icon: "info", tone: "neutral" },
};

export function ExplanationView({ explanation }: { explanation: Explanation }) {
  const { reason, elsewhere, unenforced, steps, visitor } = explanation;
  const { experiment } = useExperiment();
  return (
    <div className="flex flex-col gap-3">
      <div>
        <h3 className="text-lg font-semibold break-words">{heading(explanation, experiment)}</h3>
        <p className="break-words text-soft">
          {visitor}: {REASON[reason] ?? reason}
        </p>
      </div>
      {elsewhere && <Note tone="caution">{sentence(elsewhere)}</Note>}
      {unenforced.length > 0 && (
        <Note>
          Decided as on a server, which ignores the rules: {unenforced.map((kind) => TITLES[kind] ?? kind).join(", ")}.
        </Note>
      )}
      <ol aria-label="Steps" className="flex flex-col">
        {steps.map((step, at) => (
          <Step key={at} step={step} />
        ))}
      </ol>
    </div>
  );
}

/**
 * For an experiment that does not run, the steps describe what would happen if it ran. A passed step about the variant
 * means that no other step excludes the visitor.
 */
function heading({ variant, reason, steps }: Explanation, experiment: Experiment): string {
  if (variant) return `Gets ${armName(experiment, variant)}`;
  if (reason !== "disabled") return "Stays out, and sees the original";
  const isIn = steps.some(({ check, outcome }) => check === "variant" && outcome === "pass");
  return isIn ? "Would take part if it ran" : "Would stay out if it ran";
}

function Step({ step: { check, outcome, detail } }: { step: Schemas["ExplanationStep"] }) {
  const { text, icon, tone } = OUTCOMES[outcome] ?? OUTCOMES.unknown;
  return (
    <li className="grid gap-x-4 gap-y-0.5 items-start border-b border-line py-2 last:border-0 xs:grid-cols-[11rem_6.5rem_minmax(0,1fr)]">
      <span className="font-medium">{TITLES[check] ?? CHECKS[check] ?? check}</span>
      <span className={names("inline-flex items-center gap-1.5 font-medium", TEXT[tone])}>
        <Icon name={icon} className="size-4" />
        {capital(text)}
      </span>
      <span className="min-w-0 break-words text-soft">{sentence(detail)}</span>
    </li>
  );
}

/** `Variant 1`, and its nickname. */
function armName({ control, variants }: Experiment, variant: string): string {
  const nickname = variant === "Control" ? control.nickname : variants.find((one) => one.name === variant)?.nickname;
  return nickname && nickname !== variant ? `${variant}, ${nickname}` : variant;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? capital(text) : `${capital(text)}.`;
}
