// Reading a result: it follows arriving visitors, shows what the server answers, and keeps its question in the address.

import assert from "node:assert/strict";
import { before as beforeAll, test } from "node:test";
import { among, before, collector, crowd, send } from "../crowd.mjs";
import { Visit } from "../rig.mjs";
import { browser, company } from "../stage.mjs";

let key;
beforeAll(async () => {
  key = await collector(company);
  for (const name of ["order", "basket"])
    await company.post("/goal", { goal_key: name, goal_name: `Goal ${name}`, goal_type: "event", goal_value: name });
});

async function experiment(more = {}) {
  const { test_id } = await company.post("/create-experiment", {
    test_name: "Shorter checkout form",
    url: "https://shop.example/checkout",
    variants: [{ name: "Variant 1", nickname: "One page" }],
    primary_goal_key: "order",
    secondary_goal_keys: ["basket"],
    builtin_metrics: ["bounce_rate"],
    ...more,
  });
  return test_id;
}

const start = (id, days) => company.patch(`/experiment/${id}/status`, { status: 1, started_at: before(days) });

/** Visitors of the last days. `rates` are the orders per hundred visitors of each variant. */
function visitors(id, number, rates, more = {}) {
  return crowd(id, {
    visitors: number,
    days: 6,
    visitorOf: (at) => ({ country: at % 3 === 0 ? "FR" : "DE" }),
    does: (arm, at) => [
      // Without page views, guardrails have no data.
      { type: "pageview", url: "https://shop.example/" },
      ...(among(at, rates[arm], 7) ? [{ type: "custom", name: "order" }] : []),
      ...(among(at, 40, 3) ? [{ type: "custom", name: "basket" }] : []),
    ],
    ...more,
  });
}

async function open(path, as = "viewer") {
  const visit = await Visit.begin(browser, { address: company.address });
  await company.enter(visit, as);
  await visit.open(`/p/${company.shop}/experiments/${path}`);
  return visit;
}

/** Rows of a table. Each maps the names of columns to the texts of cells. */
function tableOf(page, label) {
  return page.getByRole("table", { name: label, exact: true }).evaluate((table) => {
    const names = [...table.querySelectorAll("thead th")].map((th) => th.textContent);
    const rows = [...table.querySelectorAll("tbody tr")];
    return rows.map((row) => {
      const cells = [...row.children].map((cell) => cell.querySelector(":scope > div")?.innerText ?? cell.innerText);
      // A row without the group's name is below one that has it.
      return Object.fromEntries(cells.toReversed().map((text, at) => [names[names.length - 1 - at], text]));
    });
  });
}

const digits = (value, most, least = most) =>
  new Intl.NumberFormat("en-GB", { minimumFractionDigits: least, maximumFractionDigits: most }).format(value);
const change = (value) => {
  const text = digits(Math.abs(value), 1);
  return `${Number(text) === 0 ? "" : value > 0 ? "+" : "−"}${text}\u00a0%`;
};

/** Texts that the page has to show for a variant. */
function shown({ conversions, conversion_rate: rate, improvement, analysis }) {
  const cells = { Rate: `${digits(rate, 2)}\u00a0%\n${digits(conversions, 0)} conversions` };
  if (!analysis) return cells;
  const interval = analysis.lift_interval?.map(change).join(" to ") ?? "no bound yet";
  return {
    ...cells,
    "Change, seen": change(improvement),
    "Lift, inferred": `${change(analysis.lift)}\n${interval}`,
  };
}

function holds(row, expected, what) {
  for (const [name, text] of Object.entries(expected)) assert.equal(row[name], text, `${what}: ${name}`);
}

test("visitors arrive and the result moves, to the numbers of the server", async () => {
  const id = await experiment();
  await send(company, key, visitors(id, 900, [10, 13]));
  await start(id, 7);
  const visit = await open(`${id}`);
  const { page } = visit;
  await page.getByRole("link", { name: "See the results" }).click();
  await page.getByRole("heading", { level: 2, name: /^It is too early to tell whether Variant 1 is better/ }).waitFor();
  const before = await tableOf(page, "Variants");
  assert.deepEqual([before[0].Visitors, before[1].Visitors].map(Number.parseFloat), [450, 450]);

  await send(
    company,
    key,
    visitors(id, 6_000, [10, 16], { visitorOf: (at) => ({ id: `later-${at}`, country: "DE" }) }),
  );
  await page.getByRole("button", { name: "Read again" }).click();
  await page
    .getByRole("heading", { level: 2, name: /^Variant 1 does better than the control: its lift is \+/ })
    .waitFor();

  const result = await company.get(`/experiment/${id}/result`);
  assert.equal(result.total_visitors, 6_900);
  assert.equal(result.variants[1].analysis.verdict, "win");
  const arms = await tableOf(page, "Variants");
  for (const [at, arm] of result.variants.entries()) {
    holds(arms[at], shown(arm), arm.name);
    assert.equal(arms[at].Visitors.split("\n")[0], digits(arm.visitors, 0));
  }
  for (const [label, role] of [
    ["Other metrics", "secondary"],
    ["Guardrails", "guardrail"],
  ]) {
    const rows = await tableOf(page, label);
    const expected = result.metrics.filter((metric) => metric.role === role).flatMap(({ variants }) => variants);
    assert.equal(rows.length, expected.length);
    for (const [at, arm] of expected.entries()) holds(rows[at], shown(arm), `${label} ${at}`);
  }
  visit.nothingWrong();
  await visit.end();
});

test("what is asked for stays in the address, and answers are not mixed", async () => {
  const id = await experiment();
  await send(company, key, visitors(id, 2_400, [10, 12]));
  await start(id, 7);
  const visit = await open(`${id}/results`);
  const { page } = visit;
  // Later answers wait until they are released.
  let letGo;
  const held = new Promise((resolve) => (letGo = resolve));
  await page.route("**/result?**", async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole("button", { name: "Choose visitors" }).press("Enter");
  await page.getByRole("combobox", { name: "Countries" }).focus();
  await page.keyboard.type("Fran");
  await page.keyboard.press("Enter");
  await page.getByText("These are still the numbers of Goal order, all visitors. The new ones are loading.").waitFor();
  const former = await tableOf(page, "Variants");
  assert.equal(Number.parseFloat(former[0].Visitors.replace(",", "")), 1_200);
  assert.equal(await page.getByText("Only visitors:").count(), 0, "the former numbers are not said to be of France");
  letGo();
  await page.getByText("Only visitors: From France.").waitFor();
  await page.getByText("These are some of the visitors").waitFor();
  await page.unroute("**/result?**");

  await page.getByRole("combobox", { name: "Break down by" }).selectOption("country");
  await page.getByRole("combobox", { name: "Goal" }).selectOption("basket");
  await page.getByLabel("Entered from").fill(before(30).slice(0, 10));
  await page.waitForURL(/start_date=/);
  const address = new URL(page.url());
  assert.deepEqual(Object.fromEntries(address.searchParams), {
    filter_by: "country-FR",
    breakdown_by: "country",
    goal: "basket",
    start_date: before(30).slice(0, 10),
  });

  await page.reload();
  await visit.settled();
  const query = "goal_key=basket&filter_by=country-FR&breakdown_by=country";
  const result = await company.get(`/experiment/${id}/result?${query}`);
  const arms = await tableOf(page, "Variants");
  for (const [at, arm] of result.variants.entries()) holds(arms[at], shown(arm), arm.name);
  const parts = await tableOf(page, "Segments");
  assert.deepEqual(
    result.breakdowns.map(({ value }) => value),
    ["FR"],
  );
  for (const [at, { analysis: _, ...arm }] of result.breakdowns[0].variants.entries())
    holds(parts[at], shown({ ...arm, analysis: arm.lift === null ? undefined : arm }), `part ${at}`);
  assert.equal(parts[0].Segment.split("\n")[0], "France");

  // When a pressed button disappears, the focus stays near it.
  await page.getByRole("button", { name: "All visitors" }).press("Enter");
  await page.getByRole("button", { name: /^Only these.*France$/ }).press("Enter");
  await page.getByRole("button", { name: /^Only these.*France$/ }).waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => document.activeElement.labels[0].textContent), "Break down by");

  // Back to all visitors, by keyboard.
  await page.getByRole("button", { name: "All visitors" }).press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Choose visitors");
  await page.getByText("Only visitors:").waitFor({ state: "detached" });
  await visit.settled();
  assert.equal(Number.parseFloat((await tableOf(page, "Variants"))[0].Visitors.replace(",", "")), 1_200);
  visit.nothingWrong();
  await visit.end();
});

test("a server that loads its events is waited for, and what it does not take stands at its field", async () => {
  const id = await experiment();
  await send(company, key, visitors(id, 300, [10, 12]));
  await start(id, 7);
  const visit = await Visit.begin(browser, { address: company.address });
  await company.enter(visit, "viewer");
  const { page } = visit;
  let asked = 0;
  // The intermediate state is checked before the answer is released.
  let letGo;
  const looked = new Promise((resolve) => {
    letGo = resolve;
  });
  await page.route(/\/result(\?|$)/, async (route) => {
    asked += 1;
    if (asked > 2) {
      await looked;
      return route.continue();
    }
    return route.fulfill({
      status: 503,
      headers: { "content-type": "application/json", "retry-after": "1" },
      body: JSON.stringify({
        success: false,
        error: "the events are still being loaded, block 10 of 200",
        code: "unavailable",
      }),
    });
  });
  await page.goto(`${company.address}/p/${company.shop}/experiments/${id}/results`);
  const waiting = page.getByRole("status").filter({ hasText: "The server is catching up." });
  await waiting.getByText("The events are still being loaded, block 10 of 200.").waitFor();
  letGo();
  await page.getByRole("table", { name: "Variants", exact: true }).waitFor();
  assert.equal(await waiting.count(), 0);
  assert.equal(asked, 3);

  await page.getByRole("button", { name: "Choose visitors" }).click();
  await page.getByLabel("Time zone of days").fill("Nowhere");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("Correct the marked fields above").waitFor();
  await page.getByRole("textbox", { name: "Time zone of days" }).and(page.locator("[aria-invalid=true]")).waitFor();
  assert.ok(await page.getByLabel("Time zone of days").evaluate((field) => field === document.activeElement));
  await page.getByRole("button", { name: "Remove filter: Time zone Nowhere" }).click();
  await page.getByRole("table", { name: "Variants", exact: true }).waitFor();
  visit.nothingWrong();
  await visit.end();
});

test("a broken test is found, explained with cause and next step, and stopped", async () => {
  const id = await experiment();
  const armOf = (at) => (at % 10 < 6 ? 0 : 1);
  await send(company, key, visitors(id, 1_500, [10, 14], { armOf }));
  const failed = { type: "health", test_id: id, variant_id: "1", errors: 1, url: "https://shop.example/cart?step=2" };
  const fails = (arm, at) =>
    arm === 1 ? [{ ...failed, error_message: at % 100 < 20 ? "TypeError: cart is null" : "<b>blocked</b>" }] : [];
  await send(company, key, visitors(id, 300, [0, 0], { armOf, does: fails }));
  await start(id, 7);
  const visit = await open(`${id}/results`, "editor");
  const { page } = visit;
  await page.getByRole("heading", { level: 2, name: /^Do not trust these numbers/ }).waitFor();
  const { health } = await company.get(`/experiment/${id}/result`);
  assert.equal(health.sample_ratio.status, "fail");
  const found = page.getByRole("listitem").filter({ hasText: "Sample ratio" });
  await found.getByText(health.sample_ratio.message).waitFor();
  await found.getByText("Usual cause").waitFor();
  await found.getByText("What to do").waitFor();
  // A check without data is not shown as passed.
  await page.getByText(/checks? fine, \d without enough data yet/).click();
  const unknown = page.getByRole("listitem").filter({ hasText: health.changes.message });
  assert.equal(health.changes.status, "unknown");
  assert.equal(await unknown.locator(".text-good").count(), 0);
  // The errors of the variant's code are on the same page, as text.
  const [first, second] = (await company.get(`/experiment/${id}/result`)).page_health[1].top_errors;
  assert.deepEqual([first.message, second.message], ["<b>blocked</b>", "TypeError: cart is null"]);
  const errors = page.getByRole("list", { name: "Errors of Variant 1" }).getByRole("listitem");
  assert.equal(await errors.count(), 2);
  await errors.nth(0).getByText(first.message).waitFor();
  await errors.nth(0).getByText(`${first.visitors} visitors`).waitFor();
  await errors.nth(1).getByText("on https://shop.example/cart ·").waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Stop the experiment" }).click();
  await page.getByText("Inactive", { exact: true }).first().waitFor();
  assert.equal((await company.get(`/experiment/${id}`)).experiment.status, 0);
  visit.nothingWrong();
  await visit.end();
});

test("a result and the header above it are of one state, whoever changes that", async () => {
  const id = await experiment();
  await send(company, key, visitors(id, 300, [10, 12]));
  await start(id, 7);
  const visit = await open(`${id}/results`, "editor");
  const { page } = visit;
  const header = (word) => page.locator("header").getByText(word, { exact: true }).waitFor();
  /** Shown only for a live result, and in the dialog that starts it. */
  const rule = page.locator("#content").getByText("It runs until somebody stops it.");
  await rule.waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("button", { name: "Stop the experiment" }).click();
  await header("Inactive");
  await rule.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Resume", exact: true }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^(Start|Resume)/ })
    .click();
  await header("Live");
  await rule.waitFor();

  // A rule or a colleague ends it: the next answer shows that.
  await company.patch(`/experiment/${id}/status`, { status: 0 });
  const read = [];
  page.on("request", (request) => read.push(new URL(request.url()).pathname));
  await page.getByRole("button", { name: "Read again" }).click();
  await header("Inactive");
  await visit.settled();
  assert.equal(read.filter((path) => path.endsWith(`/experiment/${id}`)).length, 1);
  assert.equal(read.filter((path) => path.endsWith(`/experiment/${id}/result`)).length, 1);

  // No rule ends the experiment while a winner is served.
  await company.patch(`/experiment/${id}/status`, { status: 1 });
  await company.post(`/experiment/${id}/serve-winner`, { variant_id: "1" });
  await page.getByRole("button", { name: "Read again" }).click();
  await page.getByText("Its winner is served").waitFor();
  await visit.settled();
  assert.equal(await rule.count(), 0);
  visit.nothingWrong();
  await visit.end();
});

test("an experiment whose winner is served meanwhile is concluded all the same", async () => {
  const id = await experiment();
  await send(company, key, visitors(id, 300, [10, 12]));
  await start(id, 7);
  const visit = await open(`${id}/conclude`, "editor");
  const { page } = visit;
  const conclude = page.getByRole("button", { name: "Conclude experiment" });
  await page.getByRole("radio", { name: /^Stopped early/ }).check();
  await page.getByLabel("What visitors get from now on").selectOption("1");
  await company.post(`/experiment/${id}/serve-winner`, { variant_id: "1", traffic_allocation: 40 });
  await conclude.click();
  await page.getByRole("alert").first().waitFor();
  await page.getByText("Variant 1 continues to be served, to 40\u00a0% of the visitors.").waitFor();
  // An earlier choice is restored with the tab, but not sent.
  await page.reload();
  await page.getByText("Variant 1 continues to be served").waitFor();
  await conclude.click();
  await page.getByText("The experiment was concluded.").waitFor();
  const { experiment: now } = await company.get(`/experiment/${id}`);
  assert.deepEqual([now.is_completed, now.is_deploy, now.serving_traffic_allocation], [1, 1, 40]);

  await page.getByRole("button", { name: "More actions" }).press("Enter");
  await page.getByRole("menuitem", { name: "Reopen" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Reopen this experiment?" });
  await dialog.getByText("Variant 1 continues to be served.").waitFor();
  assert.equal(await dialog.getByText("It stays stopped").count(), 0);
  visit.nothingWrong();
  await visit.end();
});

test("without a verdict a reason is asked for, and another attempt needs none", async () => {
  const id = await experiment();
  await start(id, 7);
  const visit = await open(`${id}/conclude`, "editor");
  const { page } = visit;
  const bodies = [];
  const error =
    "no verdict can be stored: the events are still being loaded; send override_reason to conclude without one";
  const unavailable = { success: false, error, code: "unavailable" };
  await page.route("**/conclude", async (route) => {
    bodies.push(route.request().postDataJSON());
    if (bodies.length > 1) return route.continue();
    return route.fulfill({ status: 503, headers: { "retry-after": "5" }, json: unavailable });
  });
  await page.getByRole("radio", { name: /^Stopped early/ }).check();
  await page.getByRole("button", { name: "Conclude experiment" }).click();
  await page.getByText("there is none at the moment").waitFor();
  await page.getByLabel("Why this outcome is still right").waitFor();
  await page.getByRole("button", { name: "Conclude experiment" }).click();
  await page.getByText("The experiment was concluded.").waitFor();
  assert.deepEqual(
    bodies.map((body) => "override_reason" in body),
    [false, false],
  );
  await visit.end();
});
