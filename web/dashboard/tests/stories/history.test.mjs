// History, restoring, conclusion and comments of an experiment: by two people with the real server.

import assert from "node:assert/strict";
import { test } from "node:test";
import { browse } from "../crowd.mjs";
import { until, Visit } from "../rig.mjs";
import { browser, company } from "../stage.mjs";

const MERGE = { headers: { "content-type": "application/merge-patch+json" } };

async function visit(as) {
  const one = await Visit.begin(browser, { address: company.address });
  await company.enter(one, as);
  return one;
}

async function experiment(changes) {
  const { test_id } = await company.post("/create-experiment", {
    test_name: "Shorter form",
    url: "https://shop.example/checkout",
    variants: [{ name: "Variant 1", customJS: "one();\ntwo();\nthree();" }],
    primary_goal: { goal_name: "Order", goal_type: "event", goal_value: "order" },
    ...changes,
  });
  return { one: `/experiment/${test_id}`, base: `/p/${company.shop}/experiments/${test_id}` };
}

test("a change is seen with who made it, and taken back", async () => {
  await company.patch("/settings", { editors_have_code: true });
  const { one, base } = await experiment({});
  const owner = await visit("owner");
  const { page } = owner;
  await owner.open(`${base}/setup`);
  await page.getByLabel("Name", { exact: true }).fill("Two fields");
  await page.getByRole("button", { name: "Save page" }).click();
  await page.getByText("Saved.").waitFor();
  const { variants } = (await company.get(one)).experiment;
  const changed = [{ ...variants[0], customJS: "one();\nzwei();\nthree();" }];
  await company.patch(one, { variants: changed }, { as: "editor" });

  // Both changes are in the history, with names: words as words, code as a diff of lines.
  await page.getByRole("link", { name: "History" }).click();
  const third = page.getByRole("listitem", { name: "Revision 3" });
  await third.getByText("Mary Somerville changed 1 field").waitFor();
  await third.getByText("Removed: two();").waitFor();
  await third.getByText("Added: zwei();").waitFor();
  await page.getByRole("listitem", { name: "Revision 2" }).getByText("Ada Lovelace changed 1 field").waitFor();
  await page.getByRole("listitem", { name: "Revision 2" }).getByText("from Shorter form→ to Two fields").waitFor();

  // By keyboard: the effect of a restore is shown first.
  await page.getByRole("button", { name: "Restore this state: revision 1" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Restore revision 1?" });
  await dialog.getByText("from Two fields→ to Shorter form").waitFor();
  await dialog.getByText("Added: two();").waitFor();
  await dialog.getByText("Nobody in the experiment gets another variant.").waitFor();

  // Somebody else changes it in between: the restore is refused, and its current effect is shown.
  await company.patch(one, { tags: ["forms"] }, { as: "editor" });
  await dialog.getByRole("button", { name: "Restore this state" }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByText("from forms→ to nothing").waitFor();
  await dialog.getByRole("button", { name: "Restore this state" }).click();
  await page.getByText("Revision 1 was restored.").waitFor();
  await page.getByRole("listitem", { name: "Revision 5" }).getByText("Ada Lovelace restored revision 1").waitFor();
  const restored = (await company.get(one)).experiment;
  assert.equal(restored.test_name, "Shorter form");
  assert.equal(restored.variants[0].customJS, "one();\ntwo();\nthree();");
  assert.deepEqual(restored.tags, []);
  await page.getByRole("heading", { name: "Shorter form", level: 1 }).waitFor();

  // A state that equals the current one has nothing to restore.
  await page.getByRole("button", { name: "Restore this state: revision 1" }).click();
  await dialog.getByText("A restore would change nothing").waitFor();
  assert.ok(await dialog.getByRole("button", { name: "Restore this state" }).isDisabled());
  owner.nothingWrong();

  // A link to a revision leads there, past the first page. A viewer can read it, but not restore it.
  for (let at = 0; at < 120; at += 1) await company.patch(one, { tags: [`t${at}`] });
  const viewer = await visit("viewer");
  await viewer.open(`${base}/history?revision=2`);
  await viewer.page
    .getByRole("listitem", { name: "Revision 2", exact: true })
    .and(viewer.page.locator("[aria-current]"))
    .waitFor();
  assert.equal(await viewer.page.getByRole("button", { name: "Restore" }).count(), 0);
  await viewer.open(`${base}/history?revision=900`);
  await viewer.page.getByText("There is no revision 900").waitFor();
  viewer.nothingWrong();
  await viewer.end();
  await owner.end();
});

test("a verdict that is contradicted asks why, and a conclusion can be taken back", async () => {
  const { one, base } = await experiment({ status: 1 });
  await company.post("/hypothesis", { problem: "Still too long" });
  // Only people can conclude: a key is refused, whatever its scopes are.
  const { api_key } = await company.post("/v2/keys", {
    name: "all",
    scopes: ["read", "write", "code", "evaluate", "admin"],
  });
  const byKey = await fetch(`${company.muriel.url}/v2/project/${company.shop}${one}/conclude`, {
    method: "POST",
    headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
    body: JSON.stringify({ outcome: "stopped_early", note: "" }),
  });
  assert.deepEqual([byKey.status, (await byKey.json()).code], [403, "session_needed"]);

  const editor = await visit("editor");
  const { page } = editor;
  await editor.open(base);
  await page.getByRole("link", { name: "Conclude" }).click();
  await page.getByText("It stops at once and becomes inactive").waitFor();

  // Without an outcome, the server's error is at the field. Typed values survive a reload.
  await page.getByLabel("Why it ended this way").fill("Support is glad about it.");
  await page.getByRole("button", { name: "Conclude experiment" }).click();
  await page.getByRole("group", { name: "Outcome" }).locator("p.text-bad").waitFor();
  await page.reload();
  await page.getByText("Your unsaved changes were kept.").waitFor();
  await page.getByRole("radio", { name: "Won", exact: true }).check();
  await page.getByLabel("What we learned").fill("Ask for less.");
  await page.getByRole("button", { name: "Conclude experiment" }).click();

  // The verdict does not support the outcome.
  const reason = page.getByLabel("Why this outcome is still right");
  await reason.waitFor();
  assert.equal((await company.get(one)).experiment.is_completed, 0);
  await page.getByRole("radio", { name: "Stopped early" }).check();
  assert.equal(await reason.count(), 0);
  await page.getByRole("radio", { name: "Won", exact: true }).check();
  await page.getByLabel("What visitors get from now on").selectOption({ label: "Variant 1" });
  await page.getByText("All visitors get Variant 1 from now on").waitFor();
  await page.getByLabel("Visitors who get it, in percent").fill("25");
  await page.getByText("25\u00a0% of the visitors get Variant 1 from now on").waitFor();
  await page.getByLabel("What to try next").fill("still too long");
  await page.getByRole("option", { name: /Still too long/ }).click();
  await page.getByRole("button", { name: "Conclude experiment" }).click();
  await reason.waitFor();
  await page.getByRole("button", { name: "Conclude experiment" }).click();
  await page.locator("[aria-invalid=true]").waitFor();
  await reason.fill("A study with users said the same.");
  await page.getByRole("button", { name: "Conclude experiment" }).click();

  const shown = page.getByRole("region").or(page.locator("section")).filter({ hasText: "Conclusion" }).first();
  await shown.getByText("A study with users said the same.").waitFor();
  await shown.getByText("Mary Somerville").waitFor();
  await shown.getByText("Ask for less.").waitFor();
  await shown.getByRole("link", { name: "Still too long" }).waitFor();
  const concluded = (await company.get(one)).experiment;
  assert.equal(concluded.is_completed, 1);
  assert.equal(concluded.serving_variant_id, "1");
  assert.equal(concluded.serving_traffic_allocation, 25);
  assert.equal((await company.get(`${one}/conclusion`)).conclusion.note, "Support is glad about it.");
  await editor.open(`${base}/conclude`);
  await page.getByText("This experiment is concluded").waitFor();

  // A viewer reads the conclusion; another editor reverts it.
  const viewer = await visit("viewer");
  await viewer.open(base);
  await viewer.page.getByText("A study with users said the same.").waitFor();
  assert.equal(await viewer.page.getByRole("button", { name: "Reopen" }).count(), 0);
  await viewer.end();
  const owner = await visit("owner");
  await owner.open(base);
  await owner.page.getByRole("button", { name: "Reopen" }).click();
  await owner.page.getByText("Variant 1 continues to be served.").waitFor();
  await owner.page.getByRole("button", { name: "Reopen experiment" }).click();
  await owner.page.getByText("The experiment was reopened.").waitFor();
  await owner.page.getByRole("link", { name: "Conclude" }).waitFor();
  assert.equal((await company.get(one)).experiment.is_completed, 0);

  // The form is empty, because sent values are not kept.
  await owner.page.getByRole("link", { name: "Conclude" }).click();
  await editor.open(`${base}/conclude`);
  assert.equal(await page.getByLabel("Why it ended this way").inputValue(), "");
  assert.equal(await page.getByLabel("What visitors get from now on").count(), 0);
  owner.nothingWrong();
  editor.nothingWrong();
  await owner.end();
  await editor.end();
});

test("the clock says why it acted", async () => {
  const { one, base } = await experiment({ status: 1 });
  await company.patch(one, { configuration: { end_test_date: "2026-01-01" } }, MERGE);
  await until(async () => (await company.get(one)).experiment.status === 0, "its end");
  const owner = await visit("owner");
  await owner.open(`${base}/history`);
  const { page } = owner;
  const last = page.getByRole("listitem").filter({ hasText: "The clock stopped it" });
  await last.getByText(/Rule: end date\. The end date had come: .* UTC on /).waitFor();
  await last.getByText("Numbers at that moment").click();
  await last.getByText("1 Jan 2026, 00:00 UTC").waitFor();
  await last.getByText("from Live→ to Inactive").waitFor();
  owner.nothingWrong();
  await owner.end();
});

test("an act that the clock holds back waits for a person", async () => {
  const { one, base } = await experiment({ status: 1, configuration: { completion_visitor: 10 } });
  const { test_id } = (await company.get(one)).experiment;
  // All from this machine's network, which counts for a tenth of the limit.
  for (let at = 0; at < 12; at += 1)
    await browse(company, {
      visitor: { id: `visitor-${at}` },
      events: [{ type: "exposure", test_id, variant_id: String(at % 2) }],
    });
  // Until the results contain all visitors, the clock reports another reason.
  const failed = async () => (await company.get(one)).experiment.schedule.last?.failed ?? "";
  await until(async () => (await failed()).includes("has 100 % of all"), "that it is held back");
  const owner = await visit("owner");
  await owner.open(base);
  const { page } = owner;
  await page.getByText(/The rule visitors did not act on .* the largest network has 100 % of all/).waitFor();
  await page.getByRole("button", { name: "Let the clock act" }).click();
  const dialog = page.getByRole("dialog", { name: "Let the clock act?" });
  const confirm = dialog.getByRole("button", { name: "Let the clock act" });
  await confirm.click();
  await dialog.getByText("Reason must say why the result can be trusted.").waitFor();
  await dialog.getByLabel("Why the result can be trusted").fill("It is our office");
  await confirm.click();
  await dialog.waitFor({ state: "detached" });
  await until(async () => (await company.get(one)).experiment.status === 0, "its end");
  await owner.open(`${base}/history`);
  await page.getByText("Reason: It is our office").waitFor();
  owner.nothingWrong();
  await owner.end();
});

test("two people comment", async () => {
  const { one, base } = await experiment({});
  const [owner, editor] = [await visit("owner"), await visit("editor")];
  await owner.open(base);
  await owner.page.getByText("Nobody has said anything yet.").waitFor();
  await owner.page.getByLabel("Your comment").fill("First line\n<b>second</b> line");

  // Unsent text is kept.
  await owner.page.reload();
  await owner.page.getByText("Your unsaved changes were kept.").waitFor();
  await owner.page.getByRole("button", { name: "Comment", exact: true }).click();
  const comments = (of) => of.page.getByRole("list", { name: "Comments, newest first" }).getByRole("listitem");
  await comments(owner).filter({ hasText: "Ada Lovelace" }).getByText("<b>second</b> line").waitFor();
  const empty = async (of) => (await of.page.getByLabel("Your comment").inputValue()) === "";
  await until(() => empty(owner), "an empty field");

  await editor.open(base);
  for (const text of ["Agreed.", "Agreed."]) {
    const before = await comments(editor).count();
    await editor.page.getByLabel("Your comment").fill(text);
    await editor.page.getByRole("button", { name: "Comment", exact: true }).click();
    await until(async () => (await comments(editor).count()) === before + 1, "the comment");
    await until(() => empty(editor), "an empty field");
  }
  await comments(editor).first().getByText("Mary Somerville").waitFor();
  await editor.page.getByText("3 comments").waitFor();

  // Older comments are loaded on demand, and a viewer can only read.
  for (let at = 0; at < 25; at += 1) await company.post(`${one}/comments`, { text: `Note ${at}` });
  const viewer = await visit("viewer");
  await viewer.open(base);
  await viewer.page.getByText("28 comments").waitFor();
  await viewer.page.getByRole("button", { name: "Show older comments" }).click();
  await viewer.page.getByText("First line").waitFor();
  assert.equal(await viewer.page.getByLabel("Your comment").count(), 0);
  for (const one of [owner, editor, viewer]) {
    one.nothingWrong();
    await one.end();
  }
});
