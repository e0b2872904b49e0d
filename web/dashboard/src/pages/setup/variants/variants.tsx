// Step "Variants": the label, visual changes and code of each variant, and previews of the saved state.

import { getRouteApi } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { ApiFailure } from "~/api/failure";
import { may, useSession } from "~/api/session";
import { useForm } from "~/ui/form/form";
import { FormGuard } from "~/ui/form/guard";
import { type Changes, type Experiment, useExperiment, useLocked, useSave } from "~/experiment/open";
import { StepForm } from "../step-form";
import { ArmList } from "./arm-list";
import { ArmPanel } from "./arm-panel";
import { readChanges } from "./changes-json";
import { type ArmId, armIn, differences, LABELS, merged, mergedParts, type Variant, type VariantFields } from "./arms";
import type { Editing } from "./editing";
import { useFindings } from "./findings";
import { Previews } from "./previews";

const route = getRouteApi("/app/p/$projectKey/experiments/$testId/setup/variants");

export function VariantsStep() {
  const locked = useLocked();
  const editing = useEditing();
  const { form, open } = editing;
  return (
    <>
      <StepForm
        step="Variants"
        form={form}
        act="Save variants"
        labels={LABELS}
        locked={locked}
        compare={COMPARE}
        className="flex flex-col gap-5"
      >
        <ArmList editing={editing} />
        <ArmPanel key={`${open}/${editing.generation}`} editing={editing} />
        <FormGuard form={form} />
      </StepForm>
      <Previews hasUnsaved={form.isChanged} />
    </>
  );
}

/** The form, with data that its parts need. */
function useEditing(): Editing {
  const { projectKey, experiment } = useExperiment();
  const session = useSession();
  const save = useSave();
  const { arm, view } = route.useSearch();
  const navigate = route.useNavigate();
  const [generation, setGeneration] = useState(0);
  const form = useForm<VariantFields>({
    name: `experiment/${experiment.test_id}/variants`,
    stored: storedIn(experiment),
    submit: async ({ unreadable }, changes) => {
      refuse(unreadable);
      return save(bodyOf(experiment, changes));
    },
  });
  const findings = useFindings(bodyOf(experiment, form.changes));
  // Two editors may report before the form is rendered again, so each change uses the newest list.
  const newest = useRef(form.values.variants);
  newest.current = form.values.variants;
  const setVariants = (change: (variants: Variant[]) => Variant[]) => {
    newest.current = change(newest.current);
    form.set("variants", newest.current);
  };
  const openArm = (next: ArmId) => navigate({ search: { arm: String(next) }, replace: true, resetScroll: false });
  return {
    form,
    findings,
    open: armIn(arm, form.values.variants),
    openArm,
    setVariants,
    mayCode: may(session, projectKey, "code"),
    isLocked: useLocked() !== undefined,
    generation,
    renumbered: () => setGeneration((before) => before + 1),
    isJson: view === "json",
  };
}

const NOTHING = {};

function storedIn({ control, variants, custom_css, custom_js }: Experiment): VariantFields {
  return { control, variants, custom_css, custom_js, unreadable: NOTHING };
}

/** Adds the key of the list, which the API requires for an experiment with several pages. */
function bodyOf({ variants_data_key }: Experiment, { unreadable: _, ...changes }: Partial<VariantFields>): Changes {
  return changes.variants ? { ...changes, variants_data_key } : changes;
}

/** Throws if a text cannot be parsed as changes, with errors at its fields like those of the server. */
function refuse(unreadable: Record<string, string>): void {
  const fields = Object.entries(unreadable).map(([field, text]) => ({ field, message: readChanges(text).error ?? "" }));
  if (fields.length === 0) return;
  const arms = fields.map(({ field }) => `Variant ${Number(/\d+/.exec(field)?.[0]) + 1}`).join(", ");
  throw new ApiFailure(`The visual changes of ${arms} are not valid JSON`, {
    status: 400,
    code: "invalid_field",
    fields,
  });
}

const COMPARE = {
  variants: (base: Variant[], theirs: Variant[], mine: Variant[]) => ({
    theirs: differences(base, theirs),
    mine: differences(base, mine),
    both: merged(base, theirs, mine),
  }),
  control: (base: VariantFields["control"], theirs: VariantFields["control"], mine: VariantFields["control"]) => ({
    theirs: differences([base as Variant], [theirs as Variant]).replace("Variant 1: ", ""),
    mine: differences([base as Variant], [mine as Variant]).replace("Variant 1: ", ""),
    both: mergedParts(base, theirs, mine),
  }),
};
