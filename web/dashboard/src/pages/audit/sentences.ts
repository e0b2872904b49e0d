// Sentences for the entries of the audit log, with the words of the history: an action and its object.

import type { Schemas } from "~/api/query";
import { own } from "~/lib/own";

type Entry = Pick<Schemas["AuditEntry"], "action" | "object" | "after">;

export interface Said {
  /** Follows the name of the actor: "changed the settings of". */
  act: string;
  /** Object of the action; undefined if the action is a complete sentence. */
  thing: string | undefined;
}

/** Actions whose sentence needs no object: they are about the actor, or about something without a name. */
const ALONE: Record<string, string> = {
  "sign in session": "signed in",
  "sign in person": "signed in",
  "sign out session": "signed out",
  "join person": "joined the company",
  "set rates": "changed the currency rates",
  "export visitor_data": "read the data of a visitor",
  "delete visitor_data": "deleted the data of a visitor",
};

/** Actions by kind of object. */
const ACTS: Record<string, Record<string, string>> = {
  experiment: {
    duplicate: "copied another experiment to make",
    status: "changed the status of",
    start: "started",
    stop: "stopped",
    "serve winner": "served a winner of",
    "serving rollout": "changed how many visitors get the winner of",
    "stop serving": "stopped serving the winner of",
    conclude: "concluded",
    reopen: "reopened",
    "hold back": "did not act by a rule of",
    "confirm plan": "confirmed the changed plan of",
    "confirm act": "let the clock act by a rule on",
    reweight: "moved the weights of",
    approve: "approved a change of",
    "goal deleted": "deleted a goal of",
    "exclusion group": "changed the groups of",
  },
  share: { share: "shared the result of", revoke: "revoked a link to the result of" },
  proposal: {
    propose: "proposed a change of",
    approve: "approved a change of",
    reject: "rejected a change of",
    withdraw: "withdrew a change of",
  },
  session: { revoke: "ended a session of" },
  person: {
    add: "added",
    remove: "removed",
    update: "changed the access of",
    reset: "created a link for a new password of",
    "second factor refused": "refused a wrong code or passkey of",
    "reset password": "set a new password of",
    "change password": "changed the password of",
    "revoke others": "ended the other sessions of",
    "enrol authenticator": "set up an authenticator for",
    "remove authenticator": "removed the authenticator of",
    "enrol passkey": "added a passkey for",
    "remove passkey": "removed a passkey of",
  },
  invitation: { invite: "invited", withdraw: "withdrew the invitation of" },
  project: { settings: "changed the settings of" },
  webhook: { "rotate secret": "replaced the secret of the webhook" },
};

/** Actions that many kinds of objects have. The functions get the name of the kind. */
const COMMON: Record<string, (kind: string) => string> = {
  create: (kind) => `created ${kind}`,
  update: (kind) => `changed ${kind}`,
  delete: (kind) => `deleted ${kind}`,
  revoke: (kind) => `revoked ${kind}`,
  comment: (kind) => `commented on ${kind}`,
  restore: (kind) => `restored an earlier state of ${kind}`,
};

const KIND: Record<string, string> = { key: "API key", visitor_data: "data of a visitor", rates: "currency rates" };

export function kindName(kind: string): string {
  return own(KIND, kind) ?? kind.replaceAll("_", " ");
}

export function sentenceOf({ action, object: { kind, id, name }, after }: Entry): Said {
  const alone = own(ALONE, `${action} ${kind}`);
  if (alone !== undefined) return { act: alone, thing: undefined };
  // Earlier servers name parts of an experiment `of experiment 20`.
  const thing = name.replace(/^of (?=experiment \d+$)/, "") || `${kindName(kind)} ${id}`.trim();
  if (kind === "experiment" && action === "archive") {
    const isOut = (after as { archived?: unknown } | null)?.archived === false;
    return { act: isOut ? "took out of the archive:" : "archived", thing };
  }
  const special = own(own(ACTS, kind) ?? {}, action);
  if (special !== undefined) return { act: special, thing };
  const common = own(COMMON, action);
  if (common === undefined) return { act: `${action.replaceAll("_", " ")}:`, thing: `${kindName(kind)} ${thing}` };
  // If the object has no name, `thing` already contains the kind.
  return { act: common(name ? `the ${kindName(kind)}` : "").trim(), thing };
}
