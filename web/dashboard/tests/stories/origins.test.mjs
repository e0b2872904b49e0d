// A session is of use to the dashboard alone: not to pages of other origins, even on the same host, and not to what this server
// gives to pages of customers. And how much work a page of an experiment is.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { Company } from "../company.mjs";
import { launch, Visit } from "../rig.mjs";

let browser;
let company;
let testId;
before(async () => {
  [browser, company] = await Promise.all([launch(), Company.start()]);
  const made = await company.post("/create-experiment", {
    test_name: "Shorter checkout form",
    url: "https://shop.example/checkout",
    variants: [{ name: "Variant 1", customJS: "document.title = 'x';" }],
    status: 1,
  });
  testId = made.test_id;
});
after(async () => {
  await browser?.close();
  await company?.end();
});

/** A page of somebody else, on the same host, so that the browser sends the cookie along. */
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

  // A form needs no leave of the browser; the server gives none.
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
  // Code of customers is of this origin, and the policy keeps it out of the dashboard.
  await visit.open("/experiments");
  const ran = await page.evaluate(async (source) => {
    const frame = document.createElement("iframe");
    try {
      frame.srcdoc = `<script src="${source}"></script>`;
    } catch {
      return "Trusted Types";
    }
    document.body.append(frame);
    await new Promise((resolve) => setTimeout(resolve, 500));
    return frame.contentWindow?.muriel === undefined ? "blocked" : "ran";
  }, script);
  assert.equal(ran, "Trusted Types");
  const cookies = await page.evaluate(() => document.cookie);
  assert.equal(cookies, "", "scripts do not see the session");
  await visit.end();
});

test("a page of an experiment costs little", async () => {
  for (const path of ["", "/setup", "/launch", "/history"]) {
    const visit = await signedIn();
    visit.address = company.address;
    await company.enter(visit);
    const client = await visit.context.newCDPSession(visit.page);
    await client.send("Performance.enable", { timeDomain: "threadTicks" });
    await visit.open(`/p/${company.shop}/experiments/${testId}${path}`);
    const { metrics } = await client.send("Performance.getMetrics");
    const { value } = metrics.find(({ name }) => name === "TaskDuration");
    assert.ok(value < 0.5, `the main thread worked for ${value} s until ${path || "the summary"} was there`);
    visit.nothingWrong();
    await visit.end();
  }
});
