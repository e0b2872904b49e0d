import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { outdate, type Schemas, send } from "~/api/query";
import { useSession } from "~/api/session";
import { FormChecks, FormSelect, FormText } from "~/ui/form/fields";
import { FormView, useForm } from "~/ui/form/form";
import { date } from "~/lib/format";
import { SCOPE } from "~/lib/words";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { Choice } from "~/ui/field";
import { Secret } from "~/ui/secret";

type Scope = Schemas["ScopeName"];

interface NewKey {
  name: string;
  scopes: Scope[];
  projects: string[];
  isLimited: boolean;
  expires_in_days: string;
}

const NEW: NewKey = { name: "", scopes: ["read"], projects: [], isLimited: false, expires_in_days: "365" };

const LIVES = [
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
  ["", "Never"],
] as const;

export function NewKeyDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const cache = useQueryClient();
  const { projects } = useSession();
  const [made, setMade] = useState<Schemas["KeyCreated"]>();
  const form = useForm<NewKey>({
    stored: NEW,
    submit: async ({ name, scopes, projects, isLimited, expires_in_days }) => {
      const body = {
        name,
        scopes,
        projects: isLimited ? projects : null,
        expires_in_days: expires_in_days === "" ? null : Number(expires_in_days),
      };
      const { data } = await send("post", "/v2/keys", { body });
      setMade(data);
      await outdate(cache, "/v2/keys", "/v2/audit");
    },
  });
  const close = () => {
    setMade(undefined);
    form.reset();
    onClose();
  };
  if (made) {
    const life = made.expires_at === null ? "It does not expire." : `It expires on ${date(made.expires_at)}.`;
    return (
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title="Copy the key now"
        about={`You will not see it again. ${life}`}
        footer={
          <Button kind="primary" onClick={close}>
            Done
          </Button>
        }
      >
        <Secret label="API key" text={made.api_key} />
      </Dialog>
    );
  }
  return (
    <Dialog isOpen={isOpen} onClose={close} title="New API key">
      <FormView form={form} act="Create key" isAlwaysReady>
        <FormText
          form={form}
          name="name"
          label="Name"
          hint="What it is for, such as nightly export."
          maxLength={255}
          autoComplete="off"
          required
        />
        <FormChecks
          form={form}
          name="scopes"
          legend="Permissions"
          choices={(Object.entries(SCOPE) as [Scope, string][]).map(([scope, about]) => [scope, scope, about])}
        />
        {projects.length > 1 && (
          <>
            <Choice
              label="Limit it to some projects"
              checked={form.values.isLimited}
              onChange={({ target }) => form.set("isLimited", target.checked)}
            />
            {form.values.isLimited && (
              <FormChecks
                form={form}
                name="projects"
                legend="Projects"
                choices={projects.map((one) => [one.project_key, one.name])}
              />
            )}
          </>
        )}
        <FormSelect form={form} name="expires_in_days" label="Expires" choices={LIVES} className="max-w-50" />
      </FormView>
    </Dialog>
  );
}
