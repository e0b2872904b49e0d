// Fields of a holdout.

import { FormNumber } from "~/ui/form/fields";
import type { Form } from "~/ui/form/form";
import { ShareBar } from "~/ui/share-bar";
import { heldOut } from "./line";
import { ScopeField } from "./members";
import type { GroupValues } from "./values";

export function HoldoutFields({ form, projectKey }: { form: Form<GroupValues>; projectKey: string }) {
  const percent = Math.min(Math.max(form.values.percent ?? 0, 0), 100);
  return (
    <>
      <FormNumber
        form={form}
        name="percent"
        label="Visitors who are held out, in percent"
        hint="From 0.1 to 50. With many visitors, a small share is enough. The smaller side decides how long it takes to see an effect."
        min={0.1}
        max={50}
        step={0.01}
        className="max-w-90"
      />
      <ShareBar hasScale shares={heldOut(percent)} />
      <ScopeField form={form} projectKey={projectKey} />
    </>
  );
}
