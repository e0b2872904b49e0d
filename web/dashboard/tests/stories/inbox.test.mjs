// Notifications: a mention by keyboard, from the inbox to the comment, entries that arrive meanwhile, watching, and two
// people with the same name.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until, Visit } from "../rig.mjs";
import { browser, company } from "../stage.mjs";

async function enter(as) {
  const visit = await Visit.begin(browser, { address: company.address });
  await company.enter(visit, as);
  return visit;
}

async function experiment(test_name) {
  const body = { test_name, url: "https://shop.example/", variants: [{ name: "Variant 1" }] };
  return (await company.post("/create-experiment", body)).test_id;
}

const at = (test_id) => `/p/${company.shop}/experiments/${test_id}`;
const box = (page) => page.getByRole("textbox", { name: "Your comment" });
/** Link to the inbox in the navigation, with its number. */
const inbox = (page, unread) =>
  page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: new RegExp(`^Inbox\\s*${unread}$`) });
/** Simulates that the user returns to the tab. */
const comeBack = (page) =>
  page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));

test("a mention is found, read and marked", async () => {
  const test_id = await experiment("Free shipping");
  const [mary, ada] = [await enter("editor"), await enter("owner")];

  // By keyboard only: the list opens while a name is typed, and Enter chooses the person without sending the comment.
  await mary.open(at(test_id));
  await box(mary.page).focus();
  await mary.page.keyboard.type("Look at Tuesday, @ad");
  await mary.page.getByRole("option", { name: /Ada Lovelace/ }).waitFor();
  assert.equal(await mary.page.getByRole("option").count(), 1);
  await mary.page.keyboard.press("Enter");
  await mary.page.getByRole("listbox").waitFor({ state: "detached" });
  await mary.page.keyboard.type("please");
  assert.equal(await box(mary.page).inputValue(), "Look at Tuesday, @Ada Lovelace please");
  await mary.page.getByRole("button", { name: "Comment", exact: true }).press("Enter");
  await mary.page.getByText("Ada Lovelace will find it in the inbox.").waitFor();
  // The author of a comment watches the experiment.
  await mary.page.getByRole("button", { name: "Watching: press to unwatch" }).waitFor();
  mary.nothingWrong();

  await ada.open("/experiments");
  await inbox(ada.page, "1 unread").click();
  const entry = ada.page.getByRole("listitem").filter({ hasText: "You were mentioned in a comment." });
  await entry.getByText("Mary Somerville").waitFor();
  await entry.getByText("Unread").waitFor();
  await entry.getByRole("link", { name: "Free shipping" }).click();
  const comment = ada.page.getByRole("listitem").filter({ hasText: "Look at Tuesday" });
  await comment.getByText("@Ada Lovelace", { exact: true }).waitFor();
  await ada.page.waitForFunction(
    (id) => {
      const place = document.getElementById(id)?.getBoundingClientRect();
      return place !== undefined && place.top >= 0 && place.bottom <= innerHeight;
    },
    await comment.getAttribute("id"),
  );
  await inbox(ada.page, "").click();
  await entry.getByRole("button", { name: "Mark as unread: Free shipping" }).click();
  await inbox(ada.page, "1 unread").waitFor();

  // Entries that arrive while the list is read wait above it.
  await company.patch(`/experiment/${test_id}/status`, { status: 1 }, { as: "editor" });
  await comeBack(ada.page);
  await inbox(ada.page, "2 unread").waitFor();
  assert.equal(await ada.page.getByText("The experiment was started.").count(), 0);
  // Only shown entries are marked.
  await ada.page.getByRole("button", { name: "Mark all as read" }).click();
  await inbox(ada.page, "1 unread").waitFor();
  await ada.page.getByRole("button", { name: "Show what is new" }).click();
  await ada.page.getByText("The experiment was started.").waitFor();
  await ada.page.getByRole("button", { name: "Mark as read: Free shipping" }).click();
  await inbox(ada.page, "").waitFor();
  await ada.page.getByRole("link", { name: "Unread", exact: true }).click();
  await ada.page.getByText("You have read everything").waitFor();
  ada.nothingWrong();
  await mary.end();
  await ada.end();
});

test("a list that was asked for before a mark does not take it back", async () => {
  const test_id = await experiment("Gift wrapping");
  await company.patch(`/experiment/${test_id}/status`, { status: 1 }, { as: "editor" });
  const ada = await enter("owner");
  const { page } = ada;
  await ada.open("/inbox");
  const mark = page.getByRole("button", { name: "Mark as read: Gift wrapping" });
  await mark.waitFor();
  await company.patch(`/experiment/${test_id}/status`, { status: 0 }, { as: "editor" });
  await comeBack(page);
  let letGo;
  const held = new Promise((resolve) => (letGo = resolve));
  let asked = 0;
  await page.route(
    ({ pathname }) => pathname === "/v2/inbox",
    async (route) => {
      asked += 1;
      if (asked > 1) return route.continue();
      const response = await route.fetch();
      await held;
      return route.fulfill({ response }).catch(() => {});
    },
  );
  await page.getByRole("button", { name: "Show what is new" }).click();
  await until(() => asked === 1);
  await mark.click();
  letGo();
  await page.getByText("The experiment was stopped.").waitFor();
  const started = page.getByRole("listitem").filter({ hasText: "Gift wrapping" }).filter({ hasText: "was started" });
  assert.equal(await started.getByText("Unread").count(), 0);
  // When a pressed button disappears, the focus stays on the page.
  await page.getByRole("button", { name: "Mark all as read" }).press("Enter");
  await page.getByRole("button", { name: "Mark all as read" }).waitFor({ state: "detached" });
  await page.waitForFunction(() => document.activeElement.tagName === "H1");
  ada.nothingWrong();
  await ada.end();
});

test("a viewer watches, and stops", async () => {
  const test_id = await experiment("Sizes as a table");
  const charles = await enter("viewer");
  const { page } = charles;
  // The watch state cannot be read at first. It is read again on demand.
  let broken = true;
  await page.route("**/watch", (route) =>
    broken
      ? route.fulfill({ status: 500, json: { success: false, error: "something broke", code: "internal" } })
      : route.continue(),
  );
  await charles.open(at(test_id));
  broken = false;
  const answer = page.waitForResponse((response) => response.url().endsWith("/watch") && response.ok());
  await page.getByRole("button", { name: "Watch", exact: true }).press("Enter");
  await answer;
  // The button is busy until the answer has arrived in the page.
  const watch = page.getByRole("button", { name: "Watch", exact: true });
  await until(() => watch.isEnabled(), "the button");
  await watch.press("Enter");
  await page.getByRole("button", { name: "Watching: press to unwatch" }).waitFor();
  await company.patch(`/experiment/${test_id}/status`, { status: 1 });
  await charles.open("/inbox");
  await page.getByText("The experiment was started.").waitFor();
  await page.getByRole("link", { name: "Sizes as a table" }).click();
  await page.getByRole("button", { name: "Watching: press to unwatch" }).click();
  await page.getByRole("button", { name: "Watch", exact: true }).waitFor();
  await company.patch(`/experiment/${test_id}/status`, { status: 0 });
  await charles.open("/inbox");
  await page.getByText("The experiment was started.").waitFor();
  assert.equal(await page.getByText("The experiment was stopped.").count(), 0);

  // If the server cannot be reached, the page shows an error, and reverts the mark.
  await charles.context.setOffline(true);
  await page.getByRole("button", { name: "Mark as unread: Sizes as a table" }).click();
  await page.getByText("It could not be marked:").waitFor();
  await page.getByRole("button", { name: "Mark as unread: Sizes as a table" }).waitFor();
  await charles.end();
});

test("a name of two people is asked about at the field", async () => {
  const test_id = await experiment("Costs in the basket");
  const { people } = await company.get("/people?search=charles");
  await company.patch(`/v2/person/${people[0].person_id}`, { name: "Ada Lovelace" });
  const mary = await enter("editor");
  const { page } = mary;
  await mary.open(at(test_id));
  await box(page).fill("@ada lovelace?");
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  await page.getByText(/2 people are called/).waitFor();
  assert.equal(await box(page).getAttribute("aria-invalid"), "true");
  // After a choice from the list it is clear who is meant, and the list distinguishes the two.
  await box(page).fill("");
  await page.keyboard.type("@ada l");
  await page.getByRole("option", { name: /Ada Lovelace\s*Viewer/ }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await page.getByRole("listbox").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  await page.getByText("Ada Lovelace will find it in the inbox.").waitFor();
  const told = async (as) => (await company.get("/v2/inbox", { as })).entries.filter((one) => one.test_id === test_id);
  assert.deepEqual(
    (await told("viewer")).map(({ event }) => event),
    ["comment.mentioned"],
  );
  assert.deepEqual(
    (await told("owner")).map(({ event }) => event),
    ["comment.added"],
  );
  mary.nothingWrong();
  await mary.end();
});
