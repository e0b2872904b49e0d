// From a new project to a visited page: the script arrives, a visit is watched, a webhook is delivered, and a passkey
// signs in.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { test } from "node:test";
import { choose, PASSWORD, PATIENCE_MS, until, Visit } from "../rig.mjs";
import { browser, company } from "../stage.mjs";

async function signedIn(as = "owner") {
  const visit = await Visit.begin(browser, { address: company.address });
  await company.enter(visit, as);
  return visit;
}

/** Starts a server on this machine. `answer(request, body)` returns status and body. */
async function serve(answer) {
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const [status, body] = answer(request, Buffer.concat(parts).toString());
    response.writeHead(status, { "content-type": "text/html" }).end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const end = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, end };
}

/** A visitor's browser that pages do not recognise as automated: automated ones are not counted. */
async function visitor() {
  const userAgent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version()} Safari/537.36`;
  const context = await browser.newContext({ userAgent });
  context.setDefaultTimeout(PATIENCE_MS);
  await context.addInitScript(() => Object.defineProperty(Navigator.prototype, "webdriver", { get: () => false }));
  return { context, page: await context.newPage() };
}

test("the script arrives, and a visit is watched", async (t) => {
  const { snippet } = await company.get("/install");
  const site = await serve(() => [
    200,
    `<!doctype html><head><meta charset="utf-8">${snippet}<title>Boots</title></head><h1>Boots</h1>`,
  ]);
  const owner = await signedIn();
  const guest = await visitor();
  t.after(async () => {
    site.end();
    await guest.context.close();
    await owner.end();
  });
  const { page } = owner;

  // The pages lead a new company to its first experiment.
  await owner.open("/experiments");
  await owner.examine("first-steps");
  await page.getByRole("link", { name: "Put the script on your pages" }).click();
  await page.getByRole("heading", { name: "The script has not been requested yet" }).waitFor();

  // The page shows automatically that the script has arrived.
  const { experiment_key, test_id } = await company.post("/create-experiment", {
    test_name: "Boots that say why",
    url: `${site.url}/boots`,
    status: 1,
    variants: [{ name: "Variant 1", data: [{ target: "h1", innerText: "Boots that get new soles" }] }],
  });
  await guest.page.goto(`${site.url}/boots`);
  await page.getByRole("heading", { name: "The script works" }).waitFor();
  await page.getByRole("table", { name: "Pages with the script" }).getByText(`${site.url}/boots`).waitFor();
  await owner.examine("install-works");

  // Later events of the visitor, with the reason for its variant.
  const id = await guest.page.evaluate(() => localStorage.muriel_id);
  await page.getByRole("link", { name: "Watch your own visit" }).click();
  await page.getByLabel("Visitor id").fill(`'${id}'`);
  await page.keyboard.press("Enter");
  await page.getByText("Listening").waitFor();
  assert.equal(new URL(page.url()).searchParams.get("visitor"), id);
  const arm = () => guest.page.evaluate((key) => window.muriel.variant(key), experiment_key);
  await until(async () => {
    await guest.page.goto(`${site.url}/boots?utm_term=42`);
    return arm().catch(() => null);
  }, "the experiment");
  const shown = await arm();
  const opened = page.getByRole("listitem").filter({ hasText: "Opened /boots?utm_term=42" }).first();
  const decision = opened.getByRole("listitem").filter({ hasText: "Boots that say why" });
  await decision.getByText(shown, { exact: true }).waitFor();
  await decision.getByText(/Chosen by the split|As before/).waitFor();
  await decision.getByText("Every check").click();
  await decision.getByText("The experiment is live").waitFor();
  assert.match(await decision.getByRole("link").getAttribute("href"), new RegExp(`/experiments/${test_id}$`));

  // While the view is paused, events wait.
  await page.getByRole("button", { name: "Pause" }).click();
  const sent = guest.page.waitForRequest((request) => request.postData()?.includes("signed-up") === true);
  await guest.page.evaluate(() => window.muriel.track("signed-up", { plan: "pro" }));
  await sent;
  // The script also reports the health of the page.
  await page.getByText(/^\d+ new events?$/).waitFor();
  const told = page.getByRole("listitem").filter({ hasText: "Did “signed-up”" });
  assert.equal(await told.count(), 0);
  await page.getByRole("button", { name: "Resume" }).click();
  await told.waitFor();

  // A lost connection is restored, with a note that events may be missing.
  await owner.context.setOffline(true);
  company.front.cut();
  await page.getByText("Not connected", { exact: true }).waitFor();
  await owner.context.setOffline(false);
  await page.getByText("Listening").waitFor();
  await page.getByText("Connected again.").first().waitFor();
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByText("Waiting for this visitor").waitFor();
  owner.nothingWrong();
});

test("a webhook is told, fails, is told again, and goes", async (t) => {
  const got = [];
  let status = 500;
  const receiver = await serve((request, body) => {
    got.push({ headers: request.headers, body });
    return [status, ""];
  });
  const owner = await signedIn();
  t.after(async () => {
    receiver.end();
    await owner.end();
  });
  const { page } = owner;
  await owner.open(`/p/${company.shop}/webhooks`);
  await page.getByRole("button", { name: "New webhook" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Address").fill("http://169.254.169.254/latest");
  await dialog.getByRole("button", { name: "Create webhook" }).click();
  await dialog.locator("[aria-invalid=true]").waitFor();
  await dialog.getByLabel("Address").fill(`${receiver.url}/muriel`);
  await dialog.getByLabel("Purpose").fill("The team's channel");
  await dialog.getByRole("button", { name: "Create webhook" }).click();
  const secret = await page.getByRole("status", { name: "Secret" }).textContent();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("heading", { name: "The team's channel", level: 1 }).waitFor();
  assert.ok(!(await page.content()).includes(secret));

  // The receiver fails: the page shows that, and why.
  await page.getByRole("button", { name: "Send a test" }).click();
  const deliveries = page.getByRole("table", { name: "Deliveries" });
  await deliveries.getByText(/answered 500/).waitFor();

  // Once the receiver works, the test arrives, signed with the secret.
  status = 204;
  const idOf = ({ headers }) => headers["webhook-id"];
  const first = idOf(got[0]);
  await page.getByRole("button", { name: "Send a test" }).click();
  const newest = deliveries.locator("tbody tr").first();
  await until(() => got.some((one) => idOf(one) !== first), "the second test");
  await newest.getByText("Delivered").waitFor();
  // The first delivery is retried, too.
  const { headers, body } = got.find((one) => idOf(one) !== first);
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const mac = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64")).update(signed);
  assert.equal(headers["webhook-signature"], `v1,${mac.digest("base64")}`);
  await newest.getByRole("button", { name: "Send Test message again" }).click();
  await until(() => got.filter((one) => idOf(one) === idOf({ headers })).length === 2, "the repeat");

  // Change the secret, choose other events, switch it off, and delete it.
  const act = async (name) => {
    await choose(page, page.getByRole("button", { name: "More actions" }), { name });
  };
  await act("New secret");
  await page.getByRole("button", { name: "Create new secret" }).click();
  assert.notEqual(await page.getByRole("status", { name: "Secret" }).textContent(), secret);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("checkbox", { name: "Visitors convert" }).check();
  await page.getByRole("button", { name: "Save webhook" }).click();
  await page.getByText("The webhook was changed.").waitFor();
  const [stored] = (await company.get("/webhooks")).webhooks;
  assert.ok(stored.events.includes("conversion") && stored.events.includes("verdict.reached"));
  await act("Switch off");
  await page.getByText(/Switched off/).waitFor();
  assert.ok(await page.getByRole("button", { name: "Send a test" }).isDisabled());
  await act("Delete");
  await page.getByRole("button", { name: "Delete webhook" }).click();
  await page.getByRole("heading", { name: "No webhooks yet" }).waitFor();
  assert.deepEqual((await company.get("/webhooks")).webhooks, []);
  owner.nothingWrong();
});

test("a passkey is added, signs in, and is removed", async (t) => {
  // Passkeys belong to host names, so the same pages are opened under `localhost`.
  const { port } = new URL(company.address);
  const visit = await Visit.begin(browser, { address: `http://localhost:${port}` });
  t.after(() => visit.end());
  const { page } = visit;
  await visit.signIn(company.people.editor.email);
  // After the first page, as a device is lost with the process of the blank page.
  const device = await visit.context.newCDPSession(page);
  await device.send("WebAuthn.enable");
  const { authenticatorId } = await device.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: false,
      automaticPresenceSimulation: true,
    },
  });
  const recognise = (isUserVerified) => device.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });

  await visit.open("/account");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Laptop");
  await dialog.getByLabel("Your password").fill("not the password");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.locator("[aria-invalid=true]").waitFor();
  await dialog.getByLabel("Your password").fill(PASSWORD);
  // The device does not recognise its user, as if the dialog was closed.
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByText(/Nothing was done/).waitFor();
  await recognise(true);
  await dialog.getByRole("button", { name: "Continue" }).click();
  const passkeys = page.getByRole("table", { name: "Passkeys" });
  await passkeys.getByText("Laptop").waitFor();
  await visit.examine("account-with-passkey");

  const signOut = async () => {
    await choose(page, page.getByRole("button", { name: /Mary Somerville/ }), { name: "Sign out" });
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  };
  await signOut();
  await visit.examine("sign-in-passkey");
  await recognise(false);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByText(/Nothing was done/).waitFor();
  await recognise(true);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByRole("heading", { name: "Experiments", level: 1 }).waitFor();

  await visit.open("/account");
  await passkeys.getByText("just now").waitFor();
  await page.getByRole("button", { name: "Remove Laptop" }).click();
  await page.getByRole("button", { name: "Remove passkey" }).click();
  await page.getByText("You have none yet.").waitFor();
  await signOut();
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByText(/passkey is not known here/).waitFor();
  visit.nothingWrong();
});
