// The list of experiments: filters in the address, the order of the server, thousands of rows, bulk actions.

import assert from "node:assert/strict";
import { test } from "node:test";
import { opensCheaply, until, Visit } from "./rig.mjs";
import { browser } from "./worker.mjs";

async function list(options, run) {
  const visit = await Visit.begin(browser, options);
  try {
    await visit.signIn();
    await run(visit);
    visit.nothingWrong();
  } finally {
    await visit.end();
  }
}

const asked = (visit) => visit.server.state.requests.filter((one) => one.startsWith("GET /v2/overview"));

test("filters and order are in the address, and the server does both", () =>
  list({}, async (visit) => {
    const { page } = visit;
    await page.getByRole("button", { name: "Status", exact: true }).click();
    await page.getByRole("menuitemcheckbox", { name: "Live" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Draft" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox").fill("checkout");
    await page.waitForURL((url) => url.searchParams.get("search") === "checkout");
    await page.getByRole("button", { name: "Visitors: sort by visitors" }).click();
    await page.waitForURL((url) => url.searchParams.get("sort") === "-visitors");
    assert.equal(new URL(page.url()).searchParams.get("status"), "live,draft");
    await until(() => asked(visit).at(-1).includes("sort=-visitors"));
    assert.match(asked(visit).at(-1), /search=checkout&status=live%2Cdraft&sort=-visitors&limit=200$/);
    await visit.settled();
    const numbers = (await page.locator("[role=row] [role=cell]:nth-child(5)").allTextContents()).map((text) =>
      Number.parseInt(text.replaceAll(",", ""), 10),
    );
    assert.ok(numbers.length > 2);
    const known = numbers.filter((one) => !Number.isNaN(one));
    assert.deepEqual(
      known,
      known.toSorted((a, b) => b - a),
    );

    await page.reload();
    assert.equal(await page.getByRole("searchbox").inputValue(), "checkout");
    await page.goBack();
    await page.waitForURL((url) => !url.searchParams.has("sort"));
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.waitForURL((url) => url.search === "");
    await until(async () => (await page.getByRole("searchbox").inputValue()) === "", "an empty search");
  }));

test("what needs somebody stands above the list, and filters it", () =>
  list({}, async (visit) => {
    const { page } = visit;
    const { experiments } = visit.server.state;
    const needs = page.getByRole("navigation", { name: "Needs attention" });
    const seen = experiments.filter((one) => !one.archived && one.outcome === null);
    const broken = seen.filter(({ status, health }) => status === 1 && health === "fail");
    const won = seen.filter(({ status, verdict, is_deploy }) => status !== 9 && verdict === "win" && is_deploy !== 1);
    assert.ok(broken.length > 0 && won.length > 0);
    await needs.getByRole("link", { name: `${won.length} to serve` }).waitFor();
    // The list begins with them.
    assert.ok(asked(visit).some((one) => one.endsWith("?sort=need&limit=200")));
    const top = await page.getByRole("row").getByRole("link").first().textContent();
    assert.ok(
      broken.some(({ test_name }) => top.includes(test_name)),
      top,
    );
    const link = needs.getByRole("link", { name: `${broken.length} broken` });
    await link.click();
    await page.waitForURL((url) => url.searchParams.get("health") === "fail");
    await page.getByRole("columnheader", { name: new RegExp(`^${broken.length} experiment`) }).waitFor();
    assert.equal(await link.getAttribute("aria-current"), "true");
    await link.click();
    await page.waitForURL((url) => url.search === "");
  }));

test("the way to the first result stays until there is one", () =>
  list({ many: 1 }, async (visit) => {
    const { page } = visit;
    const { experiments } = visit.server.state;
    Object.assign(experiments[0], { verdict: "keep_running", visitors: 12 });
    await page.reload();
    const way = page.locator("section", { has: page.getByRole("heading", { name: "On the way to the first result" }) });
    const step = (name) => way.getByRole("listitem").filter({ has: page.getByRole("link", { name }) });
    await step("See the first visitor").getByText("done").waitFor();
    assert.equal(await step("Wait for the verdict").getByText("done").count(), 0);
    Object.assign(experiments[0], { verdict: "win" });
    await page.reload();
    await page.getByText("Winning").waitFor();
    assert.equal(await way.count(), 0);

    // Without experiments, filters are useless.
    assert.equal(await page.getByRole("searchbox").count(), 1);
    experiments.length = 0;
    await page.reload();
    await page.getByRole("heading", { name: "No experiments yet" }).waitFor();
    assert.equal(await page.getByRole("searchbox").count(), 0);
  }));

test("what a winner is served by is called so in the list", () =>
  list({}, async (visit) => {
    const [first] = visit.server.state.experiments;
    Object.assign(first, { status: 0, is_deploy: 1, outcome: "won", is_completed: 1 });
    await visit.open("/experiments?sort=-last_change");
    const row = visit.page.locator("[role=row]", { hasText: first.test_name });
    await row.getByText("Served", { exact: true }).waitFor();
    assert.equal(await row.getByText("Inactive", { exact: true }).count(), 0);
  }));

test("Back in a long list lands at the rows that were left", () =>
  list({ many: 1_000 }, async (visit) => {
    const { page } = visit;
    await visit.settled();
    const frames = () =>
      page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    // Scroll with the wheel, so that the rows in between are measured.
    await page.mouse.move(640, 500);
    while ((await page.evaluate(() => scrollY)) < 9_000) {
      await page.mouse.wheel(0, 500);
      await frames();
    }
    await visit.settled();
    /** Names of the rows in the window, with their positions. */
    const places = () =>
      page
        .locator("[role=row][data-index]")
        .evaluateAll((rows) =>
          rows
            .map((row) => [Number(row.dataset.index), Math.round(row.getBoundingClientRect().top)])
            .filter(([, top]) => top > 100 && top < 700),
        );
    const before = await places();
    const [index] = before[1];
    const row = page.locator(`[role=row][data-index="${index}"]`);
    await row.getByRole("link").first().click();
    await page.waitForURL(/experiments\/\d+$/);
    await visit.settled();
    await page.goBack();
    await page.waitForURL(/\/experiments$/);
    await visit.settled();
    await frames();
    const after = new Map(await places());
    for (const [one, top] of before)
      assert.ok(
        Math.abs((after.get(one) ?? Number.NaN) - top) <= 40,
        `row ${one} was at ${top}, is at ${after.get(one)}`,
      );
  }));

test("letters that are typed right after the keys of the palette reach it, and not the field behind", async () => {
  const visit = await Visit.begin(browser, {});
  try {
    const { page } = visit;
    let letGo;
    const held = new Promise((resolve) => (letGo = resolve));
    await page.route(/\/palette[^/]*\.js/, async (route) => {
      await held;
      await route.continue();
    });
    await visit.signIn();
    await page.getByRole("searchbox").focus();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("larfer");
    for (let back = 0; back < 3; back++) await page.keyboard.press("Backspace");
    await page.keyboard.type("ger");
    assert.equal(await page.getByRole("searchbox").inputValue(), "");
    letGo();
    const field = page.getByRole("combobox", { name: /^Search pages/ });
    await until(async () => (await field.inputValue()) === "larger", "the letters");
    await page.keyboard.type(" p");
    assert.equal(await field.inputValue(), "larger p");
    // After Escape, the page gets the keys again.
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
    await page.getByRole("searchbox").focus();
    await page.keyboard.type("cart");
    assert.equal(await page.getByRole("searchbox").inputValue(), "cart");
    visit.nothingWrong();
  } finally {
    await visit.end();
  }
});

test("five thousand rows scroll, and cost little", () =>
  list({ many: 5_000 }, async (visit) => {
    await opensCheaply(visit, "/experiments", 2);
    const { page } = visit;

    const table = page.getByRole("table", { name: "Experiments" });
    const total = Number(await table.getAttribute("aria-rowcount")) - 1;
    assert.ok(total > 4_500, `${total} rows`);
    const rows = () => page.locator("[role=row][data-index]");
    let last = -1;
    for (let turn = 0; last < total - 1; turn++) {
      assert.ok(turn < 2_000, `no more rows after ${last}`);
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      last = Math.max(last, ...(await rows().evaluateAll((all) => all.map((one) => Number(one.dataset.index)))));
    }
    assert.ok((await rows().count()) < 60, "only what is near the window is in the document");
    // One request per page, and no page twice.
    const cursors = asked(visit).filter((one) => one.includes("cursor="));
    assert.equal(new Set(cursors).size, cursors.length);
  }));

test("several are stopped at once, and what fails is named", () =>
  list(
    {
      answer: ({ method, path, body }) =>
        method === "PATCH" && path.endsWith("/experiment/3/status") && body.status === 0
          ? [409, { success: false, error: "A winner is served.", code: "conflict", errors: [], request_id: "r1" }]
          : false,
    },
    async (visit) => {
      const { page } = visit;
      await visit.open("/experiments?sort=-last_change");
      for (const name of ["Shorter checkout form", "Larger product pictures", "One-page checkout"]) {
        await page.getByRole("checkbox", { name: `Select ${name}`, exact: true }).check();
      }
      const bar = page.getByRole("toolbar", { name: "Selected experiments" });
      await bar.getByRole("button", { name: "Stop" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("It does not apply to 1 of the selected ones.").waitFor();
      await dialog.getByRole("button", { name: "Stop experiments" }).click();
      await dialog.getByText("Larger product pictures: A winner is served.").waitFor();
      await dialog.getByText("1 of 2 stopped").waitFor();
      await dialog.getByRole("button", { name: "Close" }).last().click();
      assert.equal(visit.server.state.experiments[0].status, 0);
      assert.equal(visit.server.state.experiments[2].status, 1);
      await page.locator("[role=row]", { hasText: "Shorter checkout form" }).getByText("Inactive").waitFor();
    },
  ));

test("a tag is added to those that lack it", () =>
  list({}, async (visit) => {
    const { page } = visit;
    for (const name of ["Shorter checkout form", "Larger product pictures"]) {
      await page.getByRole("checkbox", { name: `Select ${name}`, exact: true }).check();
    }
    await page.getByRole("toolbar").getByRole("button", { name: "Add tag" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Add tag" }).click();
    await dialog.getByText("Enter a tag.").waitFor();
    await dialog.getByLabel("Tag").fill("checkout");
    await dialog.getByRole("button", { name: "Add tag" }).click();
    await page.getByText("2 experiments tagged.").waitFor();
    assert.deepEqual(visit.server.state.experiments[0].tags, ["checkout"]);
    assert.deepEqual(visit.server.state.experiments[2].tags, ["checkout"]);
  }));

test("a viewer selects and changes nothing; the palette works by keyboard", async () => {
  const visit = await Visit.begin(browser, {});
  try {
    const { page } = visit;
    await visit.signIn("charles@example.com");
    await page.getByRole("checkbox", { name: "Select Shorter checkout form", exact: true }).check();
    await page.getByText("You may only read these.").waitFor();
    assert.equal(await page.getByRole("toolbar").getByRole("button").count(), 1);
    assert.equal(await page.getByRole("link", { name: "People" }).count(), 0);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    await page.keyboard.type("larger");
    await page
      .getByRole("option", { name: /Larger product pictures/ })
      .first()
      .waitFor();
    // If results arrived between two keys, they would be skipped.
    await until(() => asked(visit).some((one) => one.includes("search=larger")), "the search");
    await visit.settled();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: /Larger product pictures/ }).waitFor();
    visit.nothingWrong();
  } finally {
    await visit.end();
  }
});
