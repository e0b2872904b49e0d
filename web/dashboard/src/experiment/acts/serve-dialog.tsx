// Serves a winner: which variant, and to what share of the visitors.

import { send } from "~/api/query";
import { FormNumber, FormRadios } from "~/ui/form/fields";
import { FormView, useForm } from "~/ui/form/form";
import { Dialog } from "~/ui/dialog";
import { type ActDialogProps, useAct } from "./act-dialogs";
import type { Experiment } from "../open";

interface ServeDialogProps extends ActDialogProps {
  /** Id of the variant that is proposed. */
  arm?: string | undefined;
}

export function ServeDialog({ arm, onClose }: ServeDialogProps) {
  const { params, experiment, run } = useAct();
  const isServed = experiment.is_deploy === 1;
  const form = useForm<{ variant_id: string; traffic_allocation: number | null }>({
    stored: {
      variant_id: (isServed ? experiment.serving_variant_id : arm) ?? experiment.serving_variant_id ?? "1",
      traffic_allocation: experiment.serving_traffic_allocation ?? 100,
    },
    submit: async ({ variant_id, traffic_allocation }) => {
      const share = traffic_allocation ?? 100;
      const serve = () =>
        isServed
          ? send("patch", "/v2/project/{project_key}/experiment/{test_id}/serving-rollout", {
              params,
              body: { traffic_allocation: share },
            })
          : send("post", "/v2/project/{project_key}/experiment/{test_id}/serve-winner", {
              params,
              body: { variant_id, traffic_allocation: share },
            });
      await run(serve, `${armName(variant_id)} is served to ${share} % of visitors.`);
      onClose();
    },
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={isServed ? `Who gets ${armName(form.values.variant_id)}` : "Serve a winner to visitors"}
      about="Visitors in the experiment's audience get it within a minute, whatever the outcome of the test. You can stop serving it at any time."
    >
      <FormView form={form} act={isServed ? "Change who gets it" : "Serve it"} isAlwaysReady={!isServed}>
        {!isServed && <FormRadios form={form} name="variant_id" legend="Variant" choices={armsOf(experiment)} />}
        <FormNumber
          form={form}
          name="traffic_allocation"
          label="Visitors who get it, in percent"
          min={0}
          max={100}
          step={1}
          className="max-w-60"
        />
      </FormView>
    </Dialog>
  );
}

function armName(id: string): string {
  return id === "0" ? "Control" : `Variant ${id}`;
}

function armsOf({ control, variants }: Experiment): [id: string, name: string, label: string][] {
  return [control, ...variants].map(({ nickname }, at) => [String(at), armName(String(at)), nickname]);
}
