// Form of a step of the setup. While the experiment is a draft, its primary button saves and opens the next step. Later
// it only saves, because users come to change a single setting.

import { useNavigate } from "@tanstack/react-router";
import type { ComponentProps } from "react";
import { FormView } from "~/ui/form/form";
import { useExperiment } from "~/experiment/open";
import { type StepName, STEPS } from "./steps";

type StepFormProps<V extends object> = Omit<ComponentProps<typeof FormView<V>>, "next" | "isPlain"> & {
  step: StepName;
};

export function StepForm<V extends object>({ step, ...form }: StepFormProps<V>) {
  const { projectKey, experiment } = useExperiment();
  const navigate = useNavigate();
  const after = STEPS[STEPS.findIndex(({ name }) => name === step) + 1];
  const go = (to: string) =>
    // The values are saved, but the guard of the form does not know it yet.
    navigate({ to, params: { projectKey, testId: String(experiment.test_id) }, ignoreBlocker: true } as never);
  const next = after && experiment.status === 9 ? { name: after.name, go: () => go(after.to) } : undefined;
  return <FormView<V> {...form} next={next} />;
}
