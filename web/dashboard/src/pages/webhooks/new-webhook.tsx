import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { outdate, send } from "~/api/query";
import { FormView, useForm } from "~/ui/form/form";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { Secret } from "~/ui/secret";
import { Fields, LABELS, type WebhookFields } from "./fields";

const NEW: WebhookFields = {
  url: "",
  description: "",
  events: ["experiment.started", "experiment.stopped", "health.failed", "verdict.reached"],
};

export function NewWebhookDialog({ projectKey, onClose }: { projectKey: string; onClose: () => void }) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [key, setKey] = useState(() => crypto.randomUUID());
  const [made, setMade] = useState<{ webhook_id: number; secret: string }>();
  const form = useForm<WebhookFields>({
    name: `webhook/${projectKey}/new`,
    stored: NEW,
    submit: async (values) => {
      const params = { path: { project_key: projectKey } };
      try {
        const sent = { params, body: values, idempotencyKey: key };
        setMade((await send("post", "/v2/project/{project_key}/webhook", sent)).data);
      } catch (thrown) {
        // Another body is another creation, and needs another key.
        setKey(crypto.randomUUID());
        throw thrown;
      }
      await outdate(cache, "/v2/project/{project_key}/webhooks", "/v2/audit");
    },
  });
  if (made === undefined) {
    return (
      <Dialog isOpen onClose={onClose} title="New webhook">
        <FormView form={form} act="Create webhook" labels={LABELS} isAlwaysReady>
          <Fields form={form} />
        </FormView>
      </Dialog>
    );
  }
  const go = () => {
    onClose();
    const params = { projectKey, webhookId: String(made.webhook_id) };
    return navigate({ to: "/p/$projectKey/webhooks/$webhookId", params });
  };
  return (
    <SecretDialog secret={made.secret} onClose={go}>
      You will not see it again. Then send a test message from the page of the webhook.
    </SecretDialog>
  );
}

/** Secret of a webhook, which is shown once. */
export function SecretDialog({ secret, onClose, children }: { secret: string; onClose: () => void; children: string }) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Copy the secret now"
      about={children}
      footer={
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <Secret label="Secret" text={secret} />
      <p className="text-sm text-soft">
        Messages are signed with it according to Standard Webhooks. Your receiver can check the signature with a library
        for your language.
      </p>
    </Dialog>
  );
}
