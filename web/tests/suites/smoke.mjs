// Tests of the rig: every engine behaves as the suites need, like a visitor's browser.

import assert from "node:assert/strict";
import { until } from "../engines/page.mjs";
import { html, NONCE, strict } from "../html.mjs";
import { cut, garbage, gate, hang } from "../server.mjs";

export const name = "smoke";

const ID = "0195a2b4-7d3e-7c11-9f60-2b8f1f0e6a55";

/** Records events in `did`: type, target and whether the event is trusted. */
const LISTENING = `<script nonce="${NONCE}">
  const did = [];
  const about = ({ type, target, button, key, isTrusted }) => [type, target.id, key ?? button, isTrusted].join(" ");
  for (const type of ["click", "auxclick", "mouseover", "keydown", "input", "submit", "wheel"]) {
    addEventListener(type, (event) => did.push(about(event)), { capture: true, passive: true });
  }
</script>`;

const FORM = `<h1 id="top">Top</h1><a id="link" href="/next">next</a> <button id="off" disabled>off</button>
<form id="form" action="/sent"><input id="one" name="one"><input id="two"><button id="go">Go</button></form>
<div style="height: 4000px"></div>`;

/** Waits until the page has seen these events in this order, possibly with others between them. */
function saw(page, ...events) {
  const inOrder = (wanted) => wanted.reduce((from, each) => did.indexOf(each, from) + 1 || Infinity, 0) < Infinity;
  return page.waitFor(inOrder, { args: [events] });
}

const evaluating = {
  name: "evaluates functions, texts and promises, and throws what the page throws",
  async run({ server, page }) {
    await page.goto(server.route("/", html({ title: "Here" })));
    assert.equal(await page.evaluate("document.title"), "Here");
    assert.deepEqual(await page.evaluate((a, b) => ({ sum: a + b.c, text: "ż" }), 1, { c: 2 }), { sum: 3, text: "ż" });
    assert.equal(await page.evaluate(() => fetch("/").then((answer) => answer.status)), 200);
    assert.equal(await page.evaluate(() => undefined), null);
    await assert.rejects(
      page.evaluate(() => {
        throw new Error("on purpose");
      }),
      /on purpose/,
    );
    await assert.rejects(
      page.evaluate(async () => {
        throw new Error("later");
      }),
      /later/,
    );
    await assert.rejects(page.waitFor("false", { ms: 50 }), /not within 50 ms/);
  },
};

const human = {
  name: "a visitor's page does not know that it is driven",
  async run({ server, page }) {
    await page.goto(server.route("/", html()));
    assert.equal(await page.evaluate("navigator.webdriver"), false);
    await page.goto(server.route("/bot", html({ human: false })));
    assert.equal(await page.evaluate("navigator.webdriver"), true);
    assert.equal(await page.evaluate("document.visibilityState"), "visible");
    assert.equal(await page.evaluate("isSecureContext"), true);
    assert.doesNotMatch(await page.evaluate("navigator.userAgent"), /headless/i);
    assert.match(await page.evaluate("navigator.language"), /^en/);
  },
};

const seen = {
  name: "keeps errors and rejections of the page",
  async run({ server, page }) {
    const bad = `<script>Promise.reject(new Error("rejected")); thrown.here();</script>`;
    await page.goto(server.route("/", html({ body: bad })));
    await page.waitFor(() => seen.rejections.length > 0);
    const { errors, rejections } = await page.evaluate("seen");
    assert.match(errors.join(), /thrown/);
    assert.match(rejections.join(), /rejected/);
  },
};

const clicking = {
  name: "clicks for real",
  async run({ server, page }) {
    await page.goto(server.route("/", html({ head: LISTENING, body: `${FORM}<p id="deep">deep</p>` })));
    await page.hover("#top");
    await saw(page, "mouseover top 0 true");
    await page.click("#deep");
    await saw(page, "click deep 0 true");
    server.route("/next", html({ title: "Next" }));
    await page.click("#link");
    await page.waitFor(() => document.title === "Next");
    await server.received(({ requests }) => requests.some(({ path }) => path === "/next"));
  },
};

const disabled = {
  name: "a click on a disabled button is none",
  async run({ server, page }) {
    await page.goto(server.route("/", html({ head: LISTENING, body: FORM })));
    await page.click("#off");
    await page.click("#top");
    await saw(page, "click top 0 true");
    assert.equal(await page.evaluate(() => did.some((each) => each.startsWith("click off"))), false);
  },
};

const middle = {
  name: "clicks with the middle button",
  needs: ["middleClick"],
  async run({ server, page }) {
    await page.goto(server.route("/", html({ head: LISTENING, body: FORM })));
    server.route("/next", html());
    await page.click("#link", { button: "middle" });
    await saw(page, "auxclick link 1 true");
    await server.received(({ requests }) => requests.some(({ path }) => path === "/next"));
    assert.match(await page.evaluate("location.pathname"), /^\/$/);
    assert.equal(await page.evaluate(() => did.some((each) => each.startsWith("click"))), false);
  },
};

const keyboard = {
  name: "types, moves by Tab and sends a form by Enter",
  async run({ server, page }) {
    await page.goto(server.route("/", html({ head: LISTENING, body: FORM })));
    await page.type("#one", "aZ9");
    await saw(page, "keydown one a true", "input one  true", "keydown one Z true", "keydown one 9 true");
    assert.equal(await page.evaluate("one.value"), "aZ9");
    await page.press("Tab");
    await page.waitFor(() => document.activeElement.id === "two");
    await page.press("Shift+Tab");
    await page.waitFor(() => document.activeElement.id === "one");
    server.route("/sent", html({ title: "Sent" }));
    await page.press("Enter");
    await page.waitFor(() => document.title === "Sent");
    assert.equal(await page.evaluate("location.search"), "?one=aZ9");
  },
};

const wheel = {
  name: "turns the wheel",
  async run({ server, page }) {
    await page.goto(server.route("/", html({ head: LISTENING, body: FORM })));
    await page.wheel(600);
    await page.waitFor(() => scrollY > 300);
    assert.equal(await page.evaluate(() => did.some((each) => /^wheel .* true$/.test(each))), true);
  },
};

const streaming = {
  name: "a page is used while the rest of it is still to come",
  async run({ server, page }) {
    const [one, two] = [gate(), gate()];
    const [begin, end] = html({ body: "<h1>first</h1>|" }).split("|");
    const url = server.route("/", { body: [begin, one, 20, two, end] });
    await page.goto(url, { until: "commit" });
    await page.waitFor(() => document.querySelector("h1") !== null);
    assert.equal(await page.evaluate("document.querySelector('h2')"), null);
    one.open("<h2>second</h2>");
    await page.waitFor(() => document.querySelector("h2") !== null);
    assert.equal(await page.evaluate("document.readyState"), "loading");
    two.open();
    await page.waitFor(() => document.readyState === "complete");
  },
};

const broken = {
  name: "answers that hang, break, end early or never were HTTP",
  async run({ server, other, page }) {
    await page.goto(server.route("/", html()));
    const headers = { "access-control-allow-origin": "*" };
    other.route("/hang", hang);
    other.route("/cut", cut);
    other.route("/garbage", garbage);
    other.route("/early", { headers: { ...headers, "content-length": "100" }, body: ["some", cut] });
    other.route("/stuck", { headers, body: ["some", hang] });
    // Only responses that hang use the whole timeout; the others may be slow.
    const fetched = (path, ms = 50_000) =>
      page.evaluate(
        async (url, ms) => {
          const over = new AbortController();
          setTimeout(() => over.abort(), ms);
          return fetch(url, { signal: over.signal })
            .then((answer) => answer.text())
            .then(
              () => "whole",
              ({ name }) => name,
            );
        },
        other.url(path),
        ms,
      );
    assert.equal(await fetched("/hang", 300), "AbortError");
    assert.equal(await fetched("/cut"), "TypeError");
    assert.equal(await fetched("/garbage"), "TypeError");
    assert.notEqual(await fetched("/early"), "whole");
    assert.equal(await fetched("/stuck", 300), "AbortError");
    other.route("/fine", { headers, body: "fine" });
    other.down = true;
    assert.equal(await fetched("/fine"), "TypeError");
    other.down = false;
    assert.equal(await fetched("/fine"), "whole");
  },
};

const leaving = {
  name: "beacons and kept-alive requests arrive from a page that is left",
  async run({ server, other, page }) {
    server.route("/next", html({ title: "Next" }));
    const script = `<script>addEventListener("pagehide", () => {
      const body = (name) => JSON.stringify({ visitor: { id: "v" }, events: [{ id: "${ID}", type: "custom", name }] });
      navigator.sendBeacon("${other.url("/events/shop")}", body("beacon"));
      fetch("${other.url("/events/shop")}", { method: "POST", body: body("kept"), keepalive: true });
    });</script>`;
    await page.goto(server.route("/", html({ head: script })));
    await page.goto(server.url("/next"));
    await other.received(({ batches }) => batches.length >= 2);
    assert.deepEqual(other.events.map(({ name }) => name).sort(), ["beacon", "kept"]);
    assert.match(other.batches[0].headers["content-type"], /^text\/plain/);
  },
};

const taking = {
  name: "takes events as Muriel does, and tells what it refuses",
  refused: true,
  async run({ server, other, page }) {
    await page.goto(server.route("/", html()));
    const answers = await page.evaluate(
      async (url, id) => {
        const visitor = { id: "v" };
        const batches = [
          {
            visitor,
            events: [
              { id, type: "custom", name: "a" },
              { id, type: "custom" },
            ],
          },
          { visitor, events: "[]" },
        ];
        const send = async (batch) => {
          const sent = await fetch(url, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(batch),
          });
          return { status: sent.status, ...(await sent.json()) };
        };
        return Promise.all(batches.map(send));
      },
      other.url("/events/shop"),
      ID,
    );
    const results = [
      { id: ID, status: "ok" },
      { id: ID, status: "invalid", message: "name is required" },
    ];
    assert.deepEqual(answers[0], { status: 200, success: true, results });
    assert.equal(answers[1].status, 400);
    assert.equal(other.batches[0].path, "/events/shop");
    assert.equal(other.refused.length, 2);
  },
};

const back = {
  name: "goes back to another page and within one",
  async run({ server, page }) {
    await page.goto(server.route("/", html({ title: "First" })));
    await page.goto(server.route("/second", html({ title: "Second" })));
    await page.evaluate(() => history.pushState(null, "", "/third"));
    await page.back();
    assert.equal(await page.evaluate("location.pathname"), "/second");
    await page.back();
    assert.equal(await page.evaluate("document.title"), "First");
  },
};

const kept = {
  name: "pages come back from the back-forward cache",
  needs: ["backForwardCache"],
  async run({ server, page }) {
    const script = `<script>
      let persisted = 0;
      addEventListener("pageshow", (event) => (persisted += event.persisted));
    </script>`;
    await page.goto(server.route("/", html({ head: script, body: "<p>first</p>" })));
    await page.evaluate("void (window.mark = 7)");
    await page.goto(server.route("/second", html()));
    await page.back();
    await page.waitFor("persisted === 1");
    assert.equal(await page.evaluate("mark"), 7);
    assert.equal(server.requests.filter(({ path }) => path === "/").length, 1);
    // The restored page works like any other.
    await page.click("p");
    await page.goto(server.url("/second"));
  },
};

const ahead = {
  name: "a page is rendered ahead and then shown",
  needs: ["prerender"],
  async run({ server, newPage }) {
    const page = await newPage({ plain: true });
    const rules = `<script type="speculationrules">{ "prerender": [{ "urls": ["/next"], "eagerness": "immediate" }] }</script>`;
    // The page itself reports its state, as Puppeteer may lose it for a while when it is shown.
    const script = `<script>
      const hidden = document.prerendering;
      const tell = (what) => navigator.sendBeacon("/told", JSON.stringify([what, hidden, document.prerendering]));
      document.addEventListener("prerenderingchange", () => tell("shown"));
      addEventListener("load", () => tell("loaded"));
    </script>`;
    server.route("/next", html({ head: script }));
    await page.goto(server.route("/", html({ head: rules, body: `<a id="link" href="/next">next</a>` })));
    const told = (what) => server.received(({ requests }) => requests.find(({ json }) => json?.[0] === what));
    assert.deepEqual((await told("loaded")).json, ["loaded", true, true]);
    await page.click("#link");
    assert.deepEqual((await told("shown")).json, ["shown", true, false]);
    assert.equal(server.requests.filter(({ path }) => path === "/next").length, 1);
  },
};

const policy = {
  name: "a policy blocks what has no nonce, and constructed sheets apply under it",
  async run({ server, page }) {
    const body = `<h1 style="color: red">Top</h1><script>window.ran = true</script>
      <script nonce="${NONCE}">window.let = 1</script>`;
    await page.goto(server.route("/", strict({ body })));
    const found = await page.evaluate((nonce) => {
      const color = () => getComputedStyle(document.querySelector("h1")).color;
      const colors = [color()];
      const sheet = new CSSStyleSheet();
      sheet.replaceSync("h1 { color: rgb(1, 2, 3) }");
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
      colors.push(color());
      const script = document.createElement("script");
      script.nonce = nonce;
      script.textContent = "window.added = true";
      document.head.append(script);
      return { colors, ran: window.ran === true, let: window.let, added: window.added };
    }, NONCE);
    assert.deepEqual(found, { colors: ["rgb(0, 0, 0)", "rgb(1, 2, 3)"], ran: false, let: 1, added: true });
    assert.deepEqual((await page.evaluate("seen.blocked")).sort(), ["script-src-elem", "style-src-attr"]);
  },
};

const trusted = {
  name: "trusted types refuse text as HTML, but by an allowed policy",
  async run({ server, page }) {
    await page.goto(server.route("/", strict({ body: "<h1>Top</h1>" }, { trustedTypes: "muriel" })));
    const found = await page.evaluate(() => {
      const h1 = document.querySelector("h1");
      const attempt = (html) => {
        try {
          h1.innerHTML = html;
          return h1.innerHTML;
        } catch (error) {
          return error.name;
        }
      };
      const policy = trustedTypes.createPolicy("muriel", { createHTML: (text) => text });
      return [attempt("<i>text</i>"), attempt(policy.createHTML("<b>policy</b>"))];
    });
    assert.deepEqual(found, ["TypeError", "<b>policy</b>"]);
  },
};

const early = {
  name: "a script runs before those of the page",
  needs: ["onInit"],
  async run({ server, page }) {
    await page.onInit("window.early = 1");
    await page.goto(server.route("/", html({ head: "<script>window.atFirst = window.early</script>" })));
    assert.equal(await page.evaluate("atFirst"), 1);
  },
};

const picture = {
  name: "takes pictures of the size that was asked for",
  async run({ server, newPage }) {
    const page = await newPage({ viewport: { width: 600, height: 400 } });
    await page.goto(server.route("/", html()));
    assert.deepEqual(await page.evaluate("[innerWidth, innerHeight]"), [600, 400]);
    const png = await page.screenshot();
    assert.equal(png.toString("latin1", 1, 4), "PNG");
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [600, 400]);
  },
};

const tabs = {
  name: "two tabs of a visitor share cookies and storage",
  async run({ server, page }) {
    await page.goto(server.route("/", html()));
    await page.evaluate(() => void ((document.cookie = "seen=1"), localStorage.setItem("seen", "2")));
    const tab = await page.tab();
    await tab.goto(server.url("/"));
    assert.deepEqual(await tab.evaluate(() => [document.cookie, localStorage.getItem("seen")]), ["seen=1", "2"]);
    await tab.close();
    assert.equal(await page.evaluate("document.title"), "Fixture");
  },
};

const hidden = {
  name: "a page is hidden behind another tab, and shown again when that is closed",
  needs: ["hiddenTabs"],
  async run({ server, newPage }) {
    const page = await newPage({ plain: true });
    const script = `<script>
      const states = [];
      addEventListener("visibilitychange", () => states.push(document.visibilityState));
    </script>`;
    await page.goto(server.route("/", html({ head: script })));
    const tab = await page.tab();
    await page.waitFor(() => states.join() === "hidden");
    await tab.close();
    await page.waitFor(() => states.join() === "hidden,visible");
  },
};

const cookies = {
  name: "cookies reach from a host to its subdomains, and no further up than the site",
  async run({ server, page }) {
    server.route("/", html());
    await page.goto(server.url("/", "www.shop."));
    const set = (domain) => `document.cookie = "to=${domain}; Domain=${domain}"`;
    await page.evaluate(set("localhost"));
    assert.equal(await page.evaluate("document.cookie"), "");
    await page.evaluate(set(server.host));
    await page.goto(server.url("/", "other."));
    assert.equal(await page.evaluate("document.cookie"), `to=${server.host}`);
  },
};

const fresh = (turn) => ({
  name: `nothing is left of other tests (${turn})`,
  async run({ server, page }) {
    await page.goto(server.route("/", html()));
    const found = await page.evaluate(() => {
      const before = [document.cookie, localStorage.length, sessionStorage.length];
      document.cookie = "left=1";
      localStorage.left = sessionStorage.left = 1;
      return before;
    });
    assert.deepEqual(found, ["", 0, 0]);
  },
});

const real = {
  name: "the real server's ruleset is fetched by a page, and its beacons are stored",
  async run({ server, page, muriel }) {
    const shop = await (await muriel()).project();
    await shop.experiment({ experiment_key: "four-fields" });
    await page.goto(server.route("/", html()));
    const keys = await page.evaluate(
      async (url, key) => {
        const event = { id: crypto.randomUUID(), type: "pageview", url: "https://shop.example/" };
        const body = { visitor: { id: "v-1" }, events: [event] };
        navigator.sendBeacon(`${url}/events/${key}`, JSON.stringify(body));
        const ruleset = await (await fetch(`${url}/ruleset/${key}`)).json();
        return ruleset.experiments.map((experiment) => experiment.experiment_key);
      },
      shop.server.url,
      shop.key,
    );
    assert.deepEqual(keys, ["four-fields"]);
    const [event] = await until("the event is in the log", async () => {
      const events = await shop.events();
      return events.length > 0 && events;
    });
    assert.match(JSON.stringify(event), /v-1/);
  },
};

/** The tests that always run; all tests run when the rig has changed (rig.mjs) or the suite is named. */
export const quick = [evaluating, clicking, keyboard, streaming, taking, fresh("first"), fresh("second"), real];

export const tests = [
  evaluating,
  human,
  seen,
  clicking,
  disabled,
  middle,
  keyboard,
  wheel,
  streaming,
  broken,
  leaving,
  taking,
  back,
  kept,
  ahead,
  policy,
  trusted,
  early,
  picture,
  tabs,
  hidden,
  cookies,
  fresh("first"),
  fresh("second"),
  real,
];
