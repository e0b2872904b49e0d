// The user's own name, password, authenticator, passkeys and sessions.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { outdate, query, type Schemas, send } from "~/api/query";
import { useRefreshSession, useSession } from "~/api/session";
import { FormText } from "~/ui/form/fields";
import { FormView, useForm } from "~/ui/form/form";
import { ago, count, moment } from "~/lib/format";
import { usePageTitle } from "~/lib/page";
import { ROLE } from "~/lib/words";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { ConfirmDialog } from "~/ui/dialog";
import { Card, Note, Page, PageHeader } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { Table } from "~/ui/table";
import { toast } from "~/ui/toast";
import { Authenticator } from "./authenticator";
import { Passkeys } from "./passkeys";

export function AccountPage() {
  usePageTitle("Your account");
  const { person, role } = useSession();
  return (
    <Page width="form">
      <PageHeader title="Your account" about={`${person.email}, ${ROLE[role].text.toLowerCase()}`} />
      <Card title="Name">
        <NameForm />
      </Card>
      <Card
        title={person.has_password ? "Password" : "Set a password"}
        about="Changing it ends all your other sessions."
      >
        <PasswordForm />
      </Card>
      <Card title="Authenticator" about="Signing in with it needs the password and a code from your phone.">
        <Authenticator />
      </Card>
      <Passkeys />
      <Sessions />
    </Page>
  );
}

function NameForm() {
  const { person } = useSession();
  const cache = useQueryClient();
  const refreshSession = useRefreshSession();
  const form = useForm({
    stored: { name: person.name },
    submit: async (_, changes) => {
      await send("patch", "/v2/person/{person_id}", {
        params: { path: { person_id: person.person_id } },
        body: changes,
      });
      await Promise.all([refreshSession(), outdate(cache, "/v2/people", "/v2/audit")]);
      toast("Your name was changed.");
    },
  });
  return (
    <FormView form={form} act="Save name">
      <FormText form={form} name="name" label="Your name" autoComplete="name" maxLength={255} required />
    </FormView>
  );
}

function PasswordForm() {
  const { person } = useSession();
  const cache = useQueryClient();
  const refreshSession = useRefreshSession();
  const form = useForm({
    stored: { current: "", password: "" },
    submit: async ({ current, password }) => {
      const body = person.has_password ? { current, password } : { password };
      const { data } = await send("post", "/v2/person/me/password", { body });
      await Promise.all([refreshSession(), outdate(cache, "/v2/person/me/sessions", "/v2/audit")]);
      toast(`Your password was changed, and ${count(data.revoked, "other session")} ended.`);
    },
  });
  return (
    <FormView form={form} act={person.has_password ? "Change password" : "Set password"}>
      <input type="hidden" name="username" autoComplete="username" value={person.email} readOnly />
      {person.has_password && (
        <FormText
          form={form}
          name="current"
          label="Current password"
          type="password"
          autoComplete="current-password"
          required
        />
      )}
      <FormText
        form={form}
        name="password"
        label="New password"
        hint="At least 12 characters."
        type="password"
        autoComplete="new-password"
        required
      />
    </FormView>
  );
}

function Sessions() {
  const cache = useQueryClient();
  const sessions = useQuery(query("/v2/person/me/sessions", {}));
  const [isEnding, setEnding] = useState(false);
  const end = async (session: Schemas["SessionItem"]) => {
    try {
      await send("delete", "/v2/person/me/sessions/{session_id}", {
        params: { path: { session_id: session.session_id } },
      });
      toast("The session was ended.");
    } catch (thrown) {
      toast(thrown instanceof Error ? thrown.message : String(thrown), "bad");
    }
    await outdate(cache, "/v2/person/me/sessions", "/v2/audit");
  };
  const others = sessions.data?.sessions.some((one) => !one.is_current);
  return (
    <Card
      flush
      title="Sessions"
      about="Browsers in which you are signed in."
      actions={
        others && (
          <Button small onClick={() => setEnding(true)}>
            End all others
          </Button>
        )
      }
    >
      <Loaded query={sessions}>
        {(data) => (
          <>
            <Refused refused={data.refused} />
            <Table
              label="Sessions"
              rows={data.sessions}
              keyOf={(session) => session.session_id}
              columns={[
                {
                  name: "Browser",
                  isName: true,
                  cell: (session) => (
                    <span title={session.user_agent}>
                      <span className="font-medium">{browserOf(session.user_agent)}</span>{" "}
                      {session.is_current && <Badge tone="accent">This one</Badge>}
                      <span className="block text-sm text-soft">
                        {session.network}, by {session.method}
                      </span>
                    </span>
                  ),
                },
                {
                  name: "Signed in",
                  cell: (session) => <span title={moment(session.created_at)}>{ago(session.created_at)}</span>,
                },
                {
                  name: "Last used",
                  cell: (session) => <span title={moment(session.last_seen_at)}>{ago(session.last_seen_at)}</span>,
                },
                {
                  name: "Actions",
                  isActs: true,
                  cell: (session) =>
                    !session.is_current && (
                      <Button
                        small
                        onClick={() => end(session)}
                        aria-label={`End the session of ${browserOf(session.user_agent)}`}
                      >
                        End
                      </Button>
                    ),
                },
              ]}
            />
          </>
        )}
      </Loaded>
      <ConfirmDialog
        isOpen={isEnding}
        onClose={() => setEnding(false)}
        title="End all other sessions"
        act="End sessions"
        onConfirm={async () => {
          const { data } = await send("delete", "/v2/person/me/sessions", {});
          await outdate(cache, "/v2/person/me/sessions", "/v2/audit");
          toast(`${count(data.revoked, "session")} ended.`);
        }}
      >
        <p>You stay signed in here, and have to sign in again everywhere else.</p>
      </ConfirmDialog>
    </Card>
  );
}

/** Warns that somebody else may know the password: the password was right, and the second factor was wrong. */
function Refused({ refused }: { refused: Schemas["RefusedSecondFactor"][] }) {
  const [latest] = refused;
  if (latest === undefined) return null;
  return (
    <div className="p-4">
      <Note tone="caution">
        <p className="font-medium">
          {count(refused.length, "sign-in")} with a wrong code or passkey in the last 30 days, the latest{" "}
          <span title={moment(latest.at)}>{ago(latest.at)}</span> from {latest.network}.
        </p>
        <p>If that was not you, change your password, and remove passkeys that you do not know.</p>
      </Note>
    </div>
  );
}

const BROWSERS: [RegExp, string][] = [
  [/Edg\//, "Edge"],
  [/Firefox\//, "Firefox"],
  [/OPR\//, "Opera"],
  [/Chrom(e|ium)\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const SYSTEMS: [RegExp, string][] = [
  [/Android/, "Android"],
  [/iPhone|iPad/, "iOS"],
  [/Mac OS X/, "macOS"],
  [/Windows/, "Windows"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
];

/** Common name of a browser. The title has the complete user agent. */
function browserOf(userAgent: string): string {
  const first = (names: [RegExp, string][]) => names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [first(BROWSERS), first(SYSTEMS)];
  if (browser === undefined) return userAgent.slice(0, 40) || "Unknown browser";
  return system === undefined ? browser : `${browser} on ${system}`;
}
