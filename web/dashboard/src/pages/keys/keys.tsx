// API keys of the company. A key is shown once, when it is created.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { outdate, query, type Schemas, send } from "~/api/query";
import { useSession } from "~/api/session";
import { ago, date, moment } from "~/lib/format";
import { usePageTitle } from "~/lib/page";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { ConfirmDialog } from "~/ui/dialog";
import { Card, Empty, Page, PageHeader } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { Table } from "~/ui/table";
import { toast } from "~/ui/toast";
import { NewKeyDialog } from "./new-key";

type Key = Schemas["ApiKeyItem"];

export function KeysPage() {
  usePageTitle("API keys");
  const keys = useQuery(query("/v2/keys", {}));
  const [isAdding, setAdding] = useState(false);
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
      New key
    </Button>
  );
  return (
    <Page>
      <PageHeader title="API keys" about="Programs use the API with a key, within its permissions." actions={add} />
      <Loaded query={keys}>
        {({ keys }) => (
          <Card flush>
            {keys.length > 0 ? (
              // Valid keys first, and the newest of them first.
              <Keys
                keys={[...keys].sort(
                  (a, b) => Number(isOver(a)) - Number(isOver(b)) || b.created_at.localeCompare(a.created_at),
                )}
              />
            ) : (
              <Empty icon="key" title="No keys yet">
                Servers, scripts and agents need one to use the HTTP API. Pages of your site do not.
              </Empty>
            )}
          </Card>
        )}
      </Loaded>
      <NewKeyDialog isOpen={isAdding} onClose={() => setAdding(false)} />
    </Page>
  );
}

function isOver({ revoked_at, expires_at }: Key): boolean {
  return revoked_at !== null || (expires_at !== null && new Date(expires_at) <= new Date());
}

function Keys({ keys }: { keys: Key[] }) {
  const cache = useQueryClient();
  const session = useSession();
  const [revoked, setRevoked] = useState<Key>();
  const projects = (key: Key) =>
    key.projects === null
      ? "All projects"
      : key.projects
          .map((one) => session.projects.find((project) => project.project_key === one)?.name ?? one)
          .join(", ");
  return (
    <>
      <Table
        label="API keys"
        rows={keys}
        keyOf={(key) => key.prefix}
        columns={[
          {
            name: "Name",
            isName: true,
            cell: (key) => (
              <>
                <span className="font-medium">{key.name}</span>{" "}
                {isOver(key) && <Badge>{key.revoked_at ? "Revoked" : "Expired"}</Badge>}
                <code className="block font-mono text-sm text-soft">mrl_{key.prefix}…</code>
              </>
            ),
          },
          { name: "Permissions", cell: (key) => key.scopes.join(", ") },
          { name: "Projects", cell: projects },
          {
            name: "Expires",
            cell: (key) => (
              <span title={moment(key.expires_at)}>{key.expires_at ? date(key.expires_at, true) : "Never"}</span>
            ),
          },
          {
            name: "Last used",
            cell: (key) => (
              <span title={moment(key.last_used_at)}>{key.last_used_at ? ago(key.last_used_at) : "Never"}</span>
            ),
          },
          {
            name: "Actions",
            isActs: true,
            cell: (key) =>
              !isOver(key) && (
                <Button small onClick={() => setRevoked(key)} aria-label={`Revoke ${key.name}`}>
                  Revoke
                </Button>
              ),
          },
        ]}
      />
      <ConfirmDialog
        isOpen={revoked !== undefined}
        onClose={() => setRevoked(undefined)}
        title={`Revoke ${revoked?.name ?? ""}`}
        act="Revoke key"
        onConfirm={async () => {
          if (!revoked) return;
          await send("delete", "/v2/key/{prefix}", { params: { path: { prefix: revoked.prefix } } });
          await outdate(cache, "/v2/keys", "/v2/audit");
          toast(`${revoked.name} was revoked.`);
        }}
      >
        <p>Every server refuses it within a second. This cannot be undone.</p>
        {revoked?.last_used_at && <p>It was last used {ago(revoked.last_used_at)}.</p>}
      </ConfirmDialog>
    </>
  );
}
