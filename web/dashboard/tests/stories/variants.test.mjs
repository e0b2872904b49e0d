// Step "Variants" with the real server: input is stored as intended, errors are at their fields, concurrent changes are
// not lost, and users without permission cannot change code.

import assert from "node:assert/strict";
import { test } from "node:test";
import { choose, until, Visit } from "../rig.mjs";
import { browser, company } from "../stage.mjs";

async function experiment(body) {
  const { test_id } = await company.post("/create-experiment", {
    test_name: "Checkout",
    url: "https://shop.example/checkout",
    variants: [{ name: "Variant 1" }],
    ...body,
  });
  const path = `/experiment/${test_id}`;
  return { test_id, path, read: async () => (await company.get(path)).experiment };
}

async function open({ test_id }, as = "owner", search = "") {
  const visit = await Visit.begin(browser, { address: company.address });
  await company.enter(visit, as);
  await visit.open(`/p/${company.shop}/experiments/${test_id}/setup/variants${search}`);
  return visit;
}

const code = (page, label) => page.getByRole("textbox", { name: label, exact: true });
/** Visible text. The editor contains it a second time for screen readers. */
const said = (page, text) => page.locator("p:visible", { hasText: text }).first();
const save = async (page) => {
  await page.getByRole("button", { name: "Save variants" }).click();
  await page.getByText("Saved.", { exact: true }).first().waitFor();
  // The message of an earlier save may still be visible. This save is complete when there is nothing left to save.
  await page.locator("button:disabled", { hasText: "Save variants" }).waitFor();
};

test("a variant is built, and problems stand where they are", async () => {
  const made = await experiment();
  const visit = await open(made);
  const { page } = visit;
  await page.getByRole("button", { name: "Add variant" }).click();
  await page.getByRole("heading", { name: "Variant 2" }).waitFor();
  await page.getByLabel("Label").fill("One page");

  // A change without an element is refused at its field, which gets the focus.
  await choose(page, page.getByRole("button", { name: "Add a change" }), { name: "Change text" });
  await page.getByLabel("New text").fill("Buy now");
  await page.getByRole("button", { name: "Save variants" }).click();
  const element = page.getByLabel("Element", { exact: true });
  await page.getByText("must be a selector").waitFor();
  assert.ok(await element.evaluate((one) => one === document.activeElement));
  await element.fill(".buy[");
  await page.getByText("Browsers cannot read this selector").waitFor();
  await element.fill(".buy");

  // Put another change before it.
  await choose(page, page.getByRole("button", { name: "Add a change" }), { name: "Hide an element" });
  await page.getByLabel("Element to hide").fill(".banner");
  await page.getByRole("button", { name: "Move change 2 up" }).click();
  assert.deepEqual(
    (await page.getByRole("listitem").locator("summary").allTextContents()).map((text) => text.trim()),
    ["Hide .banner", "Change the text of .buy to “Buy now”"],
  );

  // Code with a syntax error is reported with its line before it is saved. The keyboard can leave the editor.
  const js = code(page, "JavaScript");
  await js.focus();
  await page.keyboard.type("first();\nsecond((;");
  await said(
    page,
    "This is not valid JavaScript, so browsers will not run it; the first error is in line 2.",
  ).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.ok(
    await page.getByRole("button", { name: "Save variants" }).evaluate((one) => one === document.activeElement),
  );

  // A reload keeps everything.
  await page.reload();
  await page.getByText("Your unsaved changes were kept.").waitFor();
  await js.focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("first();");
  await save(page);
  await said(page, "This is not valid JavaScript").waitFor({ state: "detached" });
  const { variants } = await made.read();
  assert.deepEqual(variants[1], {
    name: "Variant 2",
    nickname: "One page",
    customJS: "first();",
    customCSS: "",
    data: [{ rm: ".banner" }, { target: ".buy", innerText: "Buy now" }],
  });

  // Names are positions: the second variant is now the first.
  await page.getByRole("link", { name: /^Variant 1/ }).click();
  await choose(page, page.getByRole("button", { name: "More actions for Variant 1" }), { name: "Remove" });
  await page.getByText("Variant 2 becomes Variant 1.").waitFor();
  await page.getByRole("button", { name: "Remove variant" }).click();
  await page.getByRole("link", { name: /^Variant 1 *One page/ }).waitFor();
  await save(page);
  assert.deepEqual((await made.read()).variants, [{ ...variants[1], name: "Variant 1" }]);
  visit.nothingWrong();
  await visit.end();
});

test("JSON keeps what it does not know, and what cannot be read stops a save", async () => {
  const data = [{ target: "h1", innerText: "Hello", alternates: ["#title"] }];
  const made = await experiment({
    variants: [{ name: "Variant 1", data }],
    variants_data_key: "https://shop.example/*",
  });
  const visit = await open(made, "owner", "?view=json");
  const { page } = visit;
  const json = code(page, "Visual changes as JSON");
  const write = async (text) => {
    await json.focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(text);
  };
  await write('[\n  { "rm": ".a" },\n  { "rm": ,\n]');
  await said(page, "This is not valid JSON: look at line 3.").waitFor();
  await page.getByRole("button", { name: "Save variants" }).click();
  await page.locator("[aria-busy]").waitFor({ state: "detached" });
  assert.deepEqual((await made.read()).variants[0].data, data);
  await page.reload();
  await said(page, "This is not valid JSON: look at line 3.").waitFor();
  await write(JSON.stringify([{ rm: "" }, ...data]));
  await page.getByText("Change 1, rm: must be a selector").waitFor();
  await write(JSON.stringify([...data, { rm: ".a" }]));
  await page.getByRole("link", { name: "Show as a list" }).click();
  await page.getByText("Change the text of h1 to “Hello”").click();
  await page.getByText("Kept unchanged: alternates").waitFor();
  await page.getByLabel("New text").fill("Hi");
  await save(page);
  assert.deepEqual((await made.read()).variants[0].data, [{ ...data[0], innerText: "Hi" }, { rm: ".a" }]);
  visit.nothingWrong();
  await visit.end();
});

test("two people at once lose nothing", async () => {
  const made = await experiment({ variants: [{ name: "Variant 1" }, { name: "Variant 2" }] });
  const visit = await open(made);
  const { page } = visit;
  await code(page, "JavaScript").focus();
  await page.keyboard.type("mine();");
  const theirs = (await made.read()).variants;
  theirs[1].customCSS = "a { color: red }";
  await company.patch(made.path, { variants: theirs });
  await page.getByRole("button", { name: "Save variants" }).click();
  await page.getByText("Now stored: Variant 2: CSS").waitFor();
  await page.getByText("Yours: Variant 1: JavaScript").waitFor();
  await page.getByRole("button", { name: "Keep both" }).click();
  await save(page);
  const { variants } = await made.read();
  assert.deepEqual([variants[0].customJS, variants[1].customCSS], ["mine();", "a { color: red }"]);
  visit.nothingWrong();
  await visit.end();
});

test("code is read by those who may not change it, and previews report", async () => {
  const data = [
    { target: "h1", innerText: "Hello" },
    { target: "p", innerHTML: "<b>Hello</b>" },
  ];
  const made = await experiment({ variants: [{ name: "Variant 1", customJS: "theirs();", data }] });
  const visit = await open(made, "editor");
  const { page } = visit;
  await page.getByText("Your role may not change code in this project").waitFor();
  const js = code(page, "JavaScript");
  await js.focus();
  assert.equal(await js.getAttribute("aria-readonly"), "true");
  await page.keyboard.type("mine();");
  await page.getByText("Change the HTML inside p to").click();
  assert.ok(await page.getByLabel("New HTML inside").isDisabled());
  await page.getByRole("button", { name: "Add a change" }).click();
  assert.equal(await page.getByRole("menuitem", { name: "Insert HTML" }).getAttribute("aria-disabled"), "true");
  await page.keyboard.press("Escape");
  await page.getByText("Change the text of h1 to").click();
  await page.getByLabel("New text").fill("Hi");
  await save(page);
  const [variant] = (await made.read()).variants;
  assert.deepEqual([variant.customJS, variant.data], ["theirs();", [{ target: "h1", innerText: "Hi" }, data[1]]]);

  // The findings of a preview arrive automatically.
  await page.getByText("Nobody has opened the preview link of Variant 1 yet.").waitFor();
  await page.getByRole("button", { name: "QR code of Variant 1" }).click();
  await page.getByRole("img", { name: "QR code of the preview of Variant 1" }).waitFor();
  await page.keyboard.press("Escape");
  const link = new URL(await page.getByRole("link", { name: "Open Variant 1" }).getAttribute("href"));
  const report = {
    token: link.searchParams.get("test-token"),
    variant_id: 1,
    url: link.href,
    matched: ["h1"],
    missing: ["p"],
  };
  const answer = await fetch(`${company.muriel.url}/preview/${company.shop}/${made.test_id}/report`, {
    method: "POST",
    body: JSON.stringify(report),
  });
  assert.equal(answer.status, 200, await answer.text());
  await page.getByText("Changes found no element on the page in the last preview: Variant 1: p.").waitFor();
  visit.nothingWrong();
  await visit.end();
});

test("who only reads changes nothing, and sees everything", async () => {
  const made = await experiment({
    variants: [
      { name: "Variant 1", nickname: "Short" },
      { name: "Variant 2", data: [{ rm: ".a" }] },
    ],
  });
  const visit = await open(made, "viewer");
  const { page } = visit;
  assert.ok(await page.getByLabel("Label").isDisabled());
  assert.equal(await page.getByRole("button", { name: /Add|Save|More/ }).count(), 0);
  await page.getByRole("link", { name: /^Variant 2/ }).click();
  await page.getByText("Hide .a").click();
  assert.equal(await page.getByLabel("Element to hide").inputValue(), ".a");
  assert.equal(await code(page, "CSS").getAttribute("aria-readonly"), "true");
  await until(() => page.url().endsWith("?arm=2"), "the address");
  visit.nothingWrong();
  await visit.end();
});
