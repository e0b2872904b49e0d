// The whole workflow, in Chromium and in Firefox: from the first start to a live experiment, by three people.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { front } from "../../dev/front.mjs";
import { Muriel } from "../../../tests/muriel.mjs";
import { choose, launch, PASSWORD, until, Visit } from "../rig.mjs";
import { browser as chromium, engines } from "../worker.mjs";

const button = (within, name) => within.getByRole("button", { name, exact: true });
const heading = (page, name) => page.getByRole("heading", { name, level: 1 }).waitFor();
const step = (page, name) =>
  page.getByRole("navigation", { name: "Setup" }).getByRole("link", { name, exact: false }).click();

/** Starts a shop of one page, with the script of a project. */
async function openShop(muriel) {
  let key = "";
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(
      `<!doctype html><head><script src="${muriel.url}/js/${key}.js"></script></head><body><h1>Checkout</h1></body>`,
    );
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}/checkout`;
  return { url, serve: (project) => (key = project), close: () => server.close() };
}

for (const engine of engines) {
  test(`from the first start to a live experiment, in ${engine}`, async (t) => {
    // A separate server, because nobody may have signed in to it yet.
    const muriel = await Muriel.start();
    const browser = engine === "chromium" ? chromium : await launch(engine);
    const [pages, shop] = await Promise.all([front(muriel.url), openShop(muriel)]);
    t.after(async () => {
      if (browser !== chromium) await browser.close();
      shop.close();
      await pages.end();
      await muriel.stop();
    });
    const here = (link) => link.replace(muriel.url, pages.address);
    const visits = [];
    const enter = async (link, fields) => {
      const visit = await Visit.begin(browser, { address: pages.address });
      visits.push(visit);
      await visit.page.goto(here(link));
      for (const [label, text] of Object.entries(fields)) await visit.page.getByLabel(label).fill(text);
      await button(visit.page, "Create account").click();
      await heading(visit.page, "Experiments");
      return visit;
    };

    // The first owner creates the project, in which a second person approves changes that go live.
    const [link] = await muriel.told(/http\S+\/invitation#\S+/);
    const owner = await enter(link, {
      Company: "Acme",
      "E-mail": "ada@example.com",
      "Your name": "Ada Lovelace",
      Password: PASSWORD,
    });
    await owner.page.getByRole("link", { name: "Go to the projects" }).click();
    await button(owner.page, "New project").click();
    await owner.page.getByRole("dialog").getByLabel("Name").fill("Shop");
    await button(owner.page, "Create project").click();
    await heading(owner.page, "Shop");
    for (const name of [/^Automated browsers/, /^Editors may change code/, /approves changes of live experiments/])
      await owner.page.getByRole("checkbox", { name }).check();
    await button(owner.page, "Save settings").click();
    await owner.page.getByText("The settings were saved.").waitFor();
    shop.serve(/prj_\w+/.exec(owner.page.url())[0]);

    // An editor is invited, and accepts.
    await owner.page.getByRole("link", { name: "People" }).click();
    await button(owner.page, "Invite").click();
    await owner.page.getByLabel("E-mail").fill("mary@example.com");
    await button(owner.page, "Create link").click();
    const invitation = await owner.page.getByRole("status", { name: "Invitation link" }).textContent();
    await button(owner.page, "Done").click();
    const editor = await enter(invitation, { "Your name": "Mary Somerville", Password: PASSWORD });
    const { page } = editor;

    // A hypothesis becomes an experiment.
    await page.getByRole("link", { name: "Hypotheses" }).click();
    await page.getByRole("link", { name: "New hypothesis" }).first().click();
    // The list before has a search field whose label matches the labels below, too.
    await heading(page, "New hypothesis");
    await page.getByLabel("Problem").fill("The form asks for twelve fields.");
    await page.getByLabel("Solution").fill("Ask for four.");
    await page.getByRole("group", { name: "Confidence" }).getByLabel("4").check();
    await button(page, "Create hypothesis").click();
    await heading(page, "The form asks for twelve fields.");
    await page.getByRole("link", { name: "New experiment" }).click();
    await heading(page, "New experiment");
    await page.getByText("Ask for four.").waitFor();
    await page.getByLabel("Name").fill("Shorter checkout form");
    await page.getByLabel("Page").fill(shop.url);
    await button(page, "Create draft").click();
    await heading(page, "Shorter checkout form");

    // Code, a visual change, a goal, an audience, an end.
    const saved = async (act) => {
      // Repeat until everything is saved: the last input may arrive after the first press.
      const done = page.locator("button:disabled", { hasText: act });
      await until(async () => {
        if (await done.isVisible()) return true;
        if (await button(page, act).isEnabled()) await button(page, act).click();
        return done.isVisible();
      }, act);
    };
    await step(page, "Variants");
    await page.getByRole("link", { name: /^Variant 1/ }).click();
    await choose(page, button(page, "Add a change"), { name: "Change text" });
    await page.getByLabel("New text").fill("Four fields");
    await page.getByLabel("Element", { exact: true }).fill("h1");
    await page.getByRole("textbox", { name: "CSS", exact: true }).focus();
    await page.keyboard.type("h1 { color: rgb(1, 2, 3) }");
    await saved("Save variants");
    await step(page, "Goals");
    await button(page.locator("main"), "New goal").first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Order");
    await dialog.getByLabel("Counts when").selectOption("revenue");
    await dialog.getByLabel("Name of the order event").fill("purchase");
    await button(dialog, "Create goal").click();
    await dialog.waitFor({ state: "detached" });
    await saved("Save goals");
    await step(page, "Audience");
    await choose(page, button(page, "Add a rule"), { name: "Device" });
    await page.getByLabel("Desktop").check();
    await page.getByText(/^Visitors on desktop/).waitFor();
    await saved("Save audience");
    await step(page, "Schedule");
    await page.getByLabel("End", { exact: true }).fill("2031-04-01T09:00");
    await saved("Save schedule");
    await step(page, "Review");
    await page.getByText("By hand, or on 1 Apr 2031").waitFor();

    // The checklist updates itself when somebody opens the preview.
    await page.getByRole("navigation", { name: "Experiment" }).getByRole("link", { name: "Launch" }).click();
    await page.getByText("Nobody has opened the preview link of Variant 1").waitFor();
    const opened = editor.context.waitForEvent("page");
    await page.getByRole("link", { name: /Look at Variant 1/ }).click();
    const preview = await opened;
    await preview.getByRole("heading", { name: "Four fields" }).waitFor();
    assert.equal(await preview.locator("h1").evaluate((one) => getComputedStyle(one).color), "rgb(1, 2, 3)");
    await page.bringToFront();
    await page.getByText("Every variant was previewed").waitFor();
    await preview.close();
    await editor.examine(`main-launch-${engine}`);

    // One person proposes the start, the other approves it, and the experiment is live.
    await button(page, "Propose the start").click();
    await dialog.getByLabel("Why").fill("The sale begins on Monday.");
    await button(dialog, "Propose the start").click();
    await page.getByText("You have proposed the start.").waitFor();
    await owner.page.getByRole("link", { name: "Experiments" }).first().click();
    await owner.page.getByRole("link", { name: /^Proposals/ }).click();
    await button(owner.page, "Approve").click();
    await button(owner.page, "Approve and start it").click();
    await owner.page.getByText("Nothing waits for a decision").waitFor();
    await page.getByRole("heading", { name: "It is live" }).waitFor();

    // Both change its name: the second one sees both, and chooses. A name needs no approval.
    await owner.page.getByRole("link", { name: "Experiments" }).first().click();
    await owner.page.getByRole("link", { name: "Shorter checkout form" }).first().click();
    const experiment = (visit) => visit.page.getByRole("navigation", { name: "Experiment" });
    const rename = async (visit, name) => {
      await visit.page.getByLabel("Name", { exact: true }).fill(name);
      await button(visit.page, "Save page").click();
      return visit.page.getByRole("dialog");
    };
    for (const visit of [owner, editor]) await experiment(visit).getByRole("link", { name: "Setup" }).click();
    await owner.page.getByLabel("Name", { exact: true }).fill("Checkout of the owner");
    await button(await rename(editor, "Checkout of the editor"), "Change the live experiment").click();
    await heading(page, "Checkout of the editor");
    await rename(owner, "Checkout of the owner");
    const conflict = owner.page.getByRole("alert").filter({ hasText: "Somebody else has changed this" });
    await conflict.getByText("Now stored: Checkout of the editor").waitFor();
    await button(conflict, "Keep mine").click();
    await button(await rename(owner, "Checkout of the owner"), "Change the live experiment").click();
    await heading(owner.page, "Checkout of the owner");
    for (const visit of visits) {
      visit.nothingWrong();
      await visit.end();
    }
    assert.deepEqual(pages.reports, []);
  });
}
