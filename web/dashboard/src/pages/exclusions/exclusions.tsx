// Exclusions of a project: recorded visits that results do not count.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { outdate, query, type Schemas, send } from "~/api/query";
import { ago, moment } from "~/lib/format";
import { usePageTitle } from "~/lib/page";
import { Button } from "~/ui/button";
import { ConfirmDialog } from "~/ui/dialog";
import { Card, Empty, Page, PageHeader } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { Table } from "~/ui/table";
import { toast } from "~/ui/toast";
import { NewExclusionDialog } from "./new-exclusion";
import { KIND } from "./words";

type Exclusion = Schemas["Exclusion"];

export function ExclusionsPage() {
  const { projectKey } = useParams({ from: "/app/settings/projects/$projectKey/exclusions" });
  usePageTitle("Exclusions");
  const exclusions = useQuery(query("/v2/project/{project_key}/exclusions", { path: { project_key: projectKey } }));
  const [isAdding, setAdding] = useState(false);
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
      New exclusion
    </Button>
  );
  return (
    <Page>
      <PageHeader
        title="Exclusions"
        above={
          <Link to="/settings/projects/$projectKey" params={{ projectKey }} className="link">
            Settings of the project
          </Link>
        }
        about="Visits that no result of the project counts, such as those of a load test. The events stay recorded, and count again once the exclusion is removed."
        actions={add}
      />
      <Loaded query={exclusions}>
        {({ exclusions }) => (
          <Card flush>
            {exclusions.length > 0 ? (
              <Exclusions projectKey={projectKey} exclusions={[...exclusions].reverse()} />
            ) : (
              <Empty icon="people" title="No exclusions">
                Results count every visit that the settings of the project allow.
              </Empty>
            )}
          </Card>
        )}
      </Loaded>
      <NewExclusionDialog projectKey={projectKey} isOpen={isAdding} onClose={() => setAdding(false)} />
    </Page>
  );
}

function period({ from, to }: Exclusion): string {
  if (from === null && to === null) return "Always";
  if (to === null) return `From ${moment(from)}`;
  if (from === null) return `Until ${moment(to)}`;
  return `${moment(from)} to ${moment(to)}`;
}

function Exclusions({ projectKey, exclusions }: { projectKey: string; exclusions: Exclusion[] }) {
  const cache = useQueryClient();
  const [removed, setRemoved] = useState<Exclusion>();
  return (
    <>
      <Table
        label="Exclusions"
        rows={exclusions}
        keyOf={({ exclusion_id }) => String(exclusion_id)}
        columns={[
          {
            name: "Excluded visits",
            isName: true,
            cell: ({ kind, value, reason }) => (
              <>
                <span className="font-medium">{KIND[kind].name}</span>{" "}
                {value !== null && <code className="font-mono text-sm break-all">{value}</code>}
                <span className="block text-sm text-soft">{reason}</span>
              </>
            ),
          },
          { name: "Period", cell: period },
          {
            name: "Created",
            cell: ({ created_at, created_by }) => (
              <span title={moment(created_at)}>
                {ago(created_at)} by {created_by.name}
              </span>
            ),
          },
          {
            name: "Actions",
            isActs: true,
            cell: (exclusion) => (
              <Button
                small
                onClick={() => setRemoved(exclusion)}
                aria-label={`Remove the exclusion ${exclusion.value ?? exclusion.reason}`}
              >
                Remove
              </Button>
            ),
          },
        ]}
      />
      <ConfirmDialog
        isOpen={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        title="Count these visits again"
        act="Remove exclusion"
        onConfirm={async () => {
          if (!removed) return;
          const path = { project_key: projectKey, exclusion_id: removed.exclusion_id };
          await send("delete", "/v2/project/{project_key}/exclusion/{exclusion_id}", { params: { path } });
          await outdate(cache, "/v2/project/{project_key}/exclusions", "/v2/audit");
          toast("The exclusion was removed. Results count its visits again.");
        }}
      >
        <p>All results of the project are computed with these visits again. The audit log keeps the exclusion.</p>
      </ConfirmDialog>
    </>
  );
}
