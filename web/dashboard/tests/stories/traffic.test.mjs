// Traffic and groups of experiments, with the real server: saving, refusals, and concurrent changes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until, Visit } from "../rig.mjs";
import { browser, company } from "../stage.mjs";

async function enter(as = "editor") {
  const visit = await Visit.begin(browser, { address: company.address });
  await company.enter(visit, as);
  return visit;
}

async function make(name, more = {}) {
  const body = { test_name: name, url: "https://shop.example/", variants: [{ name: "Variant 1" }], ...more };
  return (await company.post("/create-experiment", body)).test_id;
}

const settings = async (id) => (await company.get(`/experiment/${id}`)).experiment.configuration;
const groups = async () => (await company.get("/exclusion-groups")).exclusion_groups;
/** Waits until a save is complete. The message of an earlier one may still be visible. */
async function saved(page) {
  await page.getByText("Saved.").last().waitFor();
  await page.locator("button:disabled", { hasText: "Save traffic" }).waitFor();
}

test("traffic and weights are saved, refused at their fields, and not lost", async () => {
  const id = await make("Basket", { configuration: { completion_visitor: 5_000 } });
  const path = `/p/${company.shop}/experiments/${id}/setup/traffic`;
  const visit = await enter();
  const { page } = visit;
  await visit.open(path);
  const traffic = page.getByLabel("Visitors who enter, in percent");
  const weight = (arm) => page.getByLabel(`Weight of ${arm}, in percent`);
  const save = page.getByRole("button", { name: "Save traffic" });

  // By keyboard only. Typed values survive a reload.
  await traffic.focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("60");
  await page.keyboard.press("Tab");
  assert.ok(await weight("Control").evaluate((element) => element === document.activeElement));
  await page.keyboard.type("70");
  await page.getByText("Sum: 120 %, 20 % too much").waitFor();
  await page.reload();
  await page.getByText("Your unsaved changes were kept.").waitFor();
  assert.equal(await traffic.inputValue(), "60");

  // Weights that do not sum to 100 are refused, and so is an empty field, which would otherwise mean the default.
  await traffic.fill("");
  await save.click();
  await page.getByText("Weights must sum to 100.").waitFor();
  await page.getByText("must be an integer from 0 to 100").waitFor();
  await traffic.fill("60");
  await weight("Variant 1").fill("30");
  await page.getByText("Sum: 100 %", { exact: true }).waitFor();
  await save.click();
  await saved(page);
  let now = await settings(id);
  assert.deepEqual([now.traffic_allocation, now.distribution], [60, { Control: 70, "Variant 1": 30 }]);
  // Only touched fields are sent.
  assert.equal(now.completion_visitor, 5_000);

  // One click splits evenly again. The two automatic actions of the clock are switched on, too.
  await page.getByRole("button", { name: "Split evenly" }).click();
  assert.equal(await weight("Variant 1").inputValue(), "50");
  await page.getByLabel("Move the weights to better variants").check();
  await page.getByLabel("Serve a winner automatically").check();
  await page.getByText("Moved by the bandit.").waitFor();
  await save.click();
  await page.getByRole("heading", { name: "State of the bandit" }).waitFor();
  now = await settings(id);
  assert.deepEqual([now.distribution, now.is_mab, now.is_autopilot], ["equal", 1, 1]);

  // Somebody else changes it first: both values are shown, and nothing is overwritten without a choice.
  await traffic.fill("80");
  await company.call(
    "PATCH",
    `/experiment/${id}`,
    { configuration: { traffic_allocation: 25 } },
    { headers: { "content-type": "application/merge-patch+json" } },
  );
  await save.click();
  await page.getByText("Now stored: 25").waitFor();
  assert.equal((await settings(id)).traffic_allocation, 25);
  await page.getByRole("button", { name: "Keep mine" }).click();
  await save.click();
  await page.getByText("Now stored: 25").waitFor({ state: "detached" });
  await saved(page);
  assert.equal((await settings(id)).traffic_allocation, 80);
  await visit.end();

  const viewer = await enter("viewer");
  await viewer.open(path);
  assert.ok(await viewer.page.getByLabel("Visitors who enter, in percent").isDisabled());
  assert.equal(await viewer.page.getByRole("button", { name: "Save traffic" }).count(), 0);
  await viewer.end();
});

test("what the clock did is told", async () => {
  const soon = new Date(Date.now() + 1_500).toISOString();
  const id = await make("By date", { configuration: { start_test_date: soon } });
  const visit = await enter();
  const { page } = visit;
  const schedule = async () => (await company.get(`/experiment/${id}`)).experiment.schedule;
  await until(async () => (await schedule()).last !== null, "the start");
  await visit.open(`/p/${company.shop}/experiments/${id}/setup/traffic`);
  await page.getByRole("cell", { name: "Started", exact: true }).waitFor();
  await page.getByText("The start date").waitFor();
  await page.getByRole("table", { name: "Epochs" }).getByText("First start").waitFor();
  visit.nothingWrong();
  await visit.end();
});

test("a group is made, changed and deleted, and nobody is moved unasked", async () => {
  const live = await make("Shorter form", { status: 1 });
  const draft = await make("Longer form");
  const visit = await enter();
  const { page } = visit;
  await visit.open(`/p/${company.shop}/groups`);
  await page.getByRole("link", { name: "New group" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Checkout");
  const pick = page.getByRole("combobox", { name: "Add an experiment" });
  const add = async (typed) => {
    await pick.pressSequentially(typed);
    await page.getByRole("option", { name: typed }).waitFor();
    await page.keyboard.press("Enter");
  };
  await add("Shorter form");
  await add("Longer form");
  const share = (name) => page.getByLabel(`Share of ${name}, in percent of all visitors`);
  await share("Shorter form").fill("80");
  await page.getByRole("button", { name: "Create group" }).click();
  await page.getByText("must be a number from 0.01 to 100").waitFor();
  await share("Longer form").fill("20");
  await page.getByRole("button", { name: "Create group" }).click();
  await page.getByText(`The live experiment ${live} (Shorter form): 20 percent of all visitors`).waitFor();
  await page.getByRole("button", { name: "Open group" }).click();
  await page.getByRole("heading", { name: "Checkout", level: 1 }).waitFor();

  // Fewer visitors for a live experiment: the server reports which would be moved, and nothing happens before the user
  // accepts.
  const save = page.getByRole("button", { name: "Save group" });
  const dialog = page.getByRole("dialog", { name: "This moves visitors" });
  await share("Shorter form").fill("30");
  await save.click();
  await dialog.getByText("50 percent of all visitors can no longer enter it").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  assert.equal((await groups())[0].members[0].percent, 80);
  assert.equal(await share("Shorter form").inputValue(), "30");
  await save.click();
  await dialog.getByRole("button", { name: "Move them and save" }).click();
  await page.getByText("The group was saved.").waitFor();
  assert.equal((await groups())[0].members[0].percent, 30);

  // Somebody else changes the same field: both values are shown.
  await share("Longer form").fill("25");
  const [{ group_id: id }] = await groups();
  await company.patch(`/exclusion-group/${id}`, {
    members: [
      { test_id: live, percent: 30 },
      { test_id: draft, percent: 60 },
    ],
  });
  await save.click();
  await page.getByText("Somebody else has changed this since you began.").waitFor();
  await page.getByRole("button", { name: "Use the stored value" }).click();
  assert.equal(await share("Longer form").inputValue(), "60");

  // The experiment shows its group, and the epochs show why they began.
  await visit.open(`/p/${company.shop}/experiments/${live}/setup/traffic`);
  await page.getByRole("table", { name: "Epochs" }).getByText("Exclusion groups or holdouts changed").first().waitFor();
  await page.getByText("30 % of all visitors can enter it: the group range from 0 % to 30 %").waitFor();
  await page.getByRole("link", { name: "Checkout" }).click();

  await page.getByRole("button", { name: "Delete group" }).click();
  const question = page.getByRole("dialog", { name: "Delete Checkout?" });
  await question.getByRole("button", { name: "Delete group" }).click();
  await dialog.getByText("70 percent can enter it who could not before").waitFor();
  assert.equal((await groups()).length, 1);
  await dialog.getByRole("button", { name: "Move them and delete" }).click();
  await page.getByText("No groups yet").waitFor();
  assert.deepEqual(await groups(), []);
  await visit.end();
});

test("a holdout is made of some experiments, and has a result", async () => {
  const id = await make("Colour of the button");
  const visit = await enter();
  const { page } = visit;
  await visit.open(`/p/${company.shop}/groups/new?kind=holdout`);
  await page.getByLabel("Name", { exact: true }).fill("Sees nothing");
  await page.getByLabel("Visitors who are held out, in percent").fill("60");
  await page.getByLabel("Some experiments").check();
  await page.getByRole("combobox", { name: "Add an experiment" }).pressSequentially(`#${id}`);
  await page.getByRole("option", { name: "Colour of the button" }).click();
  await page.getByRole("button", { name: "Create group" }).click();
  await page.getByText("must be a number from 0.1 to 50").waitFor();
  await page.getByLabel("Visitors who are held out, in percent").fill("2.5");
  await page.getByRole("button", { name: "Create group" }).click();
  await page.getByText("It has not moved any visitors.").waitFor();
  await page.getByRole("button", { name: "Open group" }).click();
  await page.getByRole("table", { name: "Result of the holdout" }).getByText("Everybody else").first().waitFor();
  const [made] = await groups();
  assert.deepEqual([made.percent, made.scope], [2.5, { tests: [id] }]);
  visit.nothingWrong();
  await visit.end();
});
