// Concluded experiments with the real server: reading, searching, filtering, export as a table, and permissions.

import assert from "node:assert/strict";
import { test } from "node:test";
import { among, before as ago, collector, crowd, send } from "../crowd.mjs";
import { bytesOf, Visit } from "../rig.mjs";
import { browser, company } from "../stage.mjs";

async function enter(as, path) {
  const visit = await Visit.begin(browser, { address: company.address });
  await company.enter(visit, as);
  await visit.open(path);
  return visit;
}

const FORMULA = '=HYPERLINK("https://evil.example/","Click, here")';
const LESSON = 'Look at a phone first.\r\nIt said "Buy", and, below the fold, nothing.';

async function conclude(project, name, outcome, fields = {}, more = {}) {
  const path = `/v2/project/${project}`;
  const { test_id } = await company.post(`${path}/create-experiment`, {
    test_name: name,
    url: "https://shop.example/",
    variants: [{ name: "Variant 1" }],
    ...more,
  });
  if (more.primary_goal_key) {
    const rates = outcome === "won" ? [10, 15] : [12, 9];
    const does = (arm, at) => (among(at, rates[arm], 7) ? [{ type: "custom", name: "order" }] : []);
    await send(company, await collector(company), crowd(test_id, { visitors: 1_500, days: 14, does }));
    await company.patch(`${path}/experiment/${test_id}/status`, { status: 1, started_at: ago(14.5) });
  }
  const body = { outcome, note: "", override_reason: "The story says so.", ...fields };
  await company.post(`${path}/experiment/${test_id}/conclude`, body);
  return test_id;
}

/** Cells of a table in the format of RFC 4180. */
function cells(csv) {
  const rows = [[]];
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1).push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== ",") rows.push([]);
  }
  return rows.slice(0, -1);
}

const names = (page) => page.getByRole("list", { name: "Concluded experiments" }).getByRole("heading").allInnerTexts();

async function download(page) {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download CSV" }).click(),
  ]);
  assert.equal(file.suggestedFilename(), "learnings.csv");
  return (await bytesOf(file)).toString();
}

test("what was concluded is read, searched, filtered, opened, and taken along", async () => {
  const editor = await enter("editor", "/experiments");
  const { page } = editor;
  await page.getByRole("link", { name: "Learnings" }).click();
  await page.getByText("Nothing was concluded yet").waitFor();

  await company.post("/goal", { goal_key: "order", goal_name: "Order", goal_type: "event", goal_value: "order" });
  const { hypothesis_id } = await company.post("/hypothesis", { problem: "Too many fields.", confidence: 4 });
  const { project_key: blog } = await company.post("/v2/projects", { name: "Blog" });
  const goal = { primary_goal_key: "order" };
  const won = await conclude(
    company.shop,
    "Fewer fields",
    "won",
    { note: FORMULA, learned: "Ask for less.", serve_variant_id: "1" },
    { ...goal, hypothesis_id },
  );
  await conclude(company.shop, "Chat on every page", "lost", { learned: LESSON }, goal);
  await conclude(blog, "Newsletter box", "inconclusive", { learned: "Nobody reads that far." });

  // The numbers are the server's: in words, and in the picture to the pixel.
  await editor.open("/programme");
  assert.deepEqual(await names(page), ["Newsletter box", "Chat on every page", "Fewer fields"]);
  const told = await company.get("/v2/programme");
  const winner = told.items.find((item) => item.test_id === won);
  const item = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "Fewer fields" }) });
  const said = await item.locator("dl").innerText();
  for (const value of [winner.lift, winner.expected_lift, ...winner.lift_interval, ...winner.expected_interval])
    assert.ok(said.includes(`${Math.abs(value).toFixed(1)}\u00a0%`), `${value} in ${said}`);
  const drawn = await item.locator("svg[data-plot]").evaluate((svg) => {
    const number = (element, name) => Number(element.getAttribute(name));
    const zero = number(svg.querySelector(":scope > line"), "x1");
    const dots = [...svg.querySelectorAll("[data-part=estimate]")].map((dot) => number(dot, "cx") - zero);
    const ends = [...svg.querySelectorAll("[data-part=interval]")].map((line) =>
      [
        ["start", "x1"],
        ["end", "x2"],
      ].map(([end, x]) => (line.dataset[end] === "closed" ? number(line, x) - zero : undefined)),
    );
    return { dots, ends };
  });
  const scale = drawn.dots[1] / winner.expected_lift;
  const inPercent = (x) => x && Math.round((x / scale) * 1_000) / 1_000;
  const close = (x, value) =>
    assert.ok(Math.abs(inPercent(x) - value) < 0.002, `${inPercent(x)} is drawn for ${value}`);
  close(drawn.dots[0], winner.lift);
  for (const at of [0, 1]) close(drawn.ends[1][at], winner.expected_interval[at]);
  // The observed interval may exceed the scale, which an arrow shows.
  for (const at of [0, 1]) if (drawn.ends[0][at] !== undefined) close(drawn.ends[0][at], winner.lift_interval[at]);
  const sums = page.getByRole("table", { name: "What the winners bring" }).getByRole("row", { name: /Served now/ });
  assert.match(await sums.innerText(), new RegExp(`\\+${winner.expected_lift.toFixed(1)}`));
  await page.getByText("33\u00a0%", { exact: true }).first().waitFor();
  await page.getByRole("table", { name: "By confidence" }).getByRole("row", { name: /^4/ }).waitFor();

  // The filters are in the address, and the exported table contains what matches them, over several pages, too.
  await page.getByRole("searchbox").fill("phone");
  await page.waitForURL((url) => url.searchParams.get("search") === "phone");
  await page.getByRole("heading", { name: "Fewer fields" }).waitFor({ state: "detached" });
  assert.deepEqual(await names(page), ["Chat on every page"]);
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByRole("heading", { name: "Fewer fields" }).waitFor();
  await page.getByRole("button", { name: "Outcome" }).focus();
  await page.keyboard.press("Enter");
  for (const outcome of ["Won", "Lost"]) {
    await page.getByRole("menuitemcheckbox", { name: outcome, exact: true }).focus();
    await page.keyboard.press("Space");
  }
  await page.keyboard.press("Escape");
  await page.waitForURL((url) => url.searchParams.get("outcome") === "won,lost");
  await page.getByRole("heading", { name: "Newsletter box" }).waitFor({ state: "detached" });
  const csv = await download(page);
  const [head, ...rows] = cells(csv);
  const column = (name) => rows.map((row) => row[head.indexOf(name)]);
  assert.deepEqual(column("test_name"), ["Chat on every page", "Fewer fields"]);
  assert.deepEqual(column("expected_lift")[1], String(winner.expected_lift));
  // Text that a spreadsheet would execute is escaped, and users' texts are complete.
  assert.equal(column("note")[1], `'${FORMULA}`);
  assert.equal(column("learned")[0], LESSON);
  const isShort = (url) => url.pathname === "/v2/programme" && !url.search.includes("limit=1");
  await page.route(isShort, (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set("limit", "1");
    return route.continue({ url: url.href });
  });
  assert.equal(await download(page), csv);
  await page.reload();
  await page.getByText("1 of 2").waitFor();
  assert.deepEqual(await names(page), ["Chat on every page"]);
  await page.getByRole("button", { name: "Show more" }).click();
  await page.getByRole("heading", { name: "Fewer fields" }).waitFor();
  await page.unroute(isShort);

  // The complete text is shown on demand, with a link to the hypothesis.
  await page.getByRole("button", { name: "More about Fewer fields" }).click();
  await page.getByText(FORMULA).waitFor();
  await page.getByRole("link", { name: "Hypothesis of Fewer fields" }).click();
  await page.getByRole("heading", { level: 1, name: "Too many fields." }).waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "Fewer fields", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Fewer fields" }).waitFor();

  // A reopened experiment disappears at once.
  await page.getByRole("button", { name: "Reopen" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Reopen experiment" }).click();
  await page.getByText("The experiment was reopened.").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("win rate");
  await page.getByRole("option", { name: "Learnings" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Learnings" }).waitFor();
  await page.getByRole("heading", { name: "Newsletter box" }).waitFor();
  assert.deepEqual(await names(page), ["Newsletter box", "Chat on every page"]);
  editor.nothingWrong();
  await editor.end();
});

test("numbers that fail or come late leave the filters, and are not taken for others", async () => {
  const editor = await enter("editor", "/programme");
  const { page } = editor;
  await page.getByRole("heading", { name: "Newsletter box" }).waitFor();
  const isOf = (search) => (url) => url.pathname === "/v2/programme" && url.searchParams.get("search") === search;
  const isOfPhone = isOf("phone");
  await page.route(isOfPhone, (route) =>
    route.fulfill({ status: 500, json: { success: false, error: "something broke", code: "internal" } }),
  );
  const search = page.getByRole("searchbox");
  await search.fill("phone");
  await page.getByRole("alert").getByText("Something broke.").waitFor();
  await page.getByRole("heading", { name: "Newsletter box" }).waitFor({ state: "detached" });
  assert.ok(await search.evaluate((field) => field === document.activeElement && field.value === "phone"));
  assert.ok(await page.getByLabel("Concluded from").isVisible());
  await page.unroute(isOfPhone);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Chat on every page" }).waitFor();

  // The export has the shown data, not that of a pending request.
  let letGo;
  const held = new Promise((resolve) => (letGo = resolve));
  await page.route(isOf("reads"), async (route) => {
    await held;
    await route.continue();
  });
  await search.fill("reads");
  await page.getByText("These are still the numbers of all projects, “phone”. The new ones are loading.").waitFor();
  assert.deepEqual(cells(await download(page)).length, 2);
  letGo();
  await page.getByRole("heading", { name: "Newsletter box" }).waitFor();
  assert.equal(await page.getByText("These are still the numbers of").count(), 0);
  editor.nothingWrong();
  await editor.end();
});

test("who is let into one project sees what was concluded there, and nothing else", async () => {
  const blog = (await company.get("/v2/session")).projects.find(({ name }) => name === "Blog").project_key;
  const { people } = await company.get("/v2/people");
  const viewer = people.find(({ email }) => email === company.people.viewer.email);
  const only = [{ project_key: blog, role: "viewer" }];
  await company.patch(`/v2/person/${viewer.person_id}`, { projects: only });
  const visit = await enter("viewer", "/programme");
  const { page } = visit;
  await page.getByRole("heading", { name: "Newsletter box" }).waitFor();
  assert.deepEqual(await names(page), ["Newsletter box"]);
  await page.getByText("No result was stored with its conclusion", { exact: false }).waitFor();
  assert.equal(cells(await download(page)).length, 2);
  await visit.open(`/programme?project=${company.shop}`);
  await page.getByText("No concluded experiments here").waitFor();
  visit.nothingWrong();
  await visit.end();
});
