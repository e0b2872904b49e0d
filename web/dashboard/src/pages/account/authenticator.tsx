// Enrols and removes an authenticator (TOTP).

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { outdate, type Schemas, send } from "~/api/query";
import { useRefreshSession, useSession } from "~/api/session";
import { FormText } from "~/ui/form/fields";
import { FormView, useForm } from "~/ui/form/form";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { Note } from "~/ui/layout";
import { QrCode } from "~/ui/qr";
import { Secret } from "~/ui/secret";
import { toast } from "~/ui/toast";

export function Authenticator() {
  const { person } = useSession();
  const [dialog, setDialog] = useState<"enrol" | "remove">();
  const close = () => setDialog(undefined);
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        {person.has_totp ? <Badge tone="good">Enrolled</Badge> : <Badge>Not enrolled</Badge>}
        <Button onClick={() => setDialog("enrol")}>{person.has_totp ? "Replace it" : "Enrol one"}</Button>
        {person.has_totp && <Button onClick={() => setDialog("remove")}>Remove it</Button>}
      </div>
      {dialog === "enrol" && <EnrolDialog onClose={close} />}
      {dialog === "remove" && <RemoveDialog onClose={close} />}
    </>
  );
}

function PasswordAgain({ act, submit }: { act: string; submit: (body: { password?: string }) => Promise<unknown> }) {
  const { person } = useSession();
  const form = useForm({
    stored: { password: "" },
    submit: async ({ password }) => {
      await submit(person.has_password ? { password } : {});
    },
  });
  return (
    <FormView form={form} act={act} isAlwaysReady>
      {person.has_password && (
        <FormText
          form={form}
          name="password"
          label="Your password"
          type="password"
          autoComplete="current-password"
          autoFocus
          required
        />
      )}
    </FormView>
  );
}

function EnrolDialog({ onClose }: { onClose: () => void }) {
  const [begun, setBegun] = useState<Schemas["TotpBegun"]>();
  const [codes, setCodes] = useState<string[]>();
  if (codes) {
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title="Keep these codes"
        about="Each code works once instead of the six digits, if you lose your authenticator. You will not see them again."
        footer={
          <Button kind="primary" onClick={onClose}>
            I have kept them
          </Button>
        }
      >
        <Secret label="Recovery codes" text={codes.join("\n")} />
      </Dialog>
    );
  }
  return (
    <Dialog isOpen onClose={onClose} title="Enrol an authenticator">
      {begun ? (
        <Confirm begun={begun} onDone={setCodes} />
      ) : (
        <PasswordAgain
          act="Continue"
          submit={async (body) => setBegun((await send("post", "/v2/person/me/totp", { body })).data)}
        />
      )}
    </Dialog>
  );
}

function Confirm({ begun, onDone }: { begun: Schemas["TotpBegun"]; onDone: (codes: string[]) => void }) {
  const cache = useQueryClient();
  const refreshSession = useRefreshSession();
  const form = useForm({
    stored: { code: "" },
    submit: async (body) => {
      const { data } = await send("post", "/v2/person/me/totp/confirm", { body });
      onDone(data.recovery_codes);
      await Promise.all([refreshSession(), outdate(cache, "/v2/person/me/sessions", "/v2/people", "/v2/audit")]);
    },
  });
  return (
    <>
      <p>
        Scan this with the authenticator on your phone, type the key into it, or open the{" "}
        <a href={begun.uri} className="link">
          one on this device
        </a>
        . Then enter the six digits that it shows.
      </p>
      <QrCode text={begun.uri} label="QR code for the authenticator" className="size-48 self-center" />
      <Secret label="Key" text={grouped(begun.secret)} />
      <FormView form={form} act="Confirm" isAlwaysReady>
        <FormText
          form={form}
          name="code"
          label="Code"
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={16}
          required
          className="max-w-40"
        />
      </FormView>
    </>
  );
}

/** Splits a secret into groups of four, which are easier to read. */
function grouped(secret: string): string {
  return secret.replace(/(.{4})(?=.)/g, "$1 ");
}

function RemoveDialog({ onClose }: { onClose: () => void }) {
  const cache = useQueryClient();
  const refreshSession = useRefreshSession();
  return (
    <Dialog isOpen onClose={onClose} title="Remove the authenticator">
      <Note tone="caution">Then your password alone is enough to sign in. Recovery codes stop working.</Note>
      <PasswordAgain
        act="Remove authenticator"
        submit={async (body) => {
          await send("post", "/v2/person/me/totp/remove", { body });
          await Promise.all([refreshSession(), outdate(cache, "/v2/people", "/v2/audit")]);
          toast("The authenticator was removed.");
          onClose();
        }}
      />
    </Dialog>
  );
}
