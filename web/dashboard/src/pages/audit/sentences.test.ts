import assert from "node:assert/strict";
import { test } from "node:test";
import { sentenceOf } from "./sentences";

test("entries of the audit log read as sentences", () => {
  const cases: [action: string, kind: string, id: string, name: string, after: unknown, said: string][] = [
    ["share", "share", "4", "of experiment 20", null, "shared the result of experiment 20"],
    ["share", "share", "4", "Boots with the socks", null, "shared the result of Boots with the socks"],
    ["revoke", "share", "4", "Boots", null, "revoked a link to the result of Boots"],
    ["withdraw", "proposal", "9", "Boots", {}, "withdrew a change of Boots"],
    ["sign in", "session", "7", "Robin Lind", {}, "signed in"],
    ["reweight", "experiment", "3", "Which promise", {}, "moved the weights of Which promise"],
    ["status", "experiment", "3", "Boots", {}, "changed the status of Boots"],
    ["archive", "experiment", "3", "Boots", { archived: true }, "archived Boots"],
    ["archive", "experiment", "3", "Boots", { archived: false }, "took out of the archive: Boots"],
    ["comment", "experiment", "3", "", {}, "commented on experiment 3"],
    ["create", "goal", "5", "Order", {}, "created the goal Order"],
    ["restore", "goal", "5", "Order", {}, "restored an earlier state of the goal Order"],
    ["second factor refused", "person", "7", "Robin Lind", {}, "refused a wrong code or passkey of Robin Lind"],
    ["revoke", "key", "ab", "nightly export", null, "revoked the API key nightly export"],
    ["settings", "project", "prj_1", "Shop", {}, "changed the settings of Shop"],
    ["propose", "proposal", "9", "of experiment 20", {}, "proposed a change of experiment 20"],
    ["export", "visitor_data", "", "", null, "read the data of a visitor"],
    // An action of a newer server.
    ["paint", "goal", "5", "Order", {}, "paint: goal Order"],
    ["constructor", "toString", "5", "valueOf", {}, "constructor: toString valueOf"],
  ];
  for (const [action, kind, id, name, after, said] of cases) {
    const { act, thing } = sentenceOf({ action, object: { kind, id, name }, after });
    assert.equal([act, thing].filter(Boolean).join(" "), said);
  }
});
