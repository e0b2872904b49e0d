// Webhooks of a project: addresses that receive its events.

import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { query } from "~/api/query";
import { may, useSession } from "~/api/session";
import { usePageTitle } from "~/lib/page";
import { Dot } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Card, Empty, Note, Page, PageHeader } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { Table } from "~/ui/table";
import { NewWebhookDialog } from "./new-webhook";
import { eventText, nameOf, stateOf, type Webhook } from "./words";

export function webhooksQuery(projectKey: string) {
  return query("/v2/project/{project_key}/webhooks", { path: { project_key: projectKey } });
}

export function WebhooksPage() {
  usePageTitle("Webhooks");
  const { projectKey } = useParams({ from: "/app/p/$projectKey/webhooks" });
  const isAllowed = may(useSession(), projectKey, "admin");
  const webhooks = useQuery({ ...webhooksQuery(projectKey), enabled: isAllowed });
  const [isAdding, setAdding] = useState(false);
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
      New webhook
    </Button>
  );
  const isEmpty = webhooks.data?.webhooks.length === 0;
  return (
    <Page>
      <PageHeader
        title="Webhooks"
        about="Addresses that Muriel notifies of events in this project."
        actions={isAllowed && !isEmpty && add}
      />
      {isAllowed ? (
        <Loaded query={webhooks}>
          {(data) => (
            <Card flush>
              {isEmpty ? (
                <Empty icon="plug" title="No webhooks yet" action={add}>
                  Muriel can notify a chat, a pipeline or a server when an experiment starts, stops, breaks or has a
                  verdict.
                </Empty>
              ) : (
                <List projectKey={projectKey} webhooks={data.webhooks} />
              )}
            </Card>
          )}
        </Loaded>
      ) : (
        <Note>Only admins and owners see and change webhooks.</Note>
      )}
      {isAdding && <NewWebhookDialog projectKey={projectKey} onClose={() => setAdding(false)} />}
    </Page>
  );
}

const EVENTS_SHOWN = 3;

function List({ projectKey, webhooks }: { projectKey: string; webhooks: Webhook[] }) {
  return (
    <Table
      label="Webhooks"
      rows={webhooks}
      keyOf={(webhook) => webhook.webhook_id}
      columns={[
        {
          name: "Webhook",
          isName: true,
          cell: (webhook) => (
            <>
              <Link
                to="/p/$projectKey/webhooks/$webhookId"
                params={{ projectKey, webhookId: String(webhook.webhook_id) }}
                className="link font-medium"
              >
                {nameOf(webhook)}
              </Link>
              <span className="block text-sm break-all text-soft">{webhook.url}</span>
            </>
          ),
        },
        {
          name: "Events",
          cell: ({ events }) => (
            <span className="text-sm">
              {events.slice(0, EVENTS_SHOWN).map(eventText).join("; ")}
              {events.length > EVENTS_SHOWN && `; and ${events.length - EVENTS_SHOWN} more`}
            </span>
          ),
        },
        { name: "State", cell: (webhook) => <Dot word={stateOf(webhook)} hollow={!webhook.enabled} /> },
      ]}
    />
  );
}
