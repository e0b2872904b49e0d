// Creating an experiment from a hypothesis, and its setup in steps. Errors are at their fields, and changes by others
// are not lost.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Visit } from "../rig.mjs";
import { browser, company } from "../stage.mjs";

async function begin(as = "editor") {
  const visit = await Visit.begin(browser, { address: company.address });
  await company.enter(visit, as);
  return visit;
}

const idOf = (page) => Number(/experiments\/(\d+)/.exec(page.url())[1]);
const experimentOf = async (id) => (await company.get(`/experiment/${id}`)).experiment;
const saved = (page) => page.getByRole("status").getByText("Saved.").first().waitFor();

/** Saves, and waits until the form has nothing left to save. */
async function save(page, act) {
  await page.getByRole("button", { name: act }).click();
  await saved(page);
  await page.locator(`button:disabled`, { hasText: act }).waitFor();
}

test("from a hypothesis to a draft that is set up", async () => {
  const { hypothesis_id } = await company.post("/hypothesis", {
    problem: "The form asks for more than a parcel needs",
    solution: "Ask in two fields",
  });
  const visit = await begin();
  const { page } = visit;

  // From the empty list, by keyboard. The palette leads there, too.
  await visit.open("/experiments");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: /Search pages/ }).fill("new exp");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "New experiment", level: 1 }).waitFor();
  await page.goBack();
  const first = page.getByRole("link", { name: "Create an experiment" });
  await first.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "New experiment", level: 1 }).waitFor();
  await page.getByLabel("Name").fill("Shorter checkout form");
  await page.getByLabel("Page").fill("shop.example");
  await page.getByRole("combobox", { name: "Hypothesis" }).fill("parcel");
  await page.getByRole("option", { name: /more than a parcel/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("Ask in two fields").waitFor();
  // The focus moves to the element that replaces it.
  await page.locator('[aria-label="Remove the hypothesis"]:focus').waitFor();
  assert.match(page.url(), /experiments\/new$/);

  // The server's error is at its field, which has the focus. A reload keeps the typed values.
  await page.getByRole("button", { name: "Create draft" }).click();
  await page.getByText("must be an absolute http or https URL").waitFor();
  assert.equal(await page.getByLabel("Page").getAttribute("aria-invalid"), "true");
  await page.reload();
  await page.getByText("Your unsaved changes were kept.").waitFor();
  await page.getByLabel("Page").fill("https://shop.example/checkout");
  await page.getByRole("button", { name: "Create draft" }).click();
  await page.getByRole("heading", { name: "Shorter checkout form", level: 1 }).waitFor();
  const id = idOf(page);
  const made = await experimentOf(id);
  assert.equal(made.status, 9);
  assert.equal(made.hypothesis_id, hypothesis_id);

  // Add tags by keyboard, without the hypothesis.
  await page.getByLabel("Tags").fill("checkout");
  await page.keyboard.press("Enter");
  await page.getByLabel("Tags").fill("forms");
  await page.getByRole("button", { name: "Remove the hypothesis" }).click();
  await save(page, "Save page");
  assert.deepEqual((await experimentOf(id)).tags, ["checkout", "forms"]);
  assert.equal((await experimentOf(id)).hypothesis_id, null);

  // Create a goal in the step, and make it the primary one.
  await page.getByRole("navigation", { name: "Setup" }).getByRole("link", { name: "Goals" }).click();
  await page.getByText("Without a primary goal, no variant can win.").waitFor();
  await page.getByRole("button", { name: "New goal" }).first().click();
  const dialog = page.getByRole("dialog", { name: "New goal" });
  await dialog.getByLabel("Name", { exact: true }).fill("Half of the page");
  await dialog.getByLabel("Counts when").selectOption("scrolling");
  await dialog.getByLabel("Depth in percent").fill("150");
  await dialog.getByRole("button", { name: "Create goal" }).click();
  await dialog.getByText("must be a percentage from 1 to 100").waitFor();
  await dialog.getByLabel("Depth in percent").fill("50");
  await dialog.getByRole("button", { name: "Create goal" }).click();
  await page.getByText("Not seen in the last 7 days").waitFor();
  await page.getByLabel("Smallest lift worth acting on").fill("20");
  await page.getByRole("checkbox", { name: "Bounce rate" }).uncheck();
  await save(page, "Save goals");
  const measured = await experimentOf(id);
  assert.equal(measured.primary_goal.goal_value, 50);
  assert.equal(measured.plan.mde, 20);
  assert.deepEqual(measured.builtin_metrics, ["engagement"]);
  assert.equal(measured.configuration.confidence_interval, 95);

  // An end before the start is refused, with the error at its field.
  await page.getByRole("navigation", { name: "Setup" }).getByRole("link", { name: "Schedule" }).click();
  await page.getByLabel("Start", { exact: true }).fill("2031-03-01T09:00");
  await page.getByLabel("End", { exact: true }).fill("2031-02-01T09:00");
  await page.getByRole("button", { name: "Save schedule" }).click();
  await page.getByText("must be after start_test_date").waitFor();
  await page.getByLabel("End", { exact: true }).fill("2031-04-01T09:00");
  await page.getByLabel("After this many visitors").fill("40000");
  await save(page, "Save schedule");
  await page.getByText(/It starts on 1 Mar 2031/).waitFor();
  const timed = await experimentOf(id);
  assert.equal(Date.parse(timed.configuration.start_test_date), Date.parse("2031-03-01T09:00:00Z"));
  assert.equal(timed.configuration.completion_visitor, 40_000);
  assert.equal(timed.configuration.traffic_allocation, 100);

  // A rule with an empty field is off.
  await page.getByLabel("After this many visitors").fill("");
  await save(page, "Save schedule");
  assert.equal((await experimentOf(id)).configuration.completion_visitor, 0);

  // The review describes it in words, and simulates it.
  await page.getByRole("navigation", { name: "Setup" }).getByRole("link", { name: "Review" }).click();
  await page.getByText("By hand, or on 1 Apr 2031").waitFor();
  await page.getByText("It is not known how many of the control's visitors convert").waitFor();
  await page.getByLabel("Visitors a day").fill("4000");
  await page.getByLabel("Conversion rate, in percent").fill("5");
  await page.getByRole("button", { name: "Calculate" }).click();
  await page.getByText("To find a lift of 20 % in 80 of 100 cases, the experiment needs").waitFor();
  await page.getByLabel("Tries").selectOption("2000");
  await page.getByRole("button", { name: "Try the plan" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Cancel" }).waitFor({ state: "detached" });
  assert.equal(await page.getByRole("alert").count(), 0);
  await page.getByLabel("Tries").selectOption("100");
  await page.getByLabel("Days at most").fill("7");
  await page.getByRole("button", { name: "Try the plan" }).click();
  await page.getByRole("heading", { name: "If Variant 1 really has a lift of 20 %" }).waitFor({ timeout: 60_000 });
  visit.nothingWrong();
  await visit.end();
});

test("somebody else changes the same meanwhile", async () => {
  const { test_id } = await company.post("/create-experiment", {
    test_name: "Larger pictures",
    url: "https://shop.example/boots",
    variants: [{ name: "Variant 1" }],
  });
  const path = `/p/${company.shop}/experiments/${test_id}/setup/schedule`;
  const visit = await begin();
  const { page } = visit;
  await visit.open(path);
  await page.getByLabel("After this many visitors").fill("1000");
  const other = { "content-type": "application/merge-patch+json" };
  await company.patch(
    `/experiment/${test_id}`,
    { configuration: { completion_visitor: 2000, completion_conversion: 50 } },
    { headers: other },
  );
  await page.getByRole("button", { name: "Save schedule" }).click();
  await page.getByText("Somebody else has changed this since you began.").waitFor();
  await page.getByText("Now stored: 2000").waitFor();
  await page.getByRole("button", { name: "Keep mine" }).click();
  await save(page, "Save schedule");
  const { configuration } = await experimentOf(test_id);
  assert.equal(configuration.completion_visitor, 1000);
  assert.equal(configuration.completion_conversion, 50);

  // A lost connection loses no input.
  await page.getByLabel("After this many days").fill("14");
  await visit.context.setOffline(true);
  await page.getByRole("button", { name: "Save schedule" }).click();
  await page.getByText("The server cannot be reached.").waitFor();
  await visit.context.setOffline(false);
  await save(page, "Save schedule");
  visit.nothingWrong();
  await visit.end();
});

test("a copy, and who may only look", async () => {
  const { hypothesis_id } = await company.post("/hypothesis", { problem: "Nobody sees the offer" });
  const { test_id } = await company.post("/create-experiment", {
    test_name: "Offer above the fold",
    url: "https://shop.example/",
    variants: [{ name: "Variant 1", customCSS: ".offer { order: -1 }" }],
  });
  // Editors may not store code here, so a copy of an experiment with code is refused, with the reason.
  const editor = await begin();
  await editor.open(`/p/${company.shop}/experiments/new?copy=${test_id}`);
  await editor.page.getByRole("button", { name: "Create copy" }).click();
  await editor.page.getByText("your role may not store code in this project").waitFor();
  await editor.end();

  const visit = await begin("owner");
  const { page } = visit;
  await visit.open(`/p/${company.shop}/experiments/new?hypothesis=${hypothesis_id}`);
  await page.getByText("Nobody sees the offer").waitFor();
  await page.getByRole("radio", { name: "A copy of an experiment" }).check();
  await page.getByRole("button", { name: "Create copy" }).click();
  await page.getByText("Choose the experiment to copy.").first().waitFor();
  await page.getByRole("combobox", { name: "Experiment to copy" }).fill("above");
  await page.getByRole("option", { name: /Offer above the fold/ }).click();
  await page.getByRole("button", { name: "Create copy" }).click();
  await page.getByRole("heading", { name: "Offer above the fold (copy)", level: 1 }).waitFor();
  const copy = await experimentOf(idOf(page));
  assert.notEqual(copy.test_id, test_id);
  assert.equal(copy.hypothesis_id, hypothesis_id);
  assert.equal(copy.variants[0].customCSS, ".offer { order: -1 }");
  visit.nothingWrong();
  await visit.end();

  const viewer = await begin("viewer");
  await viewer.open("/experiments");
  await viewer.page.getByRole("link", { name: "Offer above the fold (copy)" }).waitFor();
  assert.equal(await viewer.page.getByRole("link", { name: "New experiment" }).count(), 0);
  await viewer.open(`/p/${company.shop}/experiments/${copy.test_id}/setup/goals`);
  assert.ok(await viewer.page.getByLabel("Primary goal").isDisabled());
  assert.equal(await viewer.page.getByRole("button", { name: "Save goals" }).count(), 0);
  viewer.nothingWrong();
  await viewer.end();
});
