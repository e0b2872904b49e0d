// Measures of how pages load and respond: taken in the browser, and reported once, for pages whose health is reported.

import assert from "node:assert/strict";
import { html } from "../html.mjs";
import { asControl, changing, experiment } from "../script.mjs";
import { at, exposures, H1, inline, of, pathOf, settled, site } from "../visit.mjs";

export const name = "vitals";

const vitals = (other) => of(other, "health").filter(({ lcp_ms, inp_ms }) => lcp_ms != null || inp_ms != null);
const count = { test_id: 2, experiment_key: "two" };
const told = (each) => each.map(({ test_id, variant_id }) => [test_id, variant_id]);

/** Code that keeps the page busy for this many milliseconds. */
const busy = (ms) => `const until = performance.now() + ${ms}; while (performance.now() < until);`;

/** Waits until the browser has reported entries of these types. */
const measured = (page, ...types) =>
  page.waitFor(
    (types) =>
      types.every((type) => {
        window.seen ??= {};
        window.seen[type] ??= (() => {
          const entries = [];
          new PerformanceObserver((list) => entries.push(...list.getEntries())).observe({ type, buffered: true });
          return entries;
        })();
        return window.seen[type].length > 0;
      }),
    { args: [types] },
  );

const whole = {
  name: "a page tells its measures once, of each arm that was met",
  only: ["chromium"],
  async run(given) {
    const { page, server, other } = given;
    const head = inline(`
      addEventListener("load", () => setTimeout(() => {
        document.body.insertAdjacentHTML("afterbegin", "<div style='height: 300px'>Pushes</div>");
      }, 700));`);
    const body = `<h1 style="height: 200px; font-size: 60px">Old</h1><button onclick="${busy(120)}">Slow</button>`;
    const experiments = [
      changing(H1),
      asControl(changing(H1, count)),
      experiment({ ...count, test_id: 3, live: false }),
    ];
    await site(given, ["/"], experiments, { body, head });
    await page.goto(server.url("/"));
    await measured(page, "largest-contentful-paint", "layout-shift");
    await page.click("button");
    await measured(page, "first-input");
    await settled(given);
    assert.deepEqual(vitals(other), [], "nothing while the page is looked at");
    await page.goto(server.route("/end", html()));
    await other.received(() => vitals(other).length > 1);
    const found = vitals(other);
    assert.deepEqual(told(found).sort(), [
      [1, "1"],
      [2, "0"],
    ]);
    const [{ lcp_ms, cls, inp_ms, errors }] = found;
    assert.ok(Number.isInteger(lcp_ms) && lcp_ms > 0 && lcp_ms < 60_000, `${lcp_ms}`);
    assert.ok(cls > 0.05 && cls < 2, `${cls}`);
    assert.ok(inp_ms >= 112 && inp_ms < 30_000, `${inp_ms}`);
    assert.equal(errors, undefined);
    assert.deepEqual([found[1].lcp_ms, found[1].cls, found[1].inp_ms], [lcp_ms, cls, inp_ms]);
  },
};

const bare = {
  name: "what a browser does not measure is left out, and breaks nothing",
  async run(given) {
    const { page, server, other } = given;
    const before = inline("delete window.PerformanceObserver;");
    await site(given, ["/"], [changing(H1)], { before });
    await page.goto(server.url("/"));
    await page.waitFor(() => document.querySelector("h1").textContent === "New");
    await page.goto(server.route("/end", html()));
    await other.received(() => of(other, "health").some(({ apply_ms }) => apply_ms != null));
    assert.deepEqual(vitals(other), []);
  },
};

const silent = {
  name: "nothing is measured of page views whose health is not reported, and before consent",
  only: ["chromium"],
  async run(given) {
    const { page, server, other } = given;
    /** @type {[string, any][]} */
    const silences = [
      ["/unasked", { health: 0 }],
      ["/unanswered", { consent: "required" }],
      ["/denied", { consent: "memory" }],
    ];
    for (const [path, settings] of silences) {
      const before = inline(`
        window.observed = [];
        const observe = PerformanceObserver.prototype.observe;
        PerformanceObserver.prototype.observe = function (what) { observed.push(what.type); return observe.call(this, what); };`);
      await site(given, [path], [changing(H1)], { before, settings });
      await page.goto(server.url(path));
      await page.waitFor(() => document.querySelector("h1") && window.muriel.track);
      if (path === "/denied") await page.evaluate(() => muriel.push(["consent", false]));
      else assert.deepEqual(await page.evaluate(() => window.observed), [], path);
      await page.goto(server.route(`${path}-end`, html()));
      assert.deepEqual(vitals(other), [], path);
    }
    // An arm whose health is reported sends measures, so the arms before would have sent theirs by now.
    await site(given, ["/asked"], [changing(H1)], { settings: { health: 100 } });
    await page.goto(server.url("/asked"));
    await page.evaluate(() => muriel.push(["consent", true]));
    await page.goto(server.url("/asked"));
    await page.waitFor(() => document.querySelector("h1").textContent === "New");
    await measured(page, "largest-contentful-paint");
    await page.goto(server.route("/end", html()));
    await other.received(() => vitals(other).length > 0);
    // The page on which consent was given may have sent measures, too, if its arm was in time.
    assert.deepEqual([...new Set(vitals(other).map(pathOf))], ["/asked"]);
  },
};

const prerendered = {
  name: "a prerendered page is measured from when it was opened, and 0 is a measure",
  only: ["chromium"],
  async run(given) {
    const { server, other, newPage } = given;
    // The page leaves by itself, and reports the expected values, as Puppeteer may lose it when it is opened.
    const before = inline(`
      const tell = (...what) => navigator.sendBeacon("/told", JSON.stringify([location.pathname, ...what]));
      const left = ([{ startTime }]) => {
        const { activationStart } = performance.getEntriesByType("navigation")[0];
        tell("opened", activationStart, Math.max(0, Math.round(startTime - activationStart)));
        location.assign("/end");
      };
      const leave = () =>
        new PerformanceObserver((list) => left(list.getEntries())).observe({ type: "largest-contentful-paint", buffered: true });
      window.muriel = [["on", "exposure", leave]];
      addEventListener("load", () => document.prerendering && tell("prepared"));
      // Older browsers date images of other sites by when they were loaded, which is before the page was opened.
      if (location.pathname === "/quick")
        Object.defineProperty(LargestContentfulPaint.prototype, "startTime", { get: () => 1 });`);
    await site(given, ["/shown", "/quick"], [changing(H1)], { before });
    server.route("/end", html());
    for (const path of ["/shown", "/quick"]) {
      const page = await newPage({ plain: true });
      const rules = `<script type="speculationrules">{ "prerender": [{ "urls": ["${path}"], "eagerness": "immediate" }] }</script>`;
      await page.goto(server.route("/", html({ head: rules, body: `<a href="${path}">go</a>` })));
      const told = (word) =>
        server.received(({ requests }) =>
          requests.find(({ json }) => json?.[0] === path && json[1] === word)?.json.slice(2),
        );
      await told("prepared");
      await page.click("a");
      const [opened, lcp] = await told("opened");
      assert.ok(opened > 0, "was prerendered");
      const found = await other.received(() => vitals(other).find((each) => pathOf(each) === path));
      assert.deepEqual([found.lcp_ms, found.cls], [lcp, 0], path);
    }
    assert.equal(vitals(other)[1].lcp_ms, 0);
    assert.equal(vitals(other).length, 2);
  },
};

const background = {
  name: "a page that was opened in the background tells no measures, whether its arm is met before or after it is looked at",
  only: ["chromium"],
  async run(given) {
    const { server, other, newPage } = given;
    const page = await newPage({ plain: true });
    const due = { ...count, targeting: at("/after"), trigger_variant_change: "event:due" };
    await site(
      given,
      ["/before", "/after", "/seen"],
      [changing(H1, { targeting: at("/before", "/seen") }), changing(H1, due)],
    );
    server.route("/end", html());
    for (const [path, arm] of [
      ["/before", [1, "1"]],
      ["/after", [2, "1"]],
    ]) {
      await page.goto(server.url("/end"));
      const tab = await page.tab();
      await page.waitFor(() => document.visibilityState === "hidden");
      await page.goto(server.url(path));
      assert.equal(await page.evaluate("document.visibilityState"), "hidden");
      await tab.close();
      await page.waitFor(() => document.visibilityState === "visible");
      await measured(page, "largest-contentful-paint");
      await page.evaluate("dispatchEvent(new Event('due'))");
      await page.waitFor(() => document.querySelector("h1").textContent === "New");
      await settled({ page, other });
      assert.deepEqual(exposures(other).at(-1), arm);
    }
    // The same page in the foreground sends measures.
    await page.goto(server.url("/seen"));
    await measured(page, "largest-contentful-paint");
    await page.goto(server.url("/end"));
    await other.received(() => vitals(other).length > 0);
    assert.deepEqual(vitals(other).map(pathOf), ["/seen"]);
  },
};

export const tests = [whole, bare, silent, prerendered, background];
