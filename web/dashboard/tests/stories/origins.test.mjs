// Only the dashboard can use a session: not pages of other origins, even on the same host, and not what this server
// sends to customers' pages. Also checks how much work a page of an experiment causes.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { before as beforeAll, test } from "node:test";
import { among, before, collector, crowd, send } from "../crowd.mjs";
import { opensCheaply, Visit } from "../rig.mjs";
import { browser, company } from "../stage.mjs";

let testId;
beforeAll(async () => {
  const made = await company.post("/create-experiment", {
    test_name: "Shorter checkout form",
    url: "https://shop.example/checkout",
    variants: [{ name: "Variant 1", customJS: "document.title = 'x';" }],
    status: 1,
  });
  testId = made.test_id;
});

/** A page of another origin on the same host, so that the browser sends the cookie. */
async function elsewhere(t, html) {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(html);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/`;
}

async function signedIn() {
  const visit = await Visit.begin(browser, { address: company.muriel.url });
  await company.enter(visit);
  return visit;
}

test("pages of other origins read and change nothing", async (t) => {
  const visit = await signedIn();
  const { page } = visit;
  const url = company.muriel.url;
  const base = `${url}/v2/project/${company.shop}`;
  await page.goto(await elsewhere(t, "<!doctype html><title>Elsewhere</title><h1>Elsewhere</h1>"));
  const outcomes = await page.evaluate(
    async ([origin, project, id, csrf]) => {
      const tried = async (path, init = {}) => {
        try {
          const answer = await fetch(path, { credentials: "include", ...init });
          return answer.type === "opaque" ? "opaque" : `read ${answer.status}`;
        } catch {
          return "blocked";
        }
      };
      const body = JSON.stringify({ test_name: "Stolen", status: 0 });
      const json = { "content-type": "application/json" };
      return {
        session: await tried(`${origin}/v2/session`),
        overview: await tried(`${origin}/v2/overview`),
        blind: await tried(`${origin}/v2/session`, { mode: "no-cors" }),
        plain: await tried(`${project}/hypothesis`, { method: "POST", mode: "no-cors", body: '{"problem":"Stolen"}' }),
        patch: await tried(`${project}/experiment/${id}`, { method: "PATCH", headers: json, body }),
        stop: await tried(`${project}/experiment/${id}/status`, { method: "PATCH", headers: json, body }),
        known: await tried(`${project}/experiment/${id}`, {
          method: "PATCH",
          headers: { ...json, "x-muriel-csrf": csrf },
          body,
        }),
        signOut: await tried(`${origin}/v2/session`, { method: "DELETE" }),
      };
    },
    [url, base, testId, company.sessions.owner.csrf],
  );
  const expect = Object.fromEntries(Object.keys(outcomes).map((name) => [name, "blocked"]));
  assert.deepEqual(outcomes, { ...expect, blind: "opaque", plain: "opaque" });

  // A form needs no permission of the browser, so the server must refuse it.
  await page.evaluate((action) => {
    const form = Object.assign(document.createElement("form"), { action, method: "post", enctype: "text/plain" });
    const field = Object.assign(document.createElement("input"), { name: '{"problem":"Stolen', value: '"}' });
    form.append(field);
    document.body.append(form);
    form.submit();
  }, `${base}/hypothesis`);
  await page.waitForURL(/hypothesis$/);
  assert.match(await page.content(), /csrf|origin/i);
  assert.equal((await company.get("/hypotheses")).hypotheses.length, 0);
  const { experiment } = await company.get(`/experiment/${testId}`);
  assert.deepEqual([experiment.test_name, experiment.status], ["Shorter checkout form", 1]);
  await visit.end();
});

test("what pages of customers get neither takes a session nor runs in the dashboard", async () => {
  const visit = await signedIn();
  const { page, context } = visit;
  const script = `/js/${company.shop}.js`;
  const { variants } = await company.get(`/experiment/${testId}/preview-urls`);
  const token = new URL(variants[1].preview_url).searchParams.get("test-token");
  const preview = `/preview/${company.shop}/${testId}?token=${encodeURIComponent(token)}`;
  for (const path of [script, `/ruleset/${company.shop}`, `/geo/${company.shop}`, preview]) {
    const [with_, without] = await Promise.all([
      context.request.get(company.muriel.url + path),
      fetch(company.muriel.url + path),
    ]);
    assert.equal(with_.status(), without.status, path);
    assert.equal(with_.headers()["set-cookie"], undefined, path);
    assert.equal(with_.headers()["x-content-type-options"], "nosniff", path);
    assert.equal(await with_.text(), await without.text(), `${path} is the same for everybody`);
  }
  // Customers' code has this origin, and the policy keeps it out of the dashboard.
  await visit.open("/experiments");
  const ran = await page.evaluate(async (source) => {
    const frame = document.createElement("iframe");
    try {
      frame.srcdoc = `<script src="${source}"></script>`;
    } catch {
      return "Trusted Types";
    }
    const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
    document.body.append(frame);
    await loaded;
    return frame.contentWindow?.muriel === undefined ? "blocked" : "ran";
  }, script);
  assert.equal(ran, "Trusted Types");
  const cookies = await page.evaluate(() => document.cookie);
  assert.equal(cookies, "", "scripts do not see the session");
  await visit.end();
});

/** Opens a page of an experiment, which may cost at most `times` as much as a page with little content. */
async function costsLittle(path, times) {
  const visit = await signedIn();
  visit.address = company.address;
  await company.enter(visit);
  await opensCheaply(visit, `/p/${company.shop}/experiments/${path}`, times);
  visit.nothingWrong();
  return visit;
}

test("a page of an experiment costs little", async () => {
  for (const path of ["", "/setup", "/launch", "/history"]) await (await costsLittle(testId + path, 2)).end();
});

test("the results of four arms, ten metrics, fifty parts and sixty days cost little", async () => {
  const id = await largeResult();
  const visit = await costsLittle(`${id}/results?breakdown_by=landing_page`, 4);
  const { page } = visit;
  const rows = (name) => page.getByRole("table", { name, exact: true }).getByRole("row");
  assert.equal(await rows("Variants").count(), 1 + 4);
  assert.equal(await rows("Other metrics").count(), 1 + 9 * 4);
  await page.getByRole("button", { name: "Show 41 more" }).click();
  assert.equal(await rows("Segments").count(), 1 + 51 * 4);
  await visit.end();
});

/** Creates an experiment with a result as large as most ever get. */
async function largeResult() {
  const names = Array.from({ length: 10 }, (_, at) => `goal-${at}`);
  for (const name of names)
    await company.post("/goal", { goal_key: name, goal_name: `Goal ${name}`, goal_type: "event", goal_value: name });
  const { test_id: id } = await company.post("/create-experiment", {
    test_name: "Four pages",
    url: "https://shop.example/",
    variants: [1, 2, 3].map((at) => ({ name: `Variant ${at}`, nickname: `Page ${at}` })),
    primary_goal_key: names[0],
    secondary_goal_keys: names.slice(1),
    builtin_metrics: ["bounce_rate"],
  });
  const does = (arm, at) =>
    names.filter((_, goal) => among(at, 8 + goal + arm, 3 + goal)).map((name) => ({ type: "custom", name }));
  const pageOf = (at) => `https://shop.example/page-${(at >> 2) % 60}`;
  await send(company, await collector(company), crowd(id, { visitors: 6_000, days: 60, arms: 4, does, pageOf }));
  await company.patch(`/experiment/${id}/status`, { status: 1, started_at: before(60.5) });
  return id;
}
