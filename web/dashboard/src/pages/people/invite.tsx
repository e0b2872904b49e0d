import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { outdate, type Schemas, send } from "~/api/query";
import { FormText } from "~/ui/form/fields";
import { FormView, useForm } from "~/ui/form/form";
import { moment } from "~/lib/format";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { Secret } from "~/ui/secret";
import { type Access, AccessFields, projectsOf } from "./access";

interface Invite extends Access {
  email: string;
}

const NEW: Invite = { email: "", role: "editor", projects: null };

export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const cache = useQueryClient();
  const [made, setMade] = useState<Schemas["InvitationCreated"]>();
  const form = useForm<Invite>({
    stored: NEW,
    submit: async (values) => {
      const projects = projectsOf(values);
      const body = { email: values.email, role: values.role, ...(projects !== null && { projects }) };
      const { data } = await send("post", "/v2/invitation", { body });
      setMade(data);
      await outdate(cache, "/v2/people", "/v2/audit");
    },
  });
  const close = () => {
    setMade(undefined);
    form.reset();
    onClose();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={made ? "Give them this link" : "Invite somebody"}
      about={
        made
          ? `Nothing was sent. The link works once, until ${moment(made.expires_at)}, and you will not see it again.`
          : "You get a link to give to the person."
      }
      footer={
        made && (
          <Button kind="primary" onClick={close}>
            Done
          </Button>
        )
      }
    >
      {made ? (
        <Secret label="Invitation link" text={made.link} />
      ) : (
        <FormView form={form} act="Create link" isAlwaysReady>
          <FormText form={form} name="email" label="E-mail" type="email" autoComplete="off" required />
          <AccessFields form={form} />
        </FormView>
      )}
    </Dialog>
  );
}
