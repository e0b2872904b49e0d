// One webhook: its state, its deliveries, and its settings.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { outdate, send } from "~/api/query";
import { may, useSession } from "~/api/session";
import { FormView, useForm } from "~/ui/form/form";
import { ago, moment } from "~/lib/format";
import { FormGuard } from "~/ui/form/guard";
import { usePageTitle } from "~/lib/page";
import { Absent } from "~/shell/fallbacks";
import { Button, IconButton } from "~/ui/button";
import { ConfirmDialog } from "~/ui/dialog";
import { Card, Note, Page, PageHeader } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { Menu, MenuItem } from "~/ui/menu";
import { toast } from "~/ui/toast";
import { Deliveries } from "./deliveries";
import { Fields, LABELS, type WebhookFields } from "./fields";
import { SecretDialog } from "./new-webhook";
import { nameOf, type Webhook } from "./words";
import { webhooksQuery } from "./webhooks";

export function WebhookPage() {
  const { projectKey, webhookId } = useParams({ from: "/app/p/$projectKey/webhooks/$webhookId" });
  const isAllowed = may(useSession(), projectKey, "admin");
  const webhooks = useQuery({ ...webhooksQuery(projectKey), enabled: isAllowed });
  const webhook = webhooks.data?.webhooks.find((one) => String(one.webhook_id) === webhookId);
  usePageTitle(webhook ? nameOf(webhook) : "Webhook");
  const back = (
    <Link to="/p/$projectKey/webhooks" params={{ projectKey }} className="link">
      Webhooks
    </Link>
  );
  if (!isAllowed || (webhooks.data && !webhook)) {
    return (
      <Absent title={isAllowed ? "There is no such webhook" : "Only admins and owners see webhooks"}>
        {isAllowed && <>It was deleted, or the address is wrong. Go to the list: {back}.</>}
      </Absent>
    );
  }
  return (
    <Page width="form">
      {webhook ? (
        <Details projectKey={projectKey} webhook={webhook} back={back} />
      ) : (
        <>
          <PageHeader title="Webhook" above={back} />
          <Loaded query={webhooks}>{() => null}</Loaded>
        </>
      )}
    </Page>
  );
}

interface Shown {
  projectKey: string;
  webhook: Webhook;
}

function Details({ projectKey, webhook, back }: Shown & { back: React.ReactNode }) {
  const acts = useActs({ projectKey, webhook });
  const [asking, setAsking] = useState<"rotate" | "delete">();
  const [secret, setSecret] = useState<string>();
  const close = () => setAsking(undefined);
  return (
    <>
      <PageHeader
        title={nameOf(webhook)}
        above={back}
        about={<span className="break-all">{webhook.url}</span>}
        actions={
          <>
            <Button onClick={acts.test} isBusy={acts.isTesting} disabled={!webhook.enabled}>
              Send a test
            </Button>
            <Menu align="end" trigger={<IconButton icon="more" label="More actions" />}>
              <MenuItem icon="key" onClick={() => setAsking("rotate")}>
                New secret
              </MenuItem>
              <MenuItem icon={webhook.enabled ? "stop" : "check"} onClick={() => acts.enable(!webhook.enabled)}>
                {webhook.enabled ? "Switch off" : "Switch on"}
              </MenuItem>
              <MenuItem icon="close" danger onClick={() => setAsking("delete")}>
                Delete
              </MenuItem>
            </Menu>
          </>
        }
      />
      <State webhook={webhook} enable={() => acts.enable(true)} />
      <Deliveries projectKey={projectKey} webhook={webhook} />
      <Card title="Settings">
        <Settings projectKey={projectKey} webhook={webhook} />
      </Card>
      <ConfirmDialog
        isOpen={asking === "rotate"}
        onClose={close}
        title="Create a new secret"
        act="Create new secret"
        danger={false}
        onConfirm={async () => setSecret(await acts.rotate())}
      >
        <p>Messages are signed with the old one too for 24 hours, so that you can change your receiver meanwhile.</p>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asking === "delete"}
        onClose={close}
        title={`Delete ${nameOf(webhook)}`}
        act="Delete webhook"
        onConfirm={acts.remove}
      >
        <p>Its deliveries are deleted too, and pending ones are not sent. This cannot be undone.</p>
      </ConfirmDialog>
      {secret !== undefined && (
        <SecretDialog secret={secret} onClose={() => setSecret(undefined)}>
          You will not see it again.
        </SecretDialog>
      )}
    </>
  );
}

function useActs({ projectKey, webhook }: Shown) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [isTesting, setTesting] = useState(false);
  const params = { path: { project_key: projectKey, webhook_id: webhook.webhook_id } };
  const of = "/v2/project/{project_key}/webhook/{webhook_id}" as const;
  const changed = () => outdate(cache, "/v2/project/{project_key}/webhooks", `${of}/deliveries`, "/v2/audit");
  const said = async (act: () => Promise<unknown>, done: string) => {
    try {
      await act();
      toast(done);
    } catch (thrown) {
      toast(thrown instanceof Error ? thrown.message : String(thrown), "bad");
    }
    await changed();
  };
  return {
    isTesting,
    test: async () => {
      setTesting(true);
      const idempotencyKey = crypto.randomUUID();
      await said(() => send("post", `${of}/test`, { params, idempotencyKey }), "A test message is on its way.");
      setTesting(false);
    },
    enable: (enabled: boolean) =>
      said(
        () => send("patch", of, { params, body: { enabled } }),
        enabled ? "The webhook is on." : "The webhook is off.",
      ),
    rotate: async () => {
      const { data } = await send("post", `${of}/rotate`, { params, idempotencyKey: crypto.randomUUID() });
      await outdate(cache, "/v2/audit");
      return data.secret;
    },
    remove: async () => {
      await send("delete", of, { params });
      await navigate({ to: "/p/$projectKey/webhooks", params: { projectKey } });
      await changed();
      toast("The webhook was deleted.");
    },
  };
}

function State({ webhook, enable }: { webhook: Webhook; enable: () => void }) {
  if (!webhook.enabled) {
    return (
      <Note tone="caution">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p>
            Switched off <span title={moment(webhook.disabled_at)}>{ago(webhook.disabled_at)}</span>
            {webhook.disabled_reason && `: ${webhook.disabled_reason}`}. Nothing is sent.
          </p>
          <Button small onClick={enable}>
            Switch on
          </Button>
        </div>
      </Note>
    );
  }
  if (webhook.failing_since === null) return null;
  return (
    <Note tone="bad">
      Every attempt has failed since {moment(webhook.failing_since)}. After five days it is switched off. The deliveries
      below say why.
    </Note>
  );
}

function Settings({ projectKey, webhook }: Shown) {
  const cache = useQueryClient();
  const { url, description, events } = webhook;
  const form = useForm<WebhookFields>({
    name: `webhook/${projectKey}/${webhook.webhook_id}`,
    stored: { url, description, events },
    submit: async (_, changes) => {
      const params = { path: { project_key: projectKey, webhook_id: webhook.webhook_id } };
      await send("patch", "/v2/project/{project_key}/webhook/{webhook_id}", { params, body: changes });
      await outdate(cache, "/v2/project/{project_key}/webhooks", "/v2/audit");
      toast("The webhook was changed.");
    },
  });
  return (
    <FormView form={form} act="Save webhook" labels={LABELS}>
      <Fields form={form} />
      <FormGuard form={form} />
    </FormView>
  );
}
