// People who can sign in, with their roles, and invitations.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { outdate, query, type Schemas, send } from "~/api/query";
import { isAtLeast, useSession } from "~/api/session";
import { ago, count, date, moment } from "~/lib/format";
import { usePageTitle } from "~/lib/page";
import { ROLE } from "~/lib/words";
import { Badge } from "~/ui/badge";
import { Button, IconButton } from "~/ui/button";
import { ConfirmDialog } from "~/ui/dialog";
import { Card, Page, PageHeader } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { Menu, MenuItem } from "~/ui/menu";
import { Table } from "~/ui/table";
import { toast } from "~/ui/toast";
import { InviteDialog } from "./invite";
import { PersonDialog } from "./person";

type Person = Schemas["Person"];
type Invitation = Schemas["Invitation"];

export function PeoplePage() {
  usePageTitle("People");
  const people = useQuery(query("/v2/people", {}));
  const [isInviting, setInviting] = useState(false);
  return (
    <Page>
      <PageHeader
        title="People"
        about="Everybody who can sign in, and what they may do."
        actions={
          <Button kind="primary" icon="plus" onClick={() => setInviting(true)}>
            Invite
          </Button>
        }
      />
      <Loaded query={people}>
        {({ people, invitations }) => (
          <>
            <Card flush>
              <People people={people} />
            </Card>
            {invitations.length > 0 && (
              <Card flush title="Invitations" about="Nobody has used these links yet.">
                <Invitations invitations={invitations} />
              </Card>
            )}
          </>
        )}
      </Loaded>
      <InviteDialog isOpen={isInviting} onClose={() => setInviting(false)} />
    </Page>
  );
}

export function useProjectsText(): (projects: Person["projects"]) => string {
  const session = useSession();
  const named = new Map(session.projects.map((one) => [one.project_key, one.name]));
  return (projects) =>
    projects === null
      ? "All projects"
      : projects
          .map((one) => `${named.get(one.project_key) ?? one.project_key} (${ROLE[one.role].text.toLowerCase()})`)
          .join(", ");
}

function People({ people }: { people: Person[] }) {
  const cache = useQueryClient();
  const session = useSession();
  const projectsText = useProjectsText();
  const [changed, setChanged] = useState<Person>();
  const [removed, setRemoved] = useState<Person>();
  return (
    <>
      <Table
        label="People"
        rows={people}
        keyOf={(person) => person.person_id}
        columns={[
          {
            name: "Name",
            isName: true,
            cell: (person) => (
              <>
                <span className="font-medium">{person.name}</span>{" "}
                {person.person_id === session.person.person_id && <Badge tone="accent">You</Badge>}
                <span className="block break-all text-soft">{person.email}</span>
              </>
            ),
          },
          { name: "Role", cell: (person) => ROLE[person.role].text },
          { name: "Projects", cell: (person) => projectsText(person.projects) },
          {
            name: "Second factor",
            cell: (person) =>
              [person.has_totp && "Authenticator", person.passkeys > 0 && count(person.passkeys, "passkey")]
                .filter(Boolean)
                .join(", ") || <span className="text-soft">None</span>,
          },
          {
            name: "Last seen",
            cell: (person) => (
              <span title={moment(person.last_seen_at)}>
                {person.last_seen_at ? ago(person.last_seen_at) : "Never"}
              </span>
            ),
          },
          {
            name: "Actions",
            isActs: true,
            cell: (person) =>
              isAtLeast(session.role, person.role) &&
              person.person_id !== session.person.person_id && (
                <Menu align="end" trigger={<IconButton small icon="more" label={`Actions for ${person.name}`} />}>
                  <MenuItem icon="person" onClick={() => setChanged(person)}>
                    Change role and projects
                  </MenuItem>
                  <MenuItem icon="close" danger onClick={() => setRemoved(person)}>
                    Remove
                  </MenuItem>
                </Menu>
              ),
          },
        ]}
      />
      {changed && <PersonDialog person={changed} onClose={() => setChanged(undefined)} />}
      <ConfirmDialog
        isOpen={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        title={`Remove ${removed?.name ?? ""}`}
        act="Remove person"
        onConfirm={async () => {
          if (!removed) return;
          const { data } = await send("delete", "/v2/person/{person_id}", {
            params: { path: { person_id: removed.person_id } },
          });
          await outdate(cache, "/v2/people", "/v2/keys", "/v2/audit");
          const keys = data.ended.keys.map((key) => `${key.name} (${key.prefix})`).join(", ");
          toast(`${removed.name} was removed.${keys && ` These API keys of theirs were revoked: ${keys}.`}`);
        }}
      >
        <p>
          They are signed out at once and cannot sign in again. API keys, invitations, links to results and preview
          links that they created stop working. If programs use their keys, give these programs other keys first.
        </p>
        <p>Experiments and comments stay, with their name.</p>
      </ConfirmDialog>
    </>
  );
}

function Invitations({ invitations }: { invitations: Invitation[] }) {
  const cache = useQueryClient();
  const projectsText = useProjectsText();
  const [withdrawn, setWithdrawn] = useState<Invitation>();
  return (
    <>
      <Table
        label="Invitations"
        rows={invitations}
        keyOf={(invitation) => invitation.invitation_id}
        columns={[
          {
            name: "E-mail",
            isName: true,
            cell: (invitation) => <span className="font-medium break-all">{invitation.email}</span>,
          },
          { name: "Role", cell: (invitation) => ROLE[invitation.role].text },
          { name: "Projects", cell: (invitation) => projectsText(invitation.projects) },
          { name: "Invited by", cell: (invitation) => invitation.invited_by },
          {
            name: "Expires",
            cell: (invitation) => (
              <span title={moment(invitation.expires_at)}>{date(invitation.expires_at, true)}</span>
            ),
          },
          {
            name: "Actions",
            isActs: true,
            cell: (invitation) => (
              <Button
                small
                onClick={() => setWithdrawn(invitation)}
                aria-label={`Withdraw the invitation of ${invitation.email}`}
              >
                Withdraw
              </Button>
            ),
          },
        ]}
      />
      <ConfirmDialog
        isOpen={withdrawn !== undefined}
        onClose={() => setWithdrawn(undefined)}
        title="Withdraw invitation"
        act="Withdraw invitation"
        onConfirm={async () => {
          if (!withdrawn) return;
          await send("delete", "/v2/people/invitation/{invitation_id}", {
            params: { path: { invitation_id: withdrawn.invitation_id } },
          });
          await outdate(cache, "/v2/people", "/v2/audit");
          toast("The invitation was withdrawn.");
        }}
      >
        <p>
          The link for <strong className="font-medium">{withdrawn?.email}</strong> no longer works. You can invite them
          again.
        </p>
      </ConfirmDialog>
    </>
  );
}
