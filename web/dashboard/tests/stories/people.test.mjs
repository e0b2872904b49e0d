// The real server, from its first start: the first owner, projects, an invitation, roles, keys, a second factor, the
// audit log.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, test } from "node:test";
import { Muriel } from "../../../tests/muriel.mjs";
import { choose, PASSWORD, until, Visit } from "../rig.mjs";
import { browser } from "../worker.mjs";

/** A separate server, because nobody may have signed in to it yet. */
const muriel = await Muriel.start();
after(() => muriel.stop());

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Six-digit code of RFC 6238 for a secret in base 32. `step` counts half minutes from now. */
function totp(secret, step = 0) {
  const bits = [...secret.replaceAll(" ", "")]
    .map((digit) => BASE32.indexOf(digit).toString(2).padStart(5, "0"))
    .join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + step));
  const mac = createHmac("sha1", key).update(counter).digest();
  const at = mac[19] & 15;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

const begin = (settings) => Visit.begin(browser, { address: muriel.url, ...settings });
const home = (page) => page.getByRole("heading", { name: "Experiments", level: 1 }).waitFor();

test("from the first start to a team", async () => {
  const [link] = await muriel.told(/http\S+\/invitation#\S+/);
  const owner = await begin();
  const { page } = owner;

  // Nobody can sign in yet: the page says what to do.
  await owner.open("/");
  await page.getByText("Nobody can sign in yet.").waitFor();
  await owner.examine("real-nobody-yet");

  await page.goto(link);
  await page.getByRole("heading", { name: "Welcome" }).waitFor();
  // The link expires after an hour, so a day without a time would be misleading.
  await page.getByText(/The link works once, until \d+ \w+ \d{4},? (at )?\d\d:\d\d/).waitFor();
  await page.getByLabel("Company").fill("Acme <b>& Sons</b>");
  await page.getByLabel("E-mail").fill("ada@example.com");
  await page.getByLabel("Your name").fill("Ada Lovelace");
  await page.getByLabel("Password").fill("short");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.locator("[aria-invalid=true]").waitFor();
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await home(page);
  await page.getByText("Acme <b>& Sons</b>").first().waitFor();

  // Create a project, and change its settings.
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("button", { name: "New project" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Shop");
  await page.getByRole("button", { name: "Create project" }).click();
  await page.getByRole("heading", { name: "Shop", level: 1 }).waitFor();
  await page.getByRole("radio", { name: "Consent is required" }).check();
  const origins = page.getByLabel("Origins of pages that results count");
  await page.getByLabel("Query parameters that are stored").fill("utm_*, ref  page");
  await origins.fill("shop.example");
  await page.getByRole("button", { name: "Save settings" }).click();
  await page.getByText("must have origins of pages").first().waitFor();
  await origins.fill("https://shop.example/a https://www.shop.example");
  await page.getByRole("button", { name: "Save settings" }).click();
  await page.getByText("The settings were saved.").waitFor();
  await page.reload();
  const lists = ["Query parameters that are stored", "Origins of pages that results count"];
  const values = lists.map((label) => page.getByLabel(label).inputValue());
  assert.deepEqual(await Promise.all(values), ["utm_* ref page", "https://shop.example https://www.shop.example"]);
  const key = /prj_\w+/.exec(page.url())[0];
  await owner.examine("real-project-settings");

  // Invite an editor, who accepts in another browser.
  await page.getByRole("link", { name: "People" }).click();
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByLabel("E-mail").fill("mary@example.com");
  await page.getByRole("button", { name: "Create link" }).click();
  const invitation = await page.getByRole("status", { name: "Invitation link" }).textContent();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("table", { name: "Invitations" }).getByText("mary@example.com").waitFor();

  const editor = await begin();
  await editor.page.goto(invitation);
  await editor.page.getByLabel("Your name").fill("Mary Somerville");
  await editor.page.getByLabel("Password").fill(PASSWORD);
  await editor.page.getByRole("button", { name: "Create account" }).click();
  await home(editor.page);
  assert.equal(await editor.page.getByRole("link", { name: "People" }).count(), 0);
  await editor.open("/settings/people");
  await editor.page.getByRole("alert").waitFor();
  await editor.open(`/settings/projects/${key}`);
  await editor.page.getByText("Only admins and owners change settings.").waitFor();
  assert.ok(await editor.page.getByLabel("Name", { exact: true }).isDisabled());
  editor.nothingWrong();

  // The link was used, so a third person cannot use it.
  const third = await begin();
  await third.page.goto(invitation);
  await third.page.getByText("This link was used already").waitFor();
  await third.end();

  // The editor becomes a viewer, and sees the effect.
  await page.reload();
  await choose(page, page.getByRole("button", { name: "Actions for Mary Somerville" }), { name: "Change role" });
  await page.getByRole("radio", { name: "Viewer" }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Mary Somerville was changed.").waitFor();
  await editor.open("/account");
  await editor.page.getByText("mary@example.com, viewer").waitFor();
  await owner.examine("real-people");

  // A key is shown once, works, and is revoked.
  await page.getByRole("link", { name: "API keys" }).click();
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("nightly export");
  await page.getByRole("button", { name: "Create key" }).click();
  const apiKey = await page.getByRole("status", { name: "API key" }).textContent();
  await page.getByRole("button", { name: "Done" }).click();
  const call = () =>
    fetch(`${muriel.url}/v2/project/${key}/experiments`, { headers: { authorization: `Bearer ${apiKey}` } });
  assert.equal((await call()).status, 200);
  assert.ok(!(await page.content()).includes(apiKey));
  await page.getByRole("button", { name: "Revoke nightly export" }).click();
  await page.getByRole("button", { name: "Revoke key" }).click();
  await page.getByText("nightly export was revoked.").waitFor();
  await until(async () => (await call()).status === 401, "the refusal");
  await owner.examine("real-keys");

  // The actions are in the audit log.
  await page.getByRole("link", { name: "Audit log" }).click();
  await page
    .getByRole("button", { name: /revoked the API key nightly export/ })
    .first()
    .click();
  await page
    .getByRole("button", { name: /joined the company/ })
    .first()
    .waitFor();
  await owner.settled();
  await owner.examine("real-audit");
  const csv = await owner.context.request.get(`${muriel.url}/v2/audit.csv`);
  assert.match(await csv.text(), /mary@example\.com/);

  await editor.end();
  await owner.end();
});

test("a second factor is enrolled, and asked for", async () => {
  const visit = await begin();
  const { page } = visit;
  await visit.signIn("ada@example.com");
  await visit.open("/account");
  await page.getByRole("button", { name: "Enrol one" }).click();
  await page.getByLabel("Your password").fill(PASSWORD);
  await page.getByRole("button", { name: "Continue" }).click();
  const secret = await page.getByRole("status", { name: "Key" }).textContent();
  await page.getByLabel("Code", { exact: true }).fill(totp(secret));
  await page.getByRole("button", { name: "Confirm" }).click();
  const codes = (await page.getByRole("status", { name: "Recovery codes" }).textContent()).split("\n");
  assert.ok(codes.length >= 5);
  await page.getByRole("button", { name: "I have kept them" }).click();
  await page.getByText("Enrolled", { exact: true }).waitFor();
  await visit.settled();
  await visit.examine("real-account");

  const signIn = async (code) => {
    await page.goto(`${muriel.url}/sign-in?to=/settings/keys`);
    await page.getByLabel("E-mail").fill("ada@example.com");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByLabel("Code of your authenticator").fill(code);
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  const signOut = async () => {
    await choose(page, page.getByRole("button", { name: /Ada Lovelace/ }), { name: "Sign out" });
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  };
  await signOut();
  assert.equal((await visit.context.request.get(`${muriel.url}/v2/session`)).status(), 401);
  await signIn("000000");
  await page.getByRole("alert").waitFor();
  // A code is accepted once. That of the next half minute is already accepted.
  await signIn(totp(secret, 1));
  await page.getByRole("heading", { name: "API keys", level: 1 }).waitFor();
  await signOut();
  await signIn(codes[0]);
  await page.getByRole("heading", { name: "API keys", level: 1 }).waitFor();
  // The user sees the failed attempt, and the audit log has a sentence for it.
  await visit.open("/account");
  await page.getByText(/1 sign-in with a wrong code or passkey in the last 30 days/).waitFor();
  await visit.settled();
  await visit.examine("real-account-refused");
  await visit.open("/settings/audit");
  await page
    .getByText(/refused a wrong code or passkey of/)
    .first()
    .waitFor();
  visit.nothingWrong();
  await visit.end();
});

test("the page is served as its policy wants", async () => {
  const nonces = new Set();
  for (const path of ["/", "/experiments", "/p/prj_1/goals/7", "/settings/people"]) {
    const answer = await fetch(muriel.url + path);
    assert.equal(answer.status, 200, await answer.text());
    assert.equal(answer.headers.get("cache-control"), "no-store");
    nonces.add(/'nonce-([^']+)'/.exec(answer.headers.get("content-security-policy"))[1]);
  }
  assert.equal(nonces.size, 4);
  const report = { "csp-report": { "effective-directive": "script-src", "blocked-uri": "inline" } };
  const taken = await fetch(`${muriel.url}/policy-report`, {
    method: "POST",
    body: JSON.stringify(report),
    headers: { "content-type": "application/csp-report" },
  });
  assert.equal(taken.status, 204, await taken.text());
  const large = await fetch(`${muriel.url}/policy-report`, { method: "POST", body: "x".repeat(20_000) });
  assert.equal(large.status, 413, await large.text());
  const unknown = await fetch(`${muriel.url}/nothing`);
  assert.equal(unknown.status, 404, await unknown.text());
});
