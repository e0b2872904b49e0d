// Fields of a hypothesis, for a new one and for an existing one.

import { FormText, FormTextBox } from "~/ui/form/fields";
import type { Form } from "~/ui/form/form";
import type { Schemas } from "~/api/query";
import { RatingInput } from "~/ui/rating";
import { type Hypothesis, RATINGS } from "~/experiment/hypothesis-words";

/** Values as typed: an empty text means none. */
export interface HypothesisValues {
  observation: string;
  problem: string;
  solution: string;
  confidence: number | null;
  importance: number | null;
  difficulty: number | null;
  hypothesis_url: string;
}

export const HYPOTHESIS_LABELS: Record<keyof HypothesisValues, string> = {
  observation: "Observation",
  problem: "Problem",
  solution: "Solution",
  confidence: "Confidence",
  importance: "Importance",
  difficulty: "Difficulty",
  hypothesis_url: "Link to research",
};

export const NO_HYPOTHESIS: HypothesisValues = {
  observation: "",
  problem: "",
  solution: "",
  confidence: null,
  importance: null,
  difficulty: null,
  hypothesis_url: "",
};

export function valuesOf(hypothesis: Hypothesis): HypothesisValues {
  return {
    observation: hypothesis.observation ?? "",
    problem: hypothesis.problem ?? "",
    solution: hypothesis.solution ?? "",
    confidence: hypothesis.confidence,
    importance: hypothesis.importance,
    difficulty: hypothesis.difficulty,
    hypothesis_url: hypothesis.hypothesis_url ?? "",
  };
}

/** Converts typed values for the API. */
export function bodyOf(values: Partial<HypothesisValues>): Schemas["HypothesisPatch"] {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === "" ? null : value]));
}

const TEXTS = [
  {
    name: "observation",
    hint: "What have you seen? For example: half of the visitors on phones leave at the address.",
  },
  { name: "problem", hint: "Why is that a problem? For example: the form asks for twelve fields." },
  { name: "solution", hint: "The change to test. For example: ask for the postcode, and fill in the rest." },
] as const;

export function HypothesisFields({ form }: { form: Form<HypothesisValues> }) {
  return (
    <>
      {TEXTS.map(({ name, hint }) => (
        <FormTextBox
          key={name}
          form={form}
          name={name}
          label={HYPOTHESIS_LABELS[name]}
          hint={hint}
          maxLength={10_000}
          rows={3}
          controlClassName="field-sizing-content max-h-100 min-h-20"
        />
      ))}
      <FormText
        form={form}
        name="hypothesis_url"
        label={HYPOTHESIS_LABELS.hypothesis_url}
        aside="optional"
        type="url"
        maxLength={2_048}
        placeholder="https://"
      />
      <div className="flex flex-col gap-4">
        {RATINGS.map(({ name, ...rating }) => (
          <RatingInput
            key={name}
            {...rating}
            name={name}
            value={form.values[name]}
            onChange={(value) => form.set(name, value)}
            error={form.errorOf(name)}
          />
        ))}
      </div>
    </>
  );
}
