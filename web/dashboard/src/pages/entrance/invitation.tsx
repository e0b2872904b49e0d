// Page for links: for the first owner, for an invitation, for a new password. The secret of the link follows the `#`,
// so browsers do not send it. It is removed from the address at once.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { failureFrom } from "~/api/failure";
import { query, type Schemas, send } from "~/api/query";
import { beginSession } from "~/api/session";
import { FormText } from "~/ui/form/fields";
import { FormView, useForm } from "~/ui/form/form";
import { moment } from "~/lib/format";
import { usePageTitle } from "~/lib/page";
import { ROLE } from "~/lib/words";
import { Note } from "~/ui/layout";
import { ErrorPanel, Lines } from "~/ui/loaded";
import { Entrance } from "./entrance";

type Invitation = Schemas["InvitationAnswer"];

const TITLES: Record<Invitation["purpose"], string> = {
  first_owner: "Welcome",
  invitation: "Join",
  reset: "Set a new password",
};

export function InvitationPage() {
  const [token] = useState(() => location.hash.slice(1));
  useEffect(() => history.replaceState(history.state, "", location.pathname), []);
  const invitation = useQuery({
    ...query("/v2/invitation/{token}", { path: { token: token || "none" } }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  usePageTitle(invitation.data ? TITLES[invitation.data.purpose] : "Invitation");

  if (invitation.data) return <Accept token={token} invitation={invitation.data} />;
  const isSpent = invitation.isError && failureFrom(invitation.error).status === 404;
  return (
    <Entrance title="Invitation">
      {isSpent ? (
        <>
          <Note tone="caution">
            This link was used already, was withdrawn or has expired. Ask the sender for another one.
          </Note>
          <Link to="/sign-in" className="link">
            Go to the sign-in
          </Link>
        </>
      ) : invitation.isError ? (
        <ErrorPanel error={invitation.error} retry={() => invitation.refetch()} />
      ) : (
        <Lines count={3} />
      )}
    </Entrance>
  );
}

function Accept({ token, invitation }: { token: string; invitation: Invitation }) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const takes = new Set(invitation.takes);
  const form = useForm({
    stored: { company: "", email: "", name: "", password: "" },
    submit: async (values) => {
      const { company, email, name, password } = values;
      const body = {
        password,
        ...(takes.has("company") && { company }),
        ...(takes.has("email") && { email }),
        ...(takes.has("name") && { name }),
      };
      const { data } = await send("post", "/v2/invitation/{token}", { params: { path: { token } }, body });
      beginSession(cache, data);
      await navigate({ to: "/experiments", replace: true });
    },
  });
  const { purpose, company, role, email } = invitation;
  const about = {
    first_owner: "You are the first person here, and become the owner: you can invite everybody else.",
    invitation: `You are invited to ${company ?? "Muriel"} as ${ROLE[role].text.toLowerCase()}. ${ROLE[role].about}`,
    reset: `For ${email ?? "your account"}. It ends all your other sessions.`,
  }[purpose];
  const title = purpose === "invitation" && company ? `Join ${company}` : TITLES[purpose];
  return (
    <Entrance title={title} about={about}>
      <FormView form={form} act={purpose === "reset" ? "Set password" : "Create account"} isAlwaysReady>
        {takes.has("company") && (
          <FormText form={form} name="company" label="Company" autoComplete="organization" autoFocus required />
        )}
        {takes.has("email") ? (
          <FormText form={form} name="email" label="E-mail" type="email" autoComplete="username" required />
        ) : (
          // For password managers.
          <input type="hidden" name="username" autoComplete="username" value={email ?? ""} readOnly />
        )}
        {takes.has("name") && <FormText form={form} name="name" label="Your name" autoComplete="name" required />}
        <FormText
          form={form}
          name="password"
          label="Password"
          hint="At least 12 characters. A sentence is good."
          type="password"
          autoComplete="new-password"
          required
        />
      </FormView>
      <p className="text-sm text-soft">The link works once, until {moment(invitation.expires_at)}.</p>
    </Entrance>
  );
}
