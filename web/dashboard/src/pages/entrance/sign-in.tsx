import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Navigate, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { ApiFailure, failureFrom } from "~/api/failure";
import { query, send } from "~/api/query";
import { beginSession, sessionQuery } from "~/api/session";
import { FormText } from "~/ui/form/fields";
import { FormView, useForm } from "~/ui/form/form";
import { keepDestination } from "~/lib/destination";
import { usePageTitle } from "~/lib/page";
import { answer, obstacle } from "~/lib/passkey";
import { Button, buttonClass } from "~/ui/button";
import { Note } from "~/ui/layout";
import { ErrorPanel, Loaded } from "~/ui/loaded";
import { Entrance } from "./entrance";

export function SignInPage() {
  usePageTitle("Sign in");
  const { to = "/experiments", error } = useSearch({ from: "/sign-in" });
  const session = useQuery(sessionQuery);
  const methods = useQuery(query("/v2/session/methods", {}));
  // The user is already signed in, perhaps in another tab.
  if (session.data) return <Navigate to={to as "/"} replace />;
  return (
    <Entrance title="Sign in">
      <Loaded query={methods}>
        {({ needs_first_owner, password, oidc, passkeys }) =>
          needs_first_owner ? (
            <FirstOwner />
          ) : (
            <>
              {error && (
                <Note tone="caution" role="alert">
                  {OIDC_ERRORS[error] ?? "Signing in did not succeed. Try again."}
                </Note>
              )}
              {oidc !== null && (
                // The provider's sign-in is another site: the browser has to navigate there.
                <a
                  className={buttonClass(password ? "plain" : "primary")}
                  href="/v2/session/oidc/start"
                  onClick={() => keepDestination(to)}
                >
                  Sign in with {oidc}
                </a>
              )}
              {oidc !== null && password && <p className="text-center text-sm text-soft">or</p>}
              {password && <PasswordForm to={to} />}
              {obstacle(passkeys) === undefined && <PasskeySignIn to={to} />}
            </>
          )
        }
      </Loaded>
    </Entrance>
  );
}

/** Errors of a sign-in at the provider. */
const OIDC_ERRORS: Record<string, string> = {
  oidc_expired: "The sign-in took too long. Begin again.",
  oidc_failed: "The provider did not confirm who you are. Try again.",
  oidc_not_invited: "Nobody has invited this address. Ask an admin for an invitation.",
  oidc_busy: "Too many sign-ins from your network have failed. Try again in a minute.",
  oidc_unavailable: "The provider cannot be reached. Try again in a minute.",
};

function FirstOwner() {
  return (
    <Note>
      <p className="font-medium">Nobody can sign in yet.</p>
      <p>
        The server prints a link for the first owner when it starts. Open that link, or run{" "}
        <code className="font-mono text-sm">muriel person add</code> on the machine of the server.
      </p>
    </Note>
  );
}

function PasskeySignIn({ to }: { to: string }) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiFailure>();
  const signIn = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      const { data } = await send("post", "/v2/session/passkey/options", {});
      const credential = await answer(data.options);
      beginSession(cache, (await send("post", "/v2/session/passkey", { body: { credential } })).data);
      await navigate({ to: to as "/", replace: true });
    } catch (thrown) {
      const failed = failureFrom(thrown);
      setFailure(failed.code === "sign_in_failed" ? new ApiFailure(UNKNOWN_PASSKEY, { code: failed.code }) : failed);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <p className="text-center text-sm text-soft">or</p>
      <Button icon="key" isBusy={isBusy} onClick={signIn}>
        Use a passkey
      </Button>
      {failure && <ErrorPanel error={failure} />}
    </>
  );
}

const UNKNOWN_PASSKEY = "This passkey is not known here. It may have been removed from the account.";

function PasswordForm({ to }: { to: string }) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [needsCode, setNeedsCode] = useState(false);
  const form = useForm({
    stored: { email: "", password: "", totp: "" },
    submit: async ({ email, password, totp }) => {
      try {
        const { data } = await send("post", "/v2/session", { body: { email, password, ...(totp !== "" && { totp }) } });
        beginSession(cache, data);
      } catch (thrown) {
        if (thrown instanceof ApiFailure && thrown.code === "totp_needed" && !needsCode) {
          setNeedsCode(true);
          return "keep";
        }
        throw thrown;
      }
      await navigate({ to: to as "/", replace: true });
      return undefined;
    },
  });
  return (
    <FormView form={form} act="Sign in" isAlwaysReady>
      <FormText form={form} name="email" label="E-mail" type="email" autoComplete="username" autoFocus required />
      <FormText form={form} name="password" label="Password" type="password" autoComplete="current-password" required />
      {needsCode && (
        <FormText
          form={form}
          name="totp"
          label="Code of your authenticator"
          hint="Six digits, or one of your recovery codes."
          autoComplete="one-time-code"
          autoFocus
          required
        />
      )}
    </FormView>
  );
}
