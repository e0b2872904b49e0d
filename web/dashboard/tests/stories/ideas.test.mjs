// Hypotheses and goals with the real server: creating and changing them, keeping input, and the refusals.

import assert from "node:assert/strict";
import { test } from "node:test";
import { browse } from "../crowd.mjs";
import { Visit } from "../rig.mjs";
import { browser, company } from "../stage.mjs";

async function enter(as, path) {
  const visit = await Visit.begin(browser, { address: company.address });
  await company.enter(visit, as);
  await visit.open(`/p/${company.shop}${path}`);
  return visit;
}

const idIn = (page) => Number(/\/(\d+)$/.exec(new URL(page.url()).pathname)[1]);

test("a hypothesis is written, rated, changed by two, tested, and archived", async () => {
  const editor = await enter("editor", "/hypotheses");
  const { page } = editor;
  await page.getByRole("link", { name: "New hypothesis" }).click();

  // An empty form saves nothing.
  await page.getByRole("button", { name: "Create hypothesis" }).click();
  await page.locator("[aria-invalid=true]").first().waitFor();

  await page.getByLabel("Problem").fill("The form asks for twelve fields.");
  await page.getByLabel("Link to research").fill("javascript:alert(1)");
  await page.getByRole("group", { name: "Confidence" }).getByLabel("4").check();
  await page.getByRole("button", { name: "Create hypothesis" }).click();
  await page.locator("[name=hypothesis_url][aria-invalid=true]").waitFor();
  // Typed values are still there after a reload.
  await page.reload();
  await page.getByText("Your unsaved changes were kept.").waitFor();
  await page.getByLabel("Link to research").fill("https://research.example/");
  await page.getByRole("button", { name: "Create hypothesis" }).click();
  await page.getByRole("heading", { level: 1, name: "The form asks for twelve fields." }).waitFor();
  const id = idIn(page);

  // Another person changes the same text meanwhile: both are shown, and the user chooses one.
  await page.getByLabel("Solution").fill("Ask for the postcode alone.");
  await company.patch(`/hypothesis/${id}`, { solution: "Ask for nothing." });
  await page.getByRole("button", { name: "Save hypothesis" }).click();
  const conflict = page.getByRole("alert").filter({ hasText: "Somebody else has changed this" });
  await conflict.getByText("Now stored: Ask for nothing.").waitFor();
  await conflict.getByRole("button", { name: "Keep mine" }).click();
  await page.getByRole("button", { name: "Save hypothesis" }).click();
  await page.getByText("The hypothesis was saved.").waitFor();
  const stored = async () => (await company.get(`/hypothesis/${id}`)).hypothesis;
  assert.equal((await stored()).solution, "Ask for the postcode alone.");
  assert.equal((await stored()).confidence, 4);

  // It can be commented on, and a change can be reverted.
  await page.getByRole("textbox", { name: /comment/i }).fill("Support hears of this every week.");
  await page.getByRole("button", { name: /comment/i }).click();
  await page.getByRole("list", { name: "Comments" }).getByText("Support hears of this").waitFor();
  await page.getByRole("button", { name: "Show history" }).click();
  await page.getByRole("list", { name: "Changes, newest first" }).getByText("Mary Somerville").first().waitFor();

  // The board shows its stage.
  const at = async (column) => {
    await editor.open(`/p/${company.shop}/hypotheses`);
    await page.getByRole("region", { name: column }).getByRole("link", { name: "The form asks" }).waitFor();
  };
  await at("Ideas");
  const { test_id } = await company.post("/create-experiment", {
    test_name: "Postcode first",
    url: "https://shop.example/",
    variants: [{ name: "Variant 1" }],
    hypothesis_id: id,
  });
  await at("Planned");
  await company.patch(`/experiment/${test_id}/status`, { status: 1 });
  await at("Being tested");
  await company.patch(`/experiment/${test_id}/status`, { status: 0 });
  await company.post(`/experiment/${test_id}/conclude`, { outcome: "inconclusive", note: "Too few came." });
  await at("Tested");
  await page.getByText("Inconclusive").waitFor();

  // Another hypothesis with the same ratings shows its outcome.
  const alike = await company.post("/hypothesis", { problem: "The address is asked for twice.", confidence: 4 });
  await editor.open(`/p/${company.shop}/hypotheses/${alike.hypothesis_id}`);
  await page.getByText("1 experiment from 1 such hypothesis was concluded: 1 inconclusive.").waitFor();
  const next = await page.getByRole("link", { name: "New experiment" }).getAttribute("href");
  assert.equal(next, `/p/${company.shop}/experiments/new?hypothesis=${alike.hypothesis_id}`);

  // Archived hypotheses are not on the board, unless requested.
  await page.getByRole("button", { name: "Archive" }).click();
  await page.getByText("The hypothesis was archived.").waitFor();
  await page.getByRole("link", { name: "Hypotheses" }).last().click();
  await page.getByRole("link", { name: "The form asks" }).waitFor();
  assert.equal(await page.getByRole("link", { name: "The address is asked" }).count(), 0);
  await page.getByLabel("Include archived").check();
  await page.getByRole("link", { name: "The address is asked" }).waitFor();
  await page.getByRole("button", { name: "Table" }).click();
  await page.getByRole("table", { name: "Hypotheses" }).waitFor();
  await page.getByRole("searchbox").fill("twelve");
  await page.getByRole("link", { name: "The address is asked" }).waitFor({ state: "detached" });
  const address = Object.fromEntries(new URL(page.url()).searchParams);
  assert.deepEqual(address, { search: "twelve", view: "table", archived: "include" });

  // The palette opens it.
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("twelve");
  await page.getByRole("option", { name: "The form asks for twelve fields." }).click();
  await page.getByRole("heading", { level: 1, name: "The form asks for twelve fields." }).waitFor();
  editor.nothingWrong();
  await editor.end();
});

test("a goal is made, tried, kept while a live experiment uses it, and deleted", async () => {
  const editor = await enter("editor", "/goals");
  const { page } = editor;
  await page.getByRole("link", { name: "New goal" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Thanks");
  await page.getByLabel("Counts when").selectOption("pageviewRegex");
  await page.getByLabel("Regular expression").fill("(unclosed");
  await page.getByRole("button", { name: "Create goal" }).click();
  await page.locator("[name=goal_value][aria-invalid=true]").waitFor();
  // The value of another kind of goal is not kept.
  await page.getByLabel("Counts when").selectOption("scrolling");
  assert.equal(await page.getByLabel("Depth in percent").inputValue(), "");
  await page.getByLabel("Depth in percent").fill("75");
  await page.getByLabel("Key").fill("thanks");
  await page.getByRole("button", { name: "Create goal" }).click();
  await page.getByRole("heading", { level: 1, name: "Thanks" }).waitFor();
  const id = idIn(page);
  const stored = async () => (await company.get(`/goal/${id}`)).goal;
  assert.deepEqual([(await stored()).goal_value, (await stored()).goal_key], [75, "thanks"]);

  await page.getByLabel("Counts when").selectOption("event");
  await page.getByLabel("Name of the event").fill("thanked");
  await page.getByRole("button", { name: "Save goal" }).click();
  await page.getByText("The goal was saved.").waitFor();
  assert.deepEqual([(await stored()).goal_type, (await stored()).goal_value], ["event", "thanked"]);

  // In the user's own browser: the event arrives, and the server reports a match.
  await page.getByLabel("Your visitor id").fill("'own-visitor'");
  await page.getByRole("button", { name: "Watch" }).click();
  await page.getByText("Watching.").waitFor();
  const at = new Date().toISOString();
  const event = { type: "custom", name: "thanked", url: "https://shop.example/thanks", at };
  const agent = await page.evaluate(() => navigator.userAgent.replace("Headless", ""));
  await browse(company, { visitor: { id: "own-visitor" }, events: [event] }, agent);
  await page.getByRole("list", { name: "Events" }).getByText("thanked").waitFor();
  await page.getByText("The server matched the goal at").waitFor();
  await page.getByRole("button", { name: "Stop watching" }).click();

  // A goal that a live experiment uses cannot be deleted, and the page says so.
  const { test_id } = await company.post("/create-experiment", {
    test_name: "Warmer thanks",
    url: "https://shop.example/",
    variants: [{ name: "Variant 1" }],
    primary_goal_key: "thanks",
    status: 1,
  });
  await page.reload();
  await page.getByRole("link", { name: "Warmer thanks" }).waitFor();
  await page.getByRole("button", { name: "Delete goal" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Delete goal" }).click();
  await dialog.getByRole("alert").waitFor();
  await company.patch(`/experiment/${test_id}/status`, { status: 0 });

  // Somebody renames it meanwhile: a state that the user has not seen is not deleted.
  await company.patch(`/goal/${id}`, { goal_name: "Thank you" });
  await dialog.getByRole("button", { name: "Delete goal" }).click();
  await dialog.getByText("Somebody else has changed this in the meantime.").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("heading", { level: 1, name: "Thank you" }).waitFor();
  await page.getByRole("button", { name: "Delete goal" }).click();
  await dialog.getByRole("button", { name: "Delete goal" }).click();
  await page.getByText("Thank you was deleted.").waitFor();
  await page.getByRole("heading", { level: 1, name: "Goals" }).waitFor();
  await page.getByText("No goals yet").waitFor();
  editor.nothingWrong();
  await editor.end();
});

test("a viewer reads everything and changes nothing", async () => {
  const { hypothesis_id } = await company.post("/hypothesis", { problem: "Nobody opens the size table." });
  const { goal_profile_id } = await company.post("/goal", {
    goal_name: "Size table",
    goal_type: "clickOnText",
    goal_value: "Sizes",
  });
  const viewer = await enter("viewer", `/hypotheses/${hypothesis_id}`);
  const { page } = viewer;
  await page.getByText("Your role in this project can view everything, but change nothing.").waitFor();
  const acts = page.locator("main").getByRole("button", { name: /Save|Archive|Delete|New|Create/ });
  assert.equal((await acts.count()) + (await page.getByRole("link", { name: /New/ }).count()), 0);
  await viewer.open(`/p/${company.shop}/goals/${goal_profile_id}`);
  assert.ok(await page.getByLabel("Name", { exact: true }).isDisabled());
  assert.equal(await acts.count(), 0);
  for (const path of ["/hypotheses/new", "/goals/new"]) {
    await viewer.open(`/p/${company.shop}${path}`);
    await page.getByText("Your role in this project can view everything, but change nothing.").waitFor();
    assert.equal(await acts.count(), 0);
  }
  viewer.nothingWrong();
  await viewer.end();
});
