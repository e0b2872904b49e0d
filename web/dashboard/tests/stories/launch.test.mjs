// With the real server: two people launch a draft, two change a live experiment at once, and a viewer can do nothing.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { choose, until, Visit } from "../rig.mjs";
import { browser, company } from "../stage.mjs";

let shop;
before(async () => {
  shop = await openShop();
  // Browsers that a program drives get previews only if bots are allowed.
  await company.patch("/settings", { bots: true, editors_have_code: true });
});
after(() => shop?.server.close());

async function enter(as) {
  const visit = await Visit.begin(browser, { address: company.address });
  await company.enter(visit, as);
  return visit;
}

/** Creates a draft that changes the heading of the checkout. Returns the path of its pages, and that of the API. */
async function make(fields = {}) {
  const { test_id } = await company.post("/create-experiment", {
    test_name: "Shorter checkout form",
    url: "https://shop.example/checkout",
    variants: [{ name: "Variant 1", data: [{ target: "h2.gone", innerText: "Pay now" }] }],
    ...fields,
  });
  return { pages: `/p/${company.shop}/experiments/${test_id}`, api: `/experiment/${test_id}`, id: test_id };
}

const stored = async ({ api }) => (await company.get(api)).experiment;
const button = (within, name) => within.getByRole("button", { name, exact: true });

/** Starts the shop's site, with the script of the project. */
async function openShop() {
  const script = `<script src="${company.muriel.url}/js/${company.shop}.js"></script>`;
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><head>${script}</head><body><h1>Checkout</h1></body>`);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${server.address().port}/checkout` };
}

/** Requires a second person's approval until the test is over. */
async function askApproval(t) {
  await company.patch("/settings", { approve_live: true });
  t.after(() => company.patch("/settings", { approve_live: false }));
}

test("a draft is looked at, put right, proposed, approved by somebody else, and live", async (t) => {
  await askApproval(t);
  const made = await make({ url: shop.url });
  const editor = await enter("editor");
  const { page } = editor;
  await editor.open(`${made.pages}/launch`);
  const check = (name) =>
    page
      .getByRole("list", { name: "Checklist" })
      .getByRole("listitem")
      .filter({ has: page.getByRole("heading", { name }) });
  await check("Approval").getByText("Needs a second person").waitFor();
  await check("Script on the page").getByText("Not known yet").waitFor();
  await check("Previews").getByText("Nobody has opened the preview link of Variant 1").waitFor();

  // The preview reports its findings, and the checklist in the other tab shows them.
  const preview = async () => {
    const opened = editor.context.waitForEvent("page");
    await page.getByRole("link", { name: /Look at Variant 1/ }).click();
    return opened;
  };
  await preview();
  await check("Previews")
    .getByText("Changes found no element on the page in the last preview: Variant 1: h2.gone.")
    .waitFor();
  await company.patch(made.api, {
    variants: [{ name: "Variant 1", data: [{ target: "h1", innerText: "Pay now" }] }],
  });
  await check("Previews").getByText("changed since the last preview").waitFor();
  const opened = await preview();
  await opened.getByRole("heading", { name: "Pay now" }).waitFor();
  await check("Previews").getByText("Every variant was previewed").waitFor();
  await editor.examine("story-launch");

  // Propose it, in its current state.
  await page.reload();
  await button(page, "Propose the start").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Why").fill("The sale begins on Monday.");
  await button(dialog, "Propose the start").click();
  await page.getByText("You have proposed the start.").waitFor();
  await page.getByText("You have proposed to start it").waitFor();
  assert.equal((await stored(made)).status, 9);
  await page.getByRole("link", { name: "Look at the proposal" }).click();
  await button(page, "Withdraw").waitFor();
  assert.equal(await button(page, "Approve").count(), 0);
  await page.getByRole("navigation", { name: "Experiment" }).getByRole("link", { name: "Launch" }).click();

  // Another person finds the proposal, and approves it.
  const owner = await enter("owner");
  await owner.open("/experiments");
  await owner.page.getByRole("link", { name: "Proposals 1 open" }).click();
  await owner.page.getByText("The sale begins on Monday.").waitFor();
  await owner.page.getByRole("link", { name: "Shorter checkout form" }).waitFor();
  await button(owner.page, "Approve").click();
  await button(owner.page, "Approve and start it").click();
  await owner.page.getByText("Nothing waits for a decision").waitFor();
  assert.equal((await stored(made)).status, 1);
  owner.nothingWrong();
  await owner.end();

  // The page that was open the whole time follows.
  await page.getByRole("heading", { name: "It is live" }).waitFor();
  await button(page, "Stop").waitFor();
  editor.nothingWrong();
  await editor.end();
});

test("two people change a live experiment", async () => {
  const made = await make({ status: 1 });
  const [owner, editor] = [await enter("owner"), await enter("editor")];
  await owner.open(`${made.pages}/setup`);
  await editor.open(`${made.pages}/setup`);
  const dialogOf = ({ page }) => page.getByRole("dialog", { name: "Change the live experiment?" });
  const save = async (visit, fields) => {
    for (const [label, text] of Object.entries(fields)) await visit.page.getByLabel(label, { exact: true }).fill(text);
    await button(visit.page, "Save page").click();
  };

  // The effect is shown first, and can be cancelled.
  await save(editor, { Name: "Checkout of the editor" });
  await dialogOf(editor).getByText("Nobody in the experiment gets another variant.").waitFor();
  await button(dialogOf(editor), "Cancel").click();
  assert.equal(await editor.page.getByLabel("Name", { exact: true }).inputValue(), "Checkout of the editor");
  assert.equal((await stored(made)).test_name, "Shorter checkout form");
  await button(editor.page, "Save page").click();
  await button(dialogOf(editor), "Change the live experiment").click();
  await editor.page.getByRole("heading", { name: "Checkout of the editor", level: 1 }).waitFor();

  // The owner has changed the same field meanwhile: both values are shown.
  await save(owner, { Name: "Checkout of the owner", Page: "https://shop.example/basket" });
  const conflict = owner.page.getByRole("alert").filter({ hasText: "Somebody else has changed this" });
  await conflict.getByText("Now stored: Checkout of the editor").waitFor();
  await conflict.getByText("Yours: Checkout of the owner").waitFor();
  await owner.examine("story-conflict");
  await button(conflict, "Keep mine").click();
  await button(owner.page, "Save page").click();
  await dialogOf(owner).getByText("Checkout of the editor").waitFor();

  // Another conflict, while the dialog is open.
  await company.patch(made.api, { url: "https://shop.example/cart" }, { as: "editor" });
  await button(dialogOf(owner), "Change the live experiment").click();
  await conflict.getByText("Now stored: https://shop.example/cart").waitFor();
  await button(conflict, "Use the stored value").click();
  await button(owner.page, "Save page").click();
  await button(dialogOf(owner), "Change the live experiment").click();
  await owner.page.getByRole("heading", { name: "Checkout of the owner", level: 1 }).waitFor();
  const { test_name, url } = await stored(made);
  assert.deepEqual({ test_name, url }, { test_name: "Checkout of the owner", url: "https://shop.example/cart" });
  for (const visit of [owner, editor]) {
    visit.nothingWrong();
    await visit.end();
  }
});

test("a change is proposed, outdated, proposed again, and approved", async (t) => {
  const made = await make({ status: 1 });
  await askApproval(t);
  const [owner, editor] = [await enter("owner"), await enter("editor")];
  await editor.open(`${made.pages}/setup`);
  await editor.page.getByLabel("Page", { exact: true }).fill("https://shop.example/basket");
  await button(editor.page, "Save page").click();
  await button(editor.page.getByRole("dialog"), "Propose the change").click();
  await editor.page.getByText("You have proposed to change 1 field").waitFor();
  assert.equal(await editor.page.getByLabel("Page", { exact: true }).inputValue(), "https://shop.example/checkout");

  // The owner opens it. Before the approval, the experiment is renamed, which needs no approval.
  await owner.open(`${made.pages}/proposals`);
  await button(owner.page, "Approve").click();
  const dialog = owner.page.getByRole("dialog");
  await dialog.getByText("What this does").waitFor();
  await company.patch(made.api, { test_name: "Checkout" }, { as: "editor" });
  await button(dialog, "Approve the change").click();
  await dialog.getByText("The experiment has changed since this was proposed.").waitFor();
  await button(dialog, "Cancel").click();
  await owner.page.getByText("so it cannot be approved").waitFor();

  await editor.page.getByRole("link", { name: "Look at the proposal" }).click();
  await button(editor.page, "Withdraw").waitFor();
  await editor.page.reload();
  await button(editor.page, "Propose it again").click();
  await button(editor.page.getByRole("dialog"), "Propose it again").click();
  await editor.page.getByText("Somebody else has to approve it.", { exact: true }).waitFor();
  await owner.page.reload();
  await button(owner.page, "Approve").click();
  await button(dialog, "Approve the change").click();
  await owner.page.getByText("Approved. The experiment is changed.").waitFor();
  assert.equal((await stored(made)).url, "https://shop.example/basket");
  for (const visit of [owner, editor]) {
    visit.nothingWrong();
    await visit.end();
  }
});

test("an experiment is stopped, resumed, copied, archived and deleted, by keyboard", async () => {
  const made = await make({ status: 1 });
  const editor = await enter("editor");
  const { page } = editor;
  const press = async (name, within = page) => {
    await until(() => button(within, name).isEnabled(), name);
    // A dialog takes the focus a moment after it is visible.
    if (within !== page)
      await until(() => within.evaluate((element) => element.contains(document.activeElement)), "focus");
    await button(within, name).focus();
    await page.keyboard.press("Enter");
  };
  const more = async (name) => {
    await until(() => button(page, "More actions").isEnabled(), "More actions");
    await choose(page, button(page, "More actions"), { name });
  };
  const dialog = page.getByRole("dialog");
  await editor.open(made.pages);
  await press("Stop");
  await press("Stop the experiment", dialog);
  await press("Resume");
  await press("Resume the experiment", dialog);
  await button(page, "Stop").waitFor();
  assert.equal((await stored(made)).status, 1);

  await more("Duplicate");
  await dialog.getByLabel("Name").fill("The copy");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "The copy", level: 1 }).waitFor();
  await more("Archive");
  await press("Archive it", dialog);
  await page.getByText("In the archive", { exact: true }).waitFor();
  const copy = page.url();
  await more("Delete");
  await press("Delete for good", dialog);
  await page.getByRole("heading", { name: "Experiments", level: 1 }).waitFor();
  await page.goto(copy);
  await page.getByText("There is no such experiment").waitFor();
  editor.nothingWrong();
  await editor.end();
});

test("a dialog that a menu opens keeps the focus on a slow computer, and gives it back", async () => {
  const made = await make();
  const editor = await enter("editor");
  const { page } = editor;
  await editor.open(made.pages);
  const client = await page.context().newCDPSession(page);
  await client.send("Emulation.setCPUThrottlingRate", { rate: 8 });
  const more = button(page, "More actions");
  await choose(page, more, { name: "Archive" });
  const hasFocus = (element) => element.contains(document.activeElement);
  await until(() => page.getByRole("dialog").evaluate(hasFocus), "the focus of the dialog");
  await page.keyboard.press("Escape");
  await until(() => more.evaluate(hasFocus), "the focus of the button");
  editor.nothingWrong();
  await editor.end();
});

test("a viewer sees all of it, and changes nothing", async () => {
  const made = await make();
  await company.post(`${made.api}/proposals`, { status: 1 }, { as: "editor" });
  const viewer = await enter("viewer");
  const { page } = viewer;
  await viewer.open(`${made.pages}/launch`);
  await page.getByText("Your role in this project can view everything, but change nothing.").waitFor();
  await page.getByRole("link", { name: /Look at Variant 1/ }).waitFor();
  for (const name of ["Start", "Start the experiment", "More actions"])
    assert.equal(await button(page, name).count(), 0);
  await page.getByRole("link", { name: "Look at the proposal" }).click();
  await page.getByText("Mary Somerville proposes to start it").waitFor();
  for (const name of ["Approve", "Reject", "Withdraw"]) assert.equal(await button(page, name).count(), 0);
  viewer.nothingWrong();
  await viewer.end();
  const refused = (call) => assert.rejects(call, /: 403 /);
  await refused(company.patch(`${made.api}/status`, { status: 1 }, { as: "viewer" }));
  await refused(company.post(`${made.api}/proposals`, { status: 1 }, { as: "viewer" }));
  const { proposals } = await company.get(`${made.api}/proposals`);
  await refused(company.post(`/proposals/${proposals[0].proposal_id}/approve`, {}, { as: "viewer" }));
});
