// The user's own passkeys: keys on a device, which replace password and code.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { outdate, query, type Schemas, send } from "~/api/query";
import { useRefreshSession, useSession } from "~/api/session";
import { FormText } from "~/ui/form/fields";
import { FormView, useForm } from "~/ui/form/form";
import { ago, date, moment } from "~/lib/format";
import { make, namedAddress, obstacle } from "~/lib/passkey";
import { Button } from "~/ui/button";
import { ConfirmDialog, Dialog } from "~/ui/dialog";
import { Card, Note } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { Table } from "~/ui/table";
import { toast } from "~/ui/toast";

type Passkey = Schemas["PasskeyItem"];

const MOST = 20;

export function Passkeys() {
  const passkeys = useQuery(query("/v2/person/me/passkeys", {}));
  const methods = useQuery(query("/v2/session/methods", {}));
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Passkey>();
  const why = methods.data && obstacle(methods.data.passkeys);
  const isFull = (passkeys.data?.count ?? 0) >= MOST;
  return (
    <Card
      flush
      title="Passkeys"
      about="A key on your phone, computer or security key. It signs you in without a password or code."
      actions={
        methods.data &&
        why === undefined &&
        !isFull && (
          <Button small onClick={() => setAdding(true)}>
            Add a passkey
          </Button>
        )
      }
    >
      {why !== undefined && (
        <div className="px-4 pb-3 md:px-5">
          <Obstacle why={why} />
        </div>
      )}
      <Loaded query={passkeys}>
        {(data) =>
          data.passkeys.length > 0 ? (
            <List passkeys={data.passkeys} remove={setRemoved} />
          ) : (
            <p className="px-4 pb-4 text-soft md:px-5">You have none yet.</p>
          )
        }
      </Loaded>
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
      <RemoveDialog passkey={removed} onClose={() => setRemoved(undefined)} />
    </Card>
  );
}

function Obstacle({ why }: { why: string }) {
  const named = namedAddress();
  return (
    <Note>
      {why}{" "}
      {named !== undefined && (
        <>
          Open{" "}
          <a href={named} className="link">
            {named}
          </a>{" "}
          and sign in there.
        </>
      )}
    </Note>
  );
}

function List({ passkeys, remove }: { passkeys: Passkey[]; remove: (passkey: Passkey) => void }) {
  return (
    <Table
      label="Passkeys"
      rows={passkeys}
      keyOf={(passkey) => passkey.passkey_id}
      columns={[
        { name: "Name", isName: true, cell: ({ name }) => <span className="font-medium break-words">{name}</span> },
        {
          name: "Added",
          cell: ({ created_at }) => <span title={moment(created_at)}>{date(created_at, true)}</span>,
        },
        {
          name: "Last used",
          cell: ({ last_used_at }) => (
            <span title={moment(last_used_at)}>{last_used_at ? ago(last_used_at) : "Never"}</span>
          ),
        },
        {
          name: "Actions",
          isActs: true,
          cell: (passkey) => (
            <Button small onClick={() => remove(passkey)} aria-label={`Remove ${passkey.name}`}>
              Remove
            </Button>
          ),
        },
      ]}
    />
  );
}

function AddDialog({ onClose }: { onClose: () => void }) {
  const { person } = useSession();
  const cache = useQueryClient();
  const refreshSession = useRefreshSession();
  const form = useForm({
    stored: { name: "", password: "" },
    submit: async ({ name, password }) => {
      const body = person.has_password ? { password } : {};
      const { data } = await send("post", "/v2/person/me/passkeys/options", { body });
      const credential = await make(data.options);
      await send("post", "/v2/person/me/passkeys", { body: { name, credential } });
      await Promise.all([outdate(cache, "/v2/person/me/passkeys", "/v2/people", "/v2/audit"), refreshSession()]);
      toast(`${name} was added. You can sign in with it from now on.`);
      onClose();
    },
  });
  // The browser asks for the device only once there is a name: a passkey that is refused afterwards would stay on the
  // device.
  const isNamed = form.values.name.trim() !== "";
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Add a passkey"
      about="Your browser then asks where to store it, and verifies who you are."
    >
      <FormView form={form} act="Continue" isAlwaysReady={isNamed}>
        <FormText
          form={form}
          name="name"
          label="Name"
          placeholder="Laptop"
          hint="Such as the device that keeps it."
          maxLength={255}
          autoComplete="off"
          required
        />
        {person.has_password && (
          <FormText
            form={form}
            name="password"
            label="Your password"
            type="password"
            autoComplete="current-password"
            required
          />
        )}
      </FormView>
    </Dialog>
  );
}

function RemoveDialog({ passkey, onClose }: { passkey: Passkey | undefined; onClose: () => void }) {
  const cache = useQueryClient();
  const refreshSession = useRefreshSession();
  const { person } = useSession();
  return (
    <ConfirmDialog
      isOpen={passkey !== undefined}
      onClose={onClose}
      title={`Remove ${passkey?.name ?? ""}`}
      act="Remove passkey"
      onConfirm={async () => {
        if (passkey === undefined) return;
        const params = { path: { passkey_id: passkey.passkey_id } };
        await send("delete", "/v2/person/me/passkeys/{passkey_id}", { params });
        await Promise.all([outdate(cache, "/v2/person/me/passkeys", "/v2/people", "/v2/audit"), refreshSession()]);
        toast(`${passkey.name} was removed.`);
      }}
    >
      <p>It no longer signs you in. Delete it from the device, too: this does not happen automatically.</p>
      {!person.has_password && <p>You have no password. Make sure that there is another way to sign in.</p>}
    </ConfirmDialog>
  );
}
