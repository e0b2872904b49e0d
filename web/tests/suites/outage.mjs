// A server that is dead, hangs, is slow or sends garbage: the page is usable, and what was hidden is seen, within a second.

import assert from "node:assert/strict";
import { html } from "../html.mjs";
import { changing, script, serve } from "../script.mjs";
import { cut, garbage, gate, hang } from "../server.mjs";
import { H1, LIMIT, tag, WATCHING } from "../visit.mjs";

export const name = "outage";

const CORS = { "access-control-allow-origin": "*" };

/** Answers that never come to anything, by what is wrong with them. `hang` is another matter: somebody has to stop waiting. */
const BROKEN = {
  cut,
  garbage,
  refused: { status: 503, headers: CORS, body: "" },
  "an error page": { headers: CORS, body: "<html><h1>Bad gateway</h1></html>" },
  "half an answer": { headers: { ...CORS, "content-length": 9_999 }, type: "text/javascript", body: ["(function(){", cut] },
};

/** Some content, a button that counts, and as much text as WebKit wants to see before it shows anything. */
const body = `<h1 data-muriel>Old</h1><button onclick="this.textContent = +this.textContent + 1">0</button><p>${"x".repeat(600)}</p>`;

/** A visitor can use the page: the button reacts, and the heading is seen. */
async function usable(page, heading) {
  const before = +(await page.waitFor(() => document.querySelector("button").textContent));
  await page.click("button");
  await page.waitFor((count) => document.querySelector("button").textContent === String(count), { args: [before + 1] });
  await page.waitFor((heading) => frames_.at(-1) === heading, { args: [heading] });
}

/** What `muriel project snippet` prints for these pages, with a script at this address. */
async function snippet(muriel, src, ...options) {
  const server = await muriel();
  const { key } = (server.snippets ??= await server.project("Snippets"));
  const text = await server.muriel("project", "snippet", key, "--base", "https://muriel.example", ...options);
  assert.ok(text.includes(`https://muriel.example/js/${key}.js`));
  return text.replace(`https://muriel.example/js/${key}.js`, src);
}

const blocking = {
  name: "the tag: a script that cannot be had is gone on without",
  async run({ server, other, page, muriel }) {
    for (const [path, answer] of Object.entries(BROKEN)) {
      const src = other.route(`/${encodeURI(path)}.js`, answer);
      const head = LIMIT + WATCHING + (await snippet(muriel, src));
      await page.goto(server.route(`/${encodeURI(path)}`, html({ head, body })), { until: "dom" });
      await usable(page, "Old");
      assert.deepEqual([...new Set(await page.evaluate("frames_"))], ["Old"], path);
    }
  },
};

const asynchronous = {
  name: "the snippet: the page is usable while it is waited for the script, and all of it seen when the limit is over",
  async run({ server, other, page, muriel }) {
    for (const [path, answer] of [...Object.entries(BROKEN), ["hanging", hang], ["half of it hangs", { type: "text/javascript", body: ["(function(){", hang] }]]) {
      const src = other.route(`/${encodeURI(path)}.js`, answer);
      const head = LIMIT + WATCHING + (await snippet(muriel, src, "--async"));
      await page.goto(server.route(`/${encodeURI(path)}`, html({ head, body })), { until: "dom" });
      await usable(page, "(hidden)");
      await page.evaluate("expire()");
      await usable(page, "Old");
    }
  },
};

const arrived = {
  name: "the snippet hides what is marked until the script has decided",
  async run({ server, other, page, muriel }) {
    await serve(other, [changing(H1)]);
    const ready = gate();
    const { body: code } = other.routes.get("/js/shop.js");
    const src = other.route("/js/slow.js", async () => (await ready, { type: "text/javascript", body: code }));
    const head = LIMIT + WATCHING + (await snippet(muriel, src, "--async"));
    await page.goto(server.route("/", html({ head, body })), { until: "dom" });
    await page.evaluate(() => muriel.push(["track", "early"]));
    await page.waitFor(() => frames_.length > 3);
    ready.open();
    await page.waitFor(() => frames_.at(-1) === "New");
    assert.deepEqual([...new Set(await page.evaluate("frames_"))].sort(), ["(hidden)", "New"]);
    await other.received(({ events }) => events.some(({ name }) => name === "early"));
    await other.received(({ events }) => events.some(({ type }) => type === "exposure"));
  },
};

const slow = {
  name: "the snippet: a script that comes after the limit changes nothing any more, and says so",
  async run({ server, other, page, muriel }) {
    const code = await script([changing(H1)]);
    const ready = gate();
    const src = other.route("/js/slow.js", async () => (await ready, { type: "text/javascript", body: code }));
    const head = LIMIT + WATCHING + (await snippet(muriel, src, "--async"));
    await page.goto(server.route("/", html({ head, body })), { until: "dom" });
    await page.waitFor(() => frames_.at(-1) === "(hidden)");
    await page.evaluate("expire()");
    await usable(page, "Old");
    ready.open();
    await other.received(({ events }) => events.some(({ type, late }) => type === "health" && late === 1));
    await usable(page, "Old");
    assert.ok(!(await page.evaluate("frames_")).includes("New"));
  },
};

const events = {
  name: "without anybody who takes events the page is changed and usable all the same",
  async run({ server, other, page }) {
    const src = await serve(other, [changing(H1)]);
    for (const [path, answer] of [...Object.entries(BROKEN), ["hanging", hang]]) {
      other.route("/events/shop", answer);
      await page.goto(server.route(`/${encodeURI(path)}`, html({ head: WATCHING + tag(src), body })));
      await usable(page, "New");
      assert.deepEqual([...new Set(await page.evaluate("frames_"))], ["New"], path);
      assert.deepEqual(await page.evaluate("seen"), { errors: [], rejections: [], blocked: [] }, path);
    }
    assert.ok(other.batches.length > 0);
  },
};

const places = {
  name: "without anybody who knows where the visitor is the original is seen at once, or when the limit is over",
  async run({ server, other, page }) {
    const inDenmark = { allowed_country: [{ name: "Denmark", code: "DK", rule: "whitelist" }] };
    const src = await serve(other, [changing(H1, { targeting: inDenmark })]);
    for (const [path, answer] of [...Object.entries(BROKEN), ["hanging", hang]]) {
      const asked = other.requests.length;
      other.route("/geo/shop", answer);
      await page.goto(server.route(`/${encodeURI(path)}`, html({ head: LIMIT + WATCHING + tag(src), body })));
      await other.received(({ requests }) => requests.slice(asked).some((each) => each.path === "/geo/shop"));
      if (answer === hang) {
        await usable(page, "(hidden)");
        await page.evaluate("expire()");
      }
      await usable(page, "Old");
      assert.ok(!(await page.evaluate("frames_")).includes("New"), path);
    }
  },
};

export const tests = [blocking, asynchronous, arrived, slow, events, places];
