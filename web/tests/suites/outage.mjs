// A server that is down, hangs, is slow or sends garbage: the page is usable, and hidden elements are shown, within a second.

import assert from "node:assert/strict";
import { html, NONCE, strict } from "../html.mjs";
import { changing, script, serve } from "../script.mjs";
import { cut, garbage, gate, hang } from "../server.mjs";
import { frames, tag, H1, MANUAL_TIMEOUT, RECORD_FRAMES } from "../visit.mjs";

export const name = "outage";
export const isShared = true;

const CORS = { "access-control-allow-origin": "*" };

/** Responses that fail, by their failure. Those that hang are below, as they need a timeout. */
const BROKEN = {
  cut,
  garbage,
  refused: { status: 503, headers: CORS, body: "" },
  "an error page": { headers: CORS, body: "<html><h1>Bad gateway</h1></html>" },
  "half an answer": {
    headers: { ...CORS, "content-length": 9_999 },
    type: "text/javascript",
    body: ["(function(){", cut],
  },
};

/** Some content, a button that counts clicks, and enough text for WebKit to paint. */
const body = `<h1 data-muriel>Old</h1><button onclick="this.textContent = +this.textContent + 1">0</button><p>${"x".repeat(600)}</p>`;

/** Most clicks on a button that has to react, and the time for each to arrive, in milliseconds. */
const CLICKS = 6;
const CLICK_MS = 10_000;

/** Checks that the page is usable: the button reacts, and the heading is visible. */
async function usable(page, heading) {
  // Elements that were hidden can be clicked once they have been drawn.
  await page.waitFor((heading) => frames_.at(-1) === heading, { args: [heading] });
  const before = +(await page.waitFor(() => document.querySelector("button").textContent));
  // A busy Firefox can lose a click on a page that it has just drawn.
  for (let click = 1; ; click += 1) {
    await page.click("button");
    try {
      return await page.waitFor((count) => +document.querySelector("button").textContent > count, {
        args: [before],
        ms: CLICK_MS,
      });
    } catch (error) {
      if (click === CLICKS) throw error;
    }
  }
}

/** Waits until the heading is there and hidden. WebKit draws no frames while the whole page is hidden. */
const hidden = (page) =>
  page.waitFor(() => {
    const heading = document.querySelector("h1");
    return heading && document.readyState !== "loading" && getComputedStyle(heading).visibility === "hidden";
  });

/** Checks the frames: hidden at first, in engines that paint such frames, and the arm at last. */
async function shownLast(page, wanted) {
  await page.waitFor((wanted) => frames_.at(-1) === wanted, { args: [wanted] });
  const others = (await frames(page)).filter((each) => each !== wanted && each !== "(hidden)");
  assert.deepEqual(others, []);
}

/** The output of `muriel project snippet` for these pages, with a script at this address. */
async function snippet(muriel, src, ...options) {
  const server = await muriel();
  const { key } = (server.snippets ??= await server.project("Snippets"));
  const text = await server.muriel("project", "snippet", key, "--base", "https://muriel.example", ...options);
  assert.ok(text.includes(`https://muriel.example/js/${key}.js`));
  return text.replace(`https://muriel.example/js/${key}.js`, src);
}

/** Responses that never end. */
const ENDLESS = { hanging: hang, "half of it hangs": { type: "text/javascript", body: ["(function(){", hang] } };

const blocking = {
  name: "the tag: the page works if the script cannot be loaded",
  async run({ server, other, page, muriel }) {
    for (const [path, answer] of Object.entries(BROKEN)) {
      const src = other.route(`/${encodeURI(path)}.js`, answer);
      const head = MANUAL_TIMEOUT + RECORD_FRAMES + (await snippet(muriel, src, "--blocking"));
      await page.goto(server.route(`/${encodeURI(path)}`, html({ head, body })), { until: "dom" });
      await usable(page, "Old");
      assert.deepEqual([...new Set(await frames(page))], ["Old"], path);
    }
  },
};

/** The asynchronous forms of the snippet, by their options. */
const FORMS = { "the snippet": [], "the snippet for what is marked": ["--async"] };

const asynchronous = Object.entries(FORMS).map(([form, options]) => ({
  name: `${form}: the page is shown at once if the script fails to load, and after the timeout if it never arrives`,
  async run({ server, other, page, muriel }) {
    for (const [path, answer] of Object.entries({ ...BROKEN, ...ENDLESS })) {
      const src = other.route(`/${encodeURI(path)}.js`, answer);
      const head = MANUAL_TIMEOUT + RECORD_FRAMES + (await snippet(muriel, src, ...options));
      await page.goto(server.route(`/${encodeURI(path)}`, html({ head, body })), { until: "dom" });
      if (ENDLESS[path]) {
        // The page is parsed, and its own scripts can run.
        await hidden(page);
        await page.evaluate("expire()");
      }
      await usable(page, "Old");
      assert.deepEqual(await page.evaluate("getComputedStyle(document.documentElement).visibility"), "visible", path);
    }
  },
}));

/**
 * The earlier output of `muriel project snippet --async`, without the listener for the script's load: pages still have
 * it.
 */
const BEFORE = `<script>(()=>{"use strict";((o,t)=>{let e=o["muriel"]??(o["muriel"]=[]),a="[data-muriel]"+"{visibility:hidden!important}",s=t.createElement("style"),n;try{n=new CSSStyleSheet,n.replaceSync(a),t.adoptedStyleSheets=[...t.adoptedStyleSheets,n]}catch{s.nonce=t.currentScript.nonce,s.textContent=a,t.head.append(s)}e.since=Date.now(),e.show=()=>{e.ms??(e.ms=Date.now()-e.since),n&&(t.adoptedStyleSheets=t.adoptedStyleSheets.filter(r=>r!==n)),s.remove()},setTimeout(()=>{e.over=e.ms==null,e.show()},1e3)})(window,document)})();</script>
<script async src="SRC"></script>`;

const pasted = {
  name: "the snippet of earlier versions hides marked elements until the script has decided, or the timeout",
  async run({ server, other, page }) {
    const src = await serve(other, [changing(H1)]);
    for (const [path, address, shown] of [
      ["/new", src, "New"],
      ["/never", other.route("/hanging.js", hang), "Old"],
    ]) {
      await page.goto(
        server.route(path, html({ head: MANUAL_TIMEOUT + RECORD_FRAMES + BEFORE.replace("SRC", address), body })),
        {
          until: "dom",
        },
      );
      if (shown === "Old") {
        await usable(page, "(hidden)");
        await page.evaluate("expire()");
      }
      await usable(page, shown);
    }
  },
};

/** A policy that allows only scripts with its nonce. */
const nonced = {
  name: "the snippet under a strict policy with nonces: no frame shows the original page",
  async run({ server, other, page, muriel }) {
    await serve(other, [
      changing([...H1, { target: "p", innerHTML: "<b>New</b>" }], {
        variants: [{ data: H1, customJS: "document.documentElement.dataset.ran = 1" }],
      }),
    ]);
    const ready = gate();
    const { body: code } = other.routes.get("/js/shop.js");
    const src = other.route("/js/slow.js", async () => (await ready, { type: "text/javascript", body: code }));
    const tags = (await snippet(muriel, src)).replaceAll("<script", `<script nonce="${NONCE}"`);
    const watched = (MANUAL_TIMEOUT + RECORD_FRAMES).replaceAll("onclick", "data-x");
    server.route(
      "/",
      strict({ head: watched + tags, body: `<h1>Old</h1><p>${"x".repeat(600)}</p>` }, { trustedTypes: "muriel" }),
    );
    await page.goto(server.url("/"), { until: "dom" });
    await hidden(page);
    ready.open();
    await page.waitFor(() => document.documentElement.dataset.ran);
    await shownLast(page, "New");
    assert.deepEqual(await page.evaluate("seen"), { errors: [], rejections: [], blocked: [] });
    await other.received(({ events }) => events.some(({ type }) => type === "exposure"));
  },
};

const arrived = Object.entries(FORMS).map(([form, options]) => ({
  name: `${form} hides until the script has decided`,
  async run({ server, other, page, muriel }) {
    await serve(other, [changing(H1)]);
    const ready = gate();
    const { body: code } = other.routes.get("/js/shop.js");
    const src = other.route("/js/slow.js", async () => (await ready, { type: "text/javascript", body: code }));
    const head = MANUAL_TIMEOUT + RECORD_FRAMES + (await snippet(muriel, src, ...options));
    await page.goto(server.route("/", html({ head, body })), { until: "dom" });
    await page.evaluate(() => muriel.push(["track", "early"]));
    await hidden(page);
    ready.open();
    await shownLast(page, "New");
    await other.received(({ events }) => events.some(({ name }) => name === "early"));
    await other.received(({ events }) => events.some(({ type }) => type === "exposure"));
  },
}));

const slow = Object.entries(FORMS).map(([form, options]) => ({
  name: `${form}: a script that arrives after the timeout changes nothing and reports the arm as late`,
  async run({ server, other, page, muriel }) {
    const code = await script([changing(H1)]);
    const ready = gate();
    const src = other.route("/js/slow.js", async () => (await ready, { type: "text/javascript", body: code }));
    const head = MANUAL_TIMEOUT + RECORD_FRAMES + (await snippet(muriel, src, ...options));
    await page.goto(server.route("/", html({ head, body })), { until: "dom" });
    await hidden(page);
    await page.evaluate("expire()");
    await usable(page, "Old");
    ready.open();
    await other.received(({ events }) => events.some(({ type, late }) => type === "health" && late === 1));
    await usable(page, "Old");
    assert.ok(!(await frames(page)).includes("New"));
  },
}));

const events = {
  name: "the page is changed and usable if the events endpoint fails",
  async run({ server, other, page }) {
    const src = await serve(other, [changing(H1)]);
    for (const [path, answer] of Object.entries({ ...BROKEN, hanging: hang })) {
      other.route("/events/shop", answer);
      await page.goto(server.route(`/${encodeURI(path)}`, html({ head: RECORD_FRAMES + tag(src), body })));
      await usable(page, "New");
      assert.deepEqual([...new Set(await frames(page))], ["New"], path);
      assert.deepEqual(await page.evaluate("seen"), { errors: [], rejections: [], blocked: [] }, path);
    }
    assert.ok(other.batches.length > 0);
  },
};

const places = {
  name: "if the location request fails the original is shown at once, or after the timeout",
  async run({ server, other, page }) {
    const inDenmark = { allowed_country: [{ name: "Denmark", code: "DK", rule: "whitelist" }] };
    const src = await serve(other, [changing(H1, { targeting: inDenmark })]);
    for (const [path, answer] of Object.entries({ ...BROKEN, hanging: hang })) {
      const asked = other.requests.length;
      other.route("/geo/shop", answer);
      await page.goto(
        server.route(`/${encodeURI(path)}`, html({ head: MANUAL_TIMEOUT + RECORD_FRAMES + tag(src), body })),
      );
      await other.received(({ requests }) => requests.slice(asked).some((each) => each.path === "/geo/shop"));
      if (answer === hang) {
        await usable(page, "(hidden)");
        await page.evaluate("expire()");
      }
      await usable(page, "Old");
      assert.ok(!(await frames(page)).includes("New"), path);
    }
  },
};

export const tests = [blocking, ...asynchronous, ...arrived, ...slow, pasted, nonced, events, places];
