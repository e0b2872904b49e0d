// Defining the audience of an experiment: by keyboard, with errors at their rows, with concurrent changes, and without
// losing input.

import assert from "node:assert/strict";
import { test } from "node:test";
import { everyKind } from "../areas/audience.mjs";
import { until, Visit } from "../rig.mjs";
import { browser, company } from "../stage.mjs";

const url = "https://shop.example/checkout";

async function create(more = {}) {
  const body = { test_name: "Checkout", url, variants: [{ name: "Variant 1" }], ...more };
  const { test_id } = await company.post("/create-experiment", body);
  return test_id;
}

async function open(id, as = "editor") {
  const visit = await Visit.begin(browser, { address: company.address });
  await company.enter(visit, as);
  await visit.open(`/p/${company.shop}/experiments/${id}/setup/audience`);
  return visit;
}

const stored = async (id) => (await company.get(`/experiment/${id}`)).experiment;
const focused = (page, name) => page.waitForFunction((wanted) => document.activeElement?.name === wanted, name);
/** By keyboard: on a slow page, a menu closes under the pointer that has opened it. */
async function pick(page, item) {
  await page.getByRole("menuitem", item).focus();
  await page.keyboard.press("Enter");
}

const saved = (page) => page.getByText("Saved.", { exact: true }).first().waitFor();

test("rules are added by keyboard, refused at their rows, saved, and tried", async () => {
  const id = await create();
  const visit = await open(id);
  const { page } = visit;
  const tab = page.keyboard;

  // A country: from the menu into the field, a few letters, Enter.
  await page.getByRole("button", { name: "Add a rule" }).focus();
  await tab.press("Enter");
  await page.getByRole("menuitem", { name: "Country" }).and(page.locator(":focus")).waitFor();
  await tab.press("Enter");
  await focused(page, "targeting.allowed_country");
  await tab.type("germ");
  await page.getByRole("listbox").getByRole("option", { name: "Germany" }).waitFor();
  await tab.press("Enter");
  await tab.type("austria");
  await tab.press("Enter");
  await page.getByText("Visitors in Germany or Austria on the page").waitFor();
  // The server of this test has no geographic database.
  await page.getByText("This server has no geographic database, so nobody matches this rule").waitFor();

  // Pages: the server refuses a regular expression, and the error is at its row.
  await page.getByRole("button", { name: "Add pages" }).click();
  await focused(page, "targeting.url_rule[0].url");
  await tab.type("/checkout");
  await page.getByRole("button", { name: "Keep pages out" }).click();
  await page.getByLabel("How the address is compared").nth(1).selectOption("regex");
  await page.getByLabel("Address", { exact: true }).nth(1).fill("(a+)+");
  await page.getByRole("button", { name: "Save audience" }).click();
  const wrong = page.locator('[name="targeting.url_rule[1].url"][aria-invalid=true]');
  await wrong.waitFor();
  assert.ok(await wrong.evaluate((field) => field === document.activeElement));
  assert.equal(await page.locator("[aria-invalid=true]").count(), 1);
  await wrong.fill("/checkout/done$");

  // An attribute: an operator without a value hides the value, and none is sent.
  await page.getByRole("button", { name: "Add a rule" }).click();
  await pick(page, { name: "Attributes" });
  await focused(page, "targeting.segment_rule[0][0].criteria");
  await tab.type("plan");
  const attributes = page.getByRole("region", { name: "Attributes" });
  await attributes.getByLabel("Value").fill("pro");
  await attributes.getByLabel("Comparison").selectOption("ex");
  assert.equal(await attributes.getByLabel("Value").count(), 0);

  // The trial uses the saved rules.
  await page.getByText("This uses the saved rules.").waitFor();
  await page.getByRole("button", { name: "Save audience" }).click();
  await saved(page);
  await page.getByText("This uses the saved rules.").waitFor({ state: "hidden" });
  const { targeting } = await stored(id);
  assert.deepEqual(targeting.segment_rule, [[{ criteria: "plan", operator: "ex" }]]);
  assert.deepEqual(
    targeting.allowed_country.map(({ name, code, rule }) => [name, code, rule]),
    [
      ["Germany", "DE", "whitelist"],
      ["Austria", "AT", "whitelist"],
    ],
  );
  assert.deepEqual(targeting.url_rule, [
    { url: "/checkout", rule: "contain", allowed: true },
    { url: "/checkout/done$", rule: "regex", allowed: false },
  ]);

  await company.patch(`/experiment/${id}/status`, { status: 1 });
  const steps = page.getByRole("list", { name: "Steps" });
  await page.getByRole("combobox", { name: "Country" }).selectOption("DE");
  await page.getByRole("button", { name: "Add an attribute" }).click();
  await focused(page, "try.attribute.0");
  await tab.type("plan");
  await page.getByLabel("Value of plan").fill("");
  await page.getByRole("button", { name: "Try this visitor" }).click();
  await page.getByRole("heading", { name: /^Gets (Control|Variant 1)$/ }).waitFor();
  await page.getByLabel("Address of the page").fill(`${url}/done`);
  await page.getByRole("button", { name: "Try this visitor" }).click();
  await page.getByRole("heading", { name: "Stays out, and sees the original" }).waitFor();
  await steps.getByRole("listitem").filter({ hasText: "Pages" }).getByText("Out", { exact: true }).waitFor();
  await page.getByLabel("Address of the page").fill("checkout");
  await page.getByRole("button", { name: "Try this visitor" }).click();
  await page.getByText("must be an absolute http or https address").waitFor();
  visit.nothingWrong();
  await visit.end();
});

test("another person's rule of another kind stays; the same kind is a choice", async () => {
  const id = await create();
  const visit = await open(id);
  const { page } = visit;
  const act = page.getByRole("button", { name: "Save audience" });
  const merge = { headers: { "content-type": "application/merge-patch+json" } };
  const choose = async (kind) => {
    await page.getByRole("button", { name: "Add a rule" }).click();
    await pick(page, { name: kind, exact: true });
  };
  await choose("Device");
  await page.getByRole("checkbox", { name: "Mobile" }).check();
  await company.patch(`/experiment/${id}`, { targeting: { os_rule: ["ios"] } }, merge);
  await act.click();
  await page.getByRole("alert").waitFor();
  await page.getByRole("checkbox", { name: "iOS" }).waitFor();
  assert.ok(await page.getByRole("checkbox", { name: "Mobile" }).isChecked());
  await act.click();
  await saved(page);
  assert.deepEqual((await stored(id)).targeting.device_rule, ["mobile"]);
  assert.deepEqual((await stored(id)).targeting.os_rule, ["ios"]);

  await page.getByRole("checkbox", { name: "Tablet" }).check();
  await company.patch(`/experiment/${id}`, { targeting: { device_rule: ["desktop"], os_rule: [] } }, merge);
  await act.click();
  const conflict = page.getByRole("alert").filter({ hasText: "Somebody else has changed this" });
  await conflict.getByText("Now stored: on desktop").waitFor();
  await conflict.getByText("Yours: on mobile or tablet").waitFor();
  await visit.examine("audience-conflict");
  await conflict.getByRole("button", { name: "Keep mine" }).click();

  // After a reload, unsaved values are still there.
  await page.reload();
  await page.getByText("Your unsaved changes were kept.").waitFor();
  await act.click();
  await until(async () => (await stored(id)).targeting.device_rule.length === 2, "the rule");
  assert.deepEqual((await stored(id)).targeting.os_rule, []);
  visit.nothingWrong();
  await visit.end();
});

test("sixteen kinds are read, changed one by one, and removed", async () => {
  const targeting = everyKind((plain) => plain);
  const id = await create({ targeting });
  const before = (await stored(id)).targeting;
  const visit = await open(id);
  const { page } = visit;
  const bodies = [];
  page.on("request", (request) => {
    if (request.method() === "PATCH") bodies.push(request.postDataJSON());
  });
  const region = (name) => page.getByRole("region", { name, exact: true });
  await region("Earlier events").getByLabel("Value").first().fill("25");
  await region("Days and hours").getByLabel("From").first().fill("08:30");
  await page.getByRole("button", { name: "Save audience" }).click();
  await saved(page);
  // Only touched fields were sent, and numbers are numbers.
  assert.deepEqual(Object.keys(bodies[0].targeting).sort(), ["event_rule", "schedule_rule"]);
  const after = (await stored(id)).targeting;
  assert.equal(after.event_rule[0].attributes[0][0].value, 25);
  assert.equal(after.schedule_rule.schedule_groups[0].time_ranges[0].start, "08:30");
  const { event_rule: _, schedule_rule: __, ...rest } = after;
  for (const [kind, rule] of Object.entries(rest)) assert.deepEqual(rule, before[kind]);

  const titles = (await page.getByRole("region").all()).length;
  assert.ok(titles >= 15, `${titles} kinds`);
  for (;;) {
    const remove = page
      .locator("section[data-rule]")
      .first()
      .getByRole("button", { name: /^Remove / })
      .first();
    if ((await remove.count()) === 0) break;
    await remove.click();
  }
  for (let left = targeting.url_rule.length; left > 0; left -= 1)
    await page
      .locator('[name^="targeting.url_rule"]')
      .first()
      .locator("xpath=ancestor::li")
      .getByRole("button", { name: /^Remove/ })
      .click();
  await page.getByText(`All visitors on the page “${url}”.`).waitFor();
  await page.getByRole("button", { name: "Save audience" }).click();
  await until(async () => (await stored(id)).targeting.schedule_rule === null, "the empty targeting");
  for (const rule of Object.values((await stored(id)).targeting)) assert.ok(rule === null || rule.length === 0);
  visit.nothingWrong();
  await visit.end();
});

test("a variant of a personalization has an audience of its own, and keeps its code", async () => {
  const code = { customCSS: ".a { color: red }", nickname: "Buyers" };
  const id = await create({
    test_type: "personalization",
    variants: [{ name: "Variant 1", ...code }, { name: "Variant 2" }],
  });
  const visit = await open(id);
  const { page } = visit;
  await page.getByRole("button", { name: "Add a rule for Variant 1" }).click();
  await pick(page, { name: "New or returning" });
  await page.getByRole("radio", { name: /^Returning/ }).check();
  await page.getByText("Visitors who have come before.").waitFor();
  await page.getByRole("button", { name: "Save audience" }).click();
  await saved(page);
  const [first, second] = (await stored(id)).variants;
  assert.deepEqual(first.targeting.user_rule, ["returning"]);
  assert.equal(first.customCSS, code.customCSS);
  assert.equal(first.nickname, code.nickname);
  assert.deepEqual(second.targeting.user_rule, []);
  visit.nothingWrong();
  await visit.end();
});

test("a rule of a later version is shown as it is, and not sent", async () => {
  const id = await create({ targeting: { device_rule: ["mobile"] } });
  const visit = await Visit.begin(browser, { address: company.address });
  await company.enter(visit, "editor");
  const { page } = visit;
  // Answer as a server of a later version would.
  await page.route(`**/experiment/${id}`, async (route) => {
    if (route.request().method() !== "GET") return route.continue();
    const answer = await route.fetch();
    const body = await answer.json();
    Object.assign(body.experiment.targeting, { device_rule: ["watch"], weather_rule: { sky: "<b>rain</b>" } });
    await route.fulfill({ response: answer, json: body });
  });
  await visit.open(`/p/${company.shop}/experiments/${id}/setup/audience`);
  await page.getByText('"watch"').waitFor();
  await page.getByText('"sky": "<b>rain</b>"').waitFor();
  await page.getByRole("button", { name: "Add a rule" }).click();
  await pick(page, { name: "Browser", exact: true });
  await page.getByRole("checkbox", { name: "Firefox" }).check();
  const sent = page.waitForRequest((request) => request.method() === "PATCH");
  await page.getByRole("button", { name: "Save audience" }).click();
  assert.deepEqual((await sent).postDataJSON(), { targeting: { browser_rule: ["firefox"] } });
  await saved(page);
  await visit.settled();
  visit.nothingWrong();
  await page.unrouteAll({ behavior: "wait" });
  await visit.end();
});

test("a viewer sees the rules, changes none, and tries visitors", async () => {
  const id = await create({ targeting: { device_rule: ["mobile"] } });
  const visit = await open(id, "viewer");
  const { page } = visit;
  await page.getByText("Visitors on mobile on the page").waitFor();
  assert.ok(await page.getByRole("checkbox", { name: "Mobile" }).isDisabled());
  for (const name of ["Save audience", "Add a rule", "Add pages", "Remove Device"])
    assert.equal(await page.getByRole("button", { name }).count(), 0, name);
  await page.getByRole("combobox", { name: "Device" }).selectOption("desktop");
  await page.getByRole("button", { name: "Try this visitor" }).click();
  await page.getByRole("heading", { name: "Would stay out if it ran" }).waitFor();
  visit.nothingWrong();
  await visit.end();
});
