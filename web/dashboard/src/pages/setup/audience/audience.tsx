// Step "Audience": for which visitors and on which pages the experiment runs, in words and as rules, with a visitor to
// try.

import { useForm } from "~/ui/form/form";
import { FormGuard } from "~/ui/form/guard";
import { Card } from "~/ui/layout";
import { type Changes, type Experiment, useExperiment, useLocked, useSave } from "~/experiment/open";
import { StepForm } from "../step-form";
import { type AudienceForm, RuleForm, RulesEditor } from "./editor";
import { isRule, PAGES, rulesOf, type Targeting, TITLES } from "./kinds";
import { InWords } from "./summary";
import { TryVisitor } from "./try-visitor";
import { clauses } from "./words";

const BASE = "targeting";

export function AudienceStep() {
  const { experiment } = useExperiment();
  const locked = useLocked();
  const save = useSave();
  const form: AudienceForm = useForm({
    name: `experiment/${experiment.test_id}/audience`,
    stored: placesOf(experiment),
    submit: (_, changes) => save(bodyOf(experiment, changes), { merge: true }),
  });
  const arms = audienceOfVariants(experiment);
  return (
    <>
      <Card title="Who takes part">
        <InWords targeting={targetingAt(form.values, BASE)} home={experiment.variants_data_key} />
      </Card>
      <StepForm
        step="Audience"
        form={form}
        act="Save audience"
        labels={labelsOf(form.values, experiment)}
        inWords={valueInWords}
        locked={locked}
        className="flex flex-col gap-5"
      >
        <Card title="Pages" about="Where the experiment runs. “Keep out” takes precedence over “Let in”.">
          {!isRule(form.values[`${BASE}.${PAGES.kind}`]) && (
            <p className="mb-3">
              Without a rule, the script runs the experiment only on{" "}
              <span className="font-medium break-words">{experiment.variants_data_key}</span>.
            </p>
          )}
          <RuleForm form={form} kind={PAGES.kind} place={`${BASE}.${PAGES.kind}`} />
        </Card>
        <Card
          title="Visitors"
          about="Who takes part on these pages. Without a rule, everybody does. With several rules, all of them have to hold."
        >
          <div className="flex flex-col gap-4">
            <RulesEditor form={form} base={BASE} />
          </div>
        </Card>
        {arms.map(({ base, title, name }) => (
          <Card key={base} title={title} about="A visitor gets the first variant whose rules hold.">
            <div className="flex flex-col gap-4">
              <InWords targeting={targetingAt(form.values, base)} nobody="Everybody who takes part." />
              <RulesEditor form={form} base={base} whose={name} />
            </div>
          </Card>
        ))}
        <FormGuard form={form} />
      </StepForm>
      <TryVisitor isUnsaved={form.isChanged} />
    </>
  );
}

/** Audience of each variant of a personalization. */
function audienceOfVariants({ test_type, variants }: Experiment) {
  if (test_type !== "personalization") return [];
  return variants.map(({ name, nickname }, at) => ({
    base: `variants[${at}].targeting`,
    name,
    title: `Who gets ${nickname && nickname !== name ? `${name}, ${nickname}` : name}`,
  }));
}

/** All rules by their path: the fields of the form. */
function placesOf(experiment: Experiment): Record<string, unknown> {
  const places: Record<string, unknown> = {};
  const put = (base: string, targeting: Targeting) => {
    for (const [kind, rule] of Object.entries(rulesOf(targeting))) places[`${base}.${kind}`] = rule;
  };
  put(BASE, experiment.targeting);
  for (const [at, { base }] of audienceOfVariants(experiment).entries()) {
    const { url_rule: _, ...audience } = rulesOf(experiment.variants[at]?.targeting ?? {});
    for (const [kind, rule] of Object.entries(audience)) places[`${base}.${kind}`] = rule;
  }
  return places;
}

/** Rules below a path, as targeting. */
function targetingAt(values: Record<string, unknown>, base: string): Targeting {
  const of = Object.entries(values).filter(([place]) => place.startsWith(`${base}.`));
  return Object.fromEntries(of.map(([place, rule]) => [place.slice(base.length + 1), rule]));
}

/**
 * Body of the merge-patch. Rules that were not touched stay as they are on the server, even if somebody else has
 * changed them. A merge-patch replaces lists completely, so variants are sent with all their fields.
 */
function bodyOf(experiment: Experiment, changes: Record<string, unknown>): Changes {
  const targeting = targetingAt(changes, BASE);
  const body: Changes = Object.keys(targeting).length > 0 ? { targeting } : {};
  const arms = audienceOfVariants(experiment).map(({ base }) => targetingAt(changes, base));
  if (arms.every((one) => Object.keys(one).length === 0)) return body;
  return {
    ...body,
    variants_data_key: experiment.variants_data_key,
    variants: experiment.variants.map((variant, at) => ({
      ...variant,
      targeting: { ...variant.targeting, ...arms[at] },
    })),
  };
}

function labelsOf(values: Record<string, unknown>, experiment: Experiment): Record<string, string> {
  const arms = audienceOfVariants(experiment);
  return Object.fromEntries(
    Object.keys(values).map((place) => {
      const arm = arms.find(({ base }) => place.startsWith(`${base}.`));
      const kind = place.slice(place.lastIndexOf(".") + 1);
      return [place, `${arm ? `${arm.name}: ` : ""}${TITLES[kind] ?? kind}`];
    }),
  );
}

function valueInWords(place: string, value: unknown): string {
  const kind = place.slice(place.lastIndexOf(".") + 1);
  return clauses({ [kind]: value } as Targeting)[0]?.text ?? "no rule";
}
