import { useQueryClient } from "@tanstack/react-query";
import { outdate, type Schemas, send } from "~/api/query";
import { utcMoment } from "~/lib/format";
import { Dialog } from "~/ui/dialog";
import { FormMoment, FormSelect, FormText } from "~/ui/form/fields";
import { FormView, useForm } from "~/ui/form/form";
import { toast } from "~/ui/toast";
import { KIND } from "./words";

type Kind = Schemas["ExclusionKind"];

interface NewExclusion {
  kind: Kind;
  value: string;
  from: string | null;
  to: string | null;
  reason: string;
}

const NEW: NewExclusion = { kind: "network", value: "", from: null, to: null, reason: "" };

interface NewExclusionProps {
  projectKey: string;
  /** Visits that were found. */
  initial?: Pick<NewExclusion, "kind" | "value">;
  isOpen: boolean;
  onClose: () => void;
}

export function NewExclusionDialog({ projectKey, initial, isOpen, onClose }: NewExclusionProps) {
  const cache = useQueryClient();
  const form = useForm<NewExclusion>({
    stored: { ...NEW, ...initial },
    submit: async ({ value, ...rest }) => {
      const hasValue = KIND[rest.kind].label !== undefined;
      const params = { path: { project_key: projectKey } };
      const body = { ...rest, value: hasValue ? value : null };
      await send("post", "/v2/project/{project_key}/exclusions", { params, body });
      await outdate(
        cache,
        "/v2/project/{project_key}/exclusions",
        "/v2/project/{project_key}/experiment/{test_id}/suspects",
        "/v2/audit",
      );
      toast("Results do not count these visits from now on.");
      close();
    },
  });
  const close = () => {
    form.reset();
    onClose();
  };
  const words = KIND[form.values.kind];
  const isPeriod = words.label === undefined;
  const hintOf = (value: string | null) => {
    if (value !== null) return utcMoment(value);
    return isPeriod ? undefined : "Optional";
  };
  return (
    <Dialog isOpen={isOpen} onClose={close} title="New exclusion">
      <FormView form={form} act="Exclude visits" isAlwaysReady>
        <FormSelect
          form={form}
          name="kind"
          label="Exclude by"
          choices={(Object.entries(KIND) as [Kind, { name: string }][]).map(([kind, { name }]) => [kind, name])}
          hint={isPeriod ? words.hint : undefined}
        />
        {words.label !== undefined && (
          <FormText
            form={form}
            name="value"
            label={words.label}
            hint={words.hint}
            maxLength={256}
            autoComplete="off"
            spellCheck={false}
            required
          />
        )}
        <div className="grid gap-4 sm:grid-cols-2">
          <FormMoment form={form} name="from" label="From" hint={hintOf(form.values.from)} />
          <FormMoment form={form} name="to" label="To" hint={hintOf(form.values.to)} />
        </div>
        <FormText
          form={form}
          name="reason"
          label="Reason"
          hint="For those who read results later. Without personal data."
          maxLength={500}
          autoComplete="off"
          required
        />
      </FormView>
    </Dialog>
  );
}
