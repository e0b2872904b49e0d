// Guarantees of forms: typed values are never lost, only touched fields are sent, errors are at their fields, and
// nobody's change is overwritten.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SHOP } from "../dev/data.mjs";
import { until, Visit } from "./rig.mjs";
import { browser } from "./worker.mjs";

const SETTINGS = `/settings/projects/${SHOP}`;
const api = `/v2/project/${SHOP}/settings`;

async function settings(options, run) {
  const bodies = [];
  const visit = await Visit.begin(browser, {
    answer: (call, state) => {
      if (call.method === "PATCH" && call.path === api) bodies.push(call.body);
      return options.answer?.(call, state);
    },
  });
  try {
    await visit.signIn();
    await visit.open(SETTINGS);
    await run(visit, bodies);
    visit.nothingWrong();
  } finally {
    await visit.end();
  }
}

const save = (page) => page.getByRole("button", { name: "Save settings" });

test("only what was touched is sent", () =>
  settings({}, async ({ page }, bodies) => {
    assert.ok(await save(page).isDisabled());
    await page.getByRole("checkbox", { name: "Automated browsers" }).check();
    await page.getByLabel("Name", { exact: true }).fill("Other");
    await page.getByLabel("Name", { exact: true }).fill("Shop");
    await save(page).click();
    await page.getByText("The settings were saved.").waitFor();
    assert.deepEqual(bodies, [{ bots: true }]);
    assert.ok(await save(page).isDisabled());
  }));

test("what is typed while a form is saved is not lost", () => {
  let release;
  const held = new Promise((resolve) => (release = resolve));
  return settings({}, async ({ page }, bodies) => {
    await page.route(`**${api}`, async (route) => {
      if (route.request().method() === "PATCH" && bodies.length === 0) await held;
      await route.continue();
    });
    const name = page.getByLabel("Name", { exact: true });
    await page.getByRole("checkbox", { name: "Automated browsers" }).check();
    await name.fill("Other");
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await save(page).click();
    await sent;
    await name.fill("Other shop");
    release();
    await page.getByText("The settings were saved.").waitFor();
    assert.equal(await name.inputValue(), "Other shop");
    await save(page).click();
    await until(() => bodies.length === 2, "the second change");
    assert.deepEqual(bodies, [{ bots: true, name: "Other" }, { name: "Other shop" }]);
    await until(() => save(page).isDisabled(), "the end of the second change");
    assert.equal(await page.getByText("Somebody else").count(), 0);
  });
});

test("an error stands at its field, which gets the focus", () =>
  settings({}, async ({ page }) => {
    const field = page.getByLabel("Page views whose health is reported");
    await field.fill("400");
    await save(page).click();
    await page.getByText("must be from 0 to 100").waitFor();
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    assert.ok(await field.evaluate((element) => element === document.activeElement));
    const described = await field.getAttribute("aria-describedby");
    assert.equal(await page.locator(`[id="${described.split(" ")[0]}"]`).textContent(), "must be from 0 to 100");
    await field.fill("40");
    await save(page).click();
    await page.getByText("The settings were saved.").waitFor();
  }));

test("an error of no field is shown with the id of the request", () =>
  settings(
    {
      answer: ({ method, path }) =>
        method === "PATCH" &&
        path === api && [
          503,
          { success: false, error: "the database is away", code: "unavailable", errors: [], request_id: "req-77" },
        ],
    },
    async ({ page }) => {
      await page.getByRole("checkbox", { name: "Automated browsers" }).check();
      await save(page).click();
      const alert = page.getByRole("alert");
      await alert.getByText("The database is away.").waitFor();
      await alert.getByText("req-77").waitFor();
      assert.ok(await page.getByRole("checkbox", { name: "Automated browsers" }).isChecked());
    },
  ));

test("unsaved changes are guarded, and kept over a reload", () =>
  settings({}, async ({ page }, bodies) => {
    await page.getByLabel("Name", { exact: true }).fill("Store");
    await page.getByRole("link", { name: "Experiments" }).first().click();
    const dialog = page.getByRole("dialog", { name: "You have unsaved changes" });
    await dialog.getByRole("button", { name: "Stay" }).click();
    assert.ok(page.url().endsWith(SETTINGS));
    await page.reload();
    await page.getByText("Your unsaved changes were kept.").waitFor();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Store");
    await page.getByRole("link", { name: "Experiments" }).first().click();
    await dialog.getByRole("button", { name: "Leave and keep" }).click();
    await page.getByRole("heading", { name: "Experiments", level: 1 }).waitFor();
    await page.goBack();
    await page.getByText("Your unsaved changes were kept.").waitFor();
    await page.getByRole("button", { name: "Discard them" }).click();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Shop");
    assert.deepEqual(bodies, []);
  }));

test("a session that ends leads to the sign-in and back, and what was typed is still there", () =>
  settings({}, async ({ page, server }, bodies) => {
    await page.getByLabel("Name", { exact: true }).fill("Store");
    server.state.sessions.clear();
    await save(page).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.getByLabel("E-mail").fill("grace@example.com");
    await page.getByLabel("Password").fill("correct horse battery");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Your unsaved changes were kept.").waitFor();
    assert.ok(page.url().endsWith(SETTINGS));
    await save(page).click();
    await page.getByText("The settings were saved.").waitFor();
    assert.deepEqual(bodies.at(-1), { name: "Store" });
  }));

test("a change of somebody else is shown beside one's own, and not overwritten", () =>
  settings({}, async ({ page, server }, bodies) => {
    await page.getByLabel("Name", { exact: true }).fill("Mine");
    server.state.settings.set(SHOP, { name: "Theirs", bots: true });
    await page.reload();
    const conflict = page.getByRole("alert");
    await conflict.getByText("Now stored: Theirs").waitFor();
    await conflict.getByText("Yours: Mine").waitFor();
    assert.ok(await save(page).isDisabled());
    await conflict.getByRole("button", { name: "Keep mine" }).click();
    await save(page).click();
    await page.getByText("The settings were saved.").waitFor();
    assert.deepEqual(bodies, [{ name: "Mine" }]);
    assert.equal(server.state.settings.get(SHOP).bots, true);
  }));

test("passwords are never kept in the tab", async () => {
  const visit = await Visit.begin(browser, {});
  try {
    await visit.signIn();
    await visit.open("/account");
    await visit.page.getByLabel("New password").fill("a very secret sentence");
    const kept = await visit.page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
    assert.ok(!kept.includes("secret"), kept);
  } finally {
    await visit.end();
  }
});

test("a secret of a link leaves the address at once", async () => {
  const visit = await Visit.begin(browser, {});
  try {
    await visit.open("/invitation#join");
    await visit.page.getByRole("heading", { name: "Join Acme" }).waitFor();
    assert.equal(new URL(visit.page.url()).hash, "");
    await visit.page.getByLabel("Your name").fill("Emmy Noether");
    await visit.page.getByLabel("Password").fill("too short");
    await visit.page.getByRole("button", { name: "Create account" }).click();
    await visit.page.getByText("must have at least 12 characters").waitFor();
    await visit.page.getByLabel("Password").fill("correct horse battery");
    await visit.page.getByRole("button", { name: "Create account" }).click();
    await visit.page.getByRole("heading", { name: "Experiments", level: 1 }).waitFor();
    visit.nothingWrong();
  } finally {
    await visit.end();
  }
});
