// Creates an exclusion group or holdout.

import { capital } from "~/lib/capital";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { type Schemas, send } from "~/api/query";
import { may, useSession } from "~/api/session";
import { FormText } from "~/ui/form/fields";
import { FormView, useForm } from "~/ui/form/form";
import { FormGuard } from "~/ui/form/guard";
import { usePageTitle } from "~/lib/page";
import { GROUP_KIND } from "~/lib/words";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { Choice, Choices } from "~/ui/field";
import { Card, Note, Page, PageHeader } from "~/ui/layout";
import { toast } from "~/ui/toast";
import { HoldoutFields } from "./holdout-fields";
import { MembersField } from "./members";
import { outdateGroups } from "~/experiment/exclusion-groups";
import type { GroupValues } from "./values";

type Kind = Schemas["GroupKind"];
type Made = Schemas["GroupChanged"];

const KINDS: Kind[] = ["exclusion", "holdout"];

export function NewGroupPage() {
  const { projectKey } = useParams({ from: "/app/p/$projectKey/groups/new" });
  const { kind = "exclusion" } = useSearch({ from: "/app/p/$projectKey/groups/new" });
  const navigate = useNavigate({ from: "/p/$projectKey/groups/new" });
  const mayWrite = may(useSession(), projectKey, "write");
  usePageTitle("New group");
  return (
    <Page width="form">
      <PageHeader
        title="New group"
        above={
          <Link to="/p/$projectKey/groups" params={{ projectKey }} className="link">
            Groups and holdouts
          </Link>
        }
      />
      {mayWrite ? (
        <>
          <Choices legend="Kind of group, which cannot be changed later">
            {KINDS.map((one) => (
              <Choice
                key={one}
                kind="radio"
                name="kind"
                label={GROUP_KIND[one].text}
                hint={GROUP_KIND[one].about}
                checked={kind === one}
                onChange={() => navigate({ search: { kind: one }, replace: true, resetScroll: false })}
              />
            ))}
          </Choices>
          <NewGroupForm key={kind} projectKey={projectKey} kind={kind} />
        </>
      ) : (
        <Note>Your role in this project can view everything, but change nothing.</Note>
      )}
    </Page>
  );
}

const NOTHING: GroupValues = { name: "", members: [], percent: null, scope: "project" };

function NewGroupForm({ projectKey, kind }: { projectKey: string; kind: Kind }) {
  const cache = useQueryClient();
  const [made, setMade] = useState<Made>();
  // The same for all attempts at this group, so that it is created once.
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const open = useOpen(projectKey);
  const form = useForm<GroupValues>({
    name: `group/${projectKey}/new-${kind}`,
    stored: NOTHING,
    submit: async ({ name, members, percent, scope }) => {
      const own = kind === "exclusion" ? { members } : { percent, scope };
      const { data } = await send("post", "/v2/project/{project_key}/exclusion-group", {
        params: { path: { project_key: projectKey } },
        body: { name, kind, ...own } as Schemas["GroupBody"],
        idempotencyKey,
      });
      await outdateGroups(cache);
      toast("The group was created.");
      setMade(data);
    },
  });
  return (
    <Card>
      <FormView form={form} act="Create group" isAlwaysReady>
        <FormText form={form} name="name" label="Name" maxLength={255} required />
        {kind === "exclusion" ? (
          <MembersField form={form} projectKey={projectKey} />
        ) : (
          <HoldoutFields form={form} projectKey={projectKey} />
        )}
        <Note>
          {kind === "exclusion"
            ? "The group takes effect at once: visitors outside the share of a live experiment no longer enter it."
            : "The group takes effect at once: visitors who are held out no longer enter live experiments."}{" "}
          You will then see how many visitors that affects.
        </Note>
        <FormGuard form={form} />
      </FormView>
      {made && <Created made={made} open={open} />}
    </Card>
  );
}

function useOpen(projectKey: string): (id: number) => void {
  const navigate = useNavigate();
  return (id) => navigate({ to: "/p/$projectKey/groups/$groupId", params: { projectKey, groupId: String(id) } });
}

/** Shows which visitors the new group has moved, before the user continues. */
function Created({ made: { group_id: id, warnings }, open }: { made: Made; open: (id: number) => void }) {
  const isNews = warnings.length > 0;
  return (
    <Dialog
      isOpen
      onClose={() => open(id)}
      title="The group was created"
      about={isNews ? "It has moved visitors of experiments:" : "It has not moved any visitors."}
      footer={
        <Button kind="primary" onClick={() => open(id)}>
          Open group
        </Button>
      }
    >
      {isNews && (
        <ul className="list-disc pl-5 break-words">
          {warnings.map((warning) => (
            <li key={warning}>{capital(warning)}.</li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
