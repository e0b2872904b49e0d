// Links to results: created in the dashboard, opened by somebody without an account, until they expire or are revoked.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { before as beforeAll, test } from "node:test";
import { among, before, collector, crowd, send } from "../crowd.mjs";
import { until, Visit } from "../rig.mjs";
import { browser, company } from "../stage.mjs";

let testId;
beforeAll(async () => {
  const key = await collector(company);
  for (const name of ["order", "basket"])
    await company.post("/goal", { goal_key: name, goal_name: `Goal ${name}`, goal_type: "event", goal_value: name });
  ({ test_id: testId } = await company.post("/create-experiment", {
    test_name: "Shorter checkout form",
    url: "https://shop.example/checkout",
    variants: [{ name: "Variant 1", nickname: "One page", customJS: "secretCode()" }],
    primary_goal_key: "order",
    secondary_goal_keys: ["basket"],
  }));
  const does = (arm, at) => [
    ...(among(at, [10, 17][arm], 7) ? [{ type: "custom", name: "order" }] : []),
    ...(among(at, 40, 3) ? [{ type: "custom", name: "basket" }] : []),
  ];
  const visitorOf = (at) => ({ country: at % 3 === 0 ? "FR" : "DE" });
  await send(company, key, crowd(testId, { visitors: 3_000, days: 6, does, visitorOf }));
  await company.patch(`/experiment/${testId}/status`, { status: 1, started_at: before(6.5) });
});

const shares = () => `/experiment/${testId}/shares`;
const results = () => `/p/${company.shop}/experiments/${testId}/results`;

async function visitOf(role) {
  const visit = await Visit.begin(browser, { address: company.address });
  if (role) await company.enter(visit, role);
  return visit;
}

/** Records the paths that a page requests from the server, with the cookies that were sent. */
function listen({ page }) {
  const asked = [];
  page.on("request", async (request) => {
    const { pathname } = new URL(request.url());
    const { cookie, referer } = await request.allHeaders();
    asked.push({ pathname, cookie, referer });
  });
  return asked;
}

const seen = (page, title) => page.getByRole("heading", { name: title, level: 1 }).waitFor();

test("a link is made, opened by a stranger, and revoked", async () => {
  const editor = await visitOf("editor");
  const { page } = editor;
  await editor.open(`${results()}?filter_by=country-DE&goal=basket`);
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog", { name: "Share this result" });
  await dialog.getByText("Goal: Goal basket, From Germany").waitFor();
  await dialog.getByText("No links yet.").waitFor();
  await dialog.getByLabel("Valid for").focus();
  await dialog.getByLabel("Valid for").selectOption("A week");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const link = dialog.getByRole("status", { name: "Link" });
  await link.waitFor();
  const url = new URL(await link.textContent());
  const table = dialog.getByRole("table", { name: "Links" });
  await table.getByText("Goal: Goal basket, From Germany").waitFor();
  await table.getByText("Mary Somerville").waitFor();
  await table.getByText("Never").waitFor();

  // A second link with the same question is another link.
  await dialog.getByRole("button", { name: "Create another link" }).click();
  await dialog.getByLabel("Valid for").selectOption("A week");
  await dialog.getByRole("button", { name: "Create link" }).click();
  await link.waitFor();
  assert.notEqual(await link.textContent(), url.href);

  const stranger = await visitOf();
  const asked = listen(stranger);
  await stranger.open(url.pathname);
  await seen(stranger.page, "Shorter checkout form");
  const result = await company.get(`/experiment/${testId}/result?filter_by=country-DE&goal_key=basket`);
  const [row] = await stranger.page.getByRole("table", { name: "Variants", exact: true }).locator("tbody tr").all();
  assert.match(await row.innerText(), new RegExp(result.variants[0].visitors.toLocaleString("en-GB")));
  await stranger.page.getByText("From Germany").first().waitFor();
  await stranger.page.getByText("Goal basket").first().waitFor();
  const text = await stranger.page.locator("body").innerText();
  for (const secret of ["secretCode", company.shop, "Mary", "Ada", "Acme", "shop.example"])
    assert.ok(!text.includes(secret), secret);
  // The page requests only paths below its own address, and files; without a cookie, and without a referrer.
  const paths = [...new Set(asked.map(({ pathname }) => pathname))].filter((path) => !path.startsWith("/assets/"));
  assert.deepEqual(
    paths.filter((path) => path !== "/docs/icon.svg").sort(),
    [url.pathname, `${url.pathname}/result`, `${url.pathname}/timeseries`].sort(),
  );
  for (const { pathname, cookie, referer } of asked) {
    assert.equal(cookie, undefined, pathname);
    assert.equal(referer, undefined, pathname);
  }
  assert.deepEqual(await stranger.context.cookies(), []);
  stranger.nothingWrong("a shared result");

  // In a browser with a session, the session is not used, either.
  const colleague = await visitOf("owner");
  const sent = listen(colleague);
  await colleague.open(url.pathname);
  await seen(colleague.page, "Shorter checkout form");
  for (const path of [`${url.pathname}/result`, `${url.pathname}/timeseries`])
    await until(() => sent.some(({ pathname }) => pathname === path), path);
  for (const { pathname, cookie } of sent.filter(({ pathname }) => /\/(result|timeseries)$/.test(pathname)))
    assert.equal(cookie, undefined, pathname);
  assert.ok(sent.every(({ pathname }) => !pathname.startsWith("/v2/")));
  colleague.nothingWrong("a shared result with a session");

  // A revoked link does not work, and says what to do.
  await page.reload();
  await page.getByRole("button", { name: "Share" }).click();
  const [first] = (await company.get(shares())).shares.slice(-1);
  assert.notEqual(first.opened_at, null);
  await page
    .getByRole("button", { name: /^Revoke the link/ })
    .last()
    .click();
  await page.getByRole("button", { name: "Revoke link" }).click();
  await table.getByText("Revoked").waitFor();
  await stranger.page.reload();
  await seen(stranger.page, "This link was revoked");
  await stranger.page.getByText("Ask the sender for a new one.").waitFor();
  editor.nothingWrong("the dialog");
  await Promise.all([editor, stranger, colleague].map((visit) => visit.end()));
});

test("a link expires", async () => {
  const { url, share } = await company.post(shares(), { expires_in_days: 1 });
  const { pathname } = new URL(url);
  const stranger = await visitOf();
  await stranger.open(pathname);
  await seen(stranger.page, "Shorter checkout form");
  // Simulate that a day passes, by making the stored expiry a day earlier.
  const database = join(company.muriel.data, "muriel.db");
  const change = `UPDATE share SET expires_at = expires_at - 86400000000 WHERE share_id = ${share.share_id}`;
  const program = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute(sys.argv[2]); db.commit()";
  execFileSync("python3", ["-c", program, database, change]);
  await stranger.page.reload();
  await seen(stranger.page, "This link has expired");
  const [answer] = await Promise.all([
    stranger.page.waitForResponse((response) => new URL(response.url()).pathname === pathname),
    stranger.page.reload(),
  ]);
  assert.equal(answer.status(), 410);
  await stranger.end();
});

test("a stranger's page without an answer, and one that comes late", async () => {
  const { url } = await company.post(shares(), {});
  const { pathname } = new URL(url);
  const stranger = await visitOf();
  const { page } = stranger;
  let answers = 0;
  // The intermediate state is checked before the answer is released.
  let letGo;
  const looked = new Promise((resolve) => {
    letGo = resolve;
  });
  await page.route(`**${pathname}/result`, async (route) => {
    answers += 1;
    if (answers === 1) return route.abort();
    if (answers === 2) {
      const body = {
        success: false,
        error: "the events are still being loaded",
        code: "unavailable",
        errors: [],
        request_id: "r",
      };
      return route.fulfill({ status: 503, headers: { "retry-after": "1" }, json: body });
    }
    await looked;
    return route.continue();
  });
  let days = 0;
  await page.route(`**${pathname}/timeseries`, (route) => {
    days += 1;
    const body = (error, code) => ({ success: false, error, code, errors: [], request_id: "r" });
    if (days === 1) {
      const json = body("there are too many requests", "rate_limited");
      return route.fulfill({ status: 429, headers: { "retry-after": "1" }, json });
    }
    if (days === 2) return route.fulfill({ status: 500, json: body("something broke", "internal") });
    return route.continue();
  });
  await page.goto(company.address + pathname);
  await seen(page, "The result cannot be shown now");
  await page.getByRole("button", { name: "Try again" }).click();
  await seen(page, "The result is loading");
  await page.getByText("The events are still being loaded").waitFor();
  letGo();
  await seen(page, "Shorter checkout form");

  // The days are read again automatically, and can be requested again.
  await page.getByRole("alert").getByText("Something broke.").waitFor();
  assert.equal(days, 2);
  await page.getByRole("button", { name: "Try again" }).click();
  const table = page.getByRole("table", { name: "Lift by day" });
  await table.waitFor({ state: "attached" });
  // A link does not reveal the history of the experiment, so nothing refers to marks.
  assert.equal(await table.getByRole("columnheader", { name: "What happened" }).count(), 0);
  assert.equal(await page.getByText("Dotted lines").count(), 0);
  stranger.nothingWrong("a result that comes late");
  await stranger.end();
});

test("who may not share has no button, and what the server refuses is shown", async () => {
  const viewer = await visitOf("viewer");
  await viewer.open(results());
  await viewer.page.getByRole("heading", { name: "Health" }).waitFor();
  assert.equal(await viewer.page.getByRole("button", { name: "Share" }).count(), 0);
  await viewer.end();

  const before = (await company.get(shares())).shares.filter(({ state }) => state === "open").length;
  for (let made = before; made < 50; made += 1) await company.post(shares(), {});
  const editor = await visitOf("editor");
  await editor.open(results());
  await editor.page.getByRole("button", { name: "Share" }).click();
  await editor.page.getByRole("button", { name: "Create link" }).click();
  await editor.page.getByText("50 open links; revoke one first").waitFor();
  await until(() => editor.page.getByRole("table", { name: "Links" }).isVisible(), "the table");
  await editor.examine("share-dialog-full");
  await editor.end();
});
