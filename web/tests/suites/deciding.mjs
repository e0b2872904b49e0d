// The times at which arms are decided and shown: effects of one experiment, a late response or a call of the page on
// others.

import assert from "node:assert/strict";
import { html } from "../html.mjs";
import { changing, experiment, ruleset, serve, snippet } from "../script.mjs";
import { hang } from "../server.mjs";
import {
  at,
  exposures,
  frames,
  heading,
  inline,
  of,
  settled,
  site,
  tag,
  CORS,
  H1,
  MANUAL_CLOCK,
  MANUAL_TIMEOUT,
  RECORD_FRAMES,
} from "../visit.mjs";

export const name = "deciding";
export const isShared = true;

const IN_DENMARK = { allowed_country: [{ name: "Denmark", code: "DK", rule: "whitelist" }] };
const PRO = { segment_rule: [[{ criteria: "plan", operator: "==", value: "pro" }]] };
const DENMARK = { headers: CORS, body: { country: "DK", region: null, city: null } };

/** The text of the first match. */
const text = (page, selector) => page.evaluate((selector) => document.querySelector(selector).textContent, selector);

/** Another experiment that changes another element. */
const beside = (fields) =>
  changing([{ target: "h2", innerText: "New" }], { test_id: 2, experiment_key: "two", ...fields });
const TWO = "<h1>Old</h1><h2>Old</h2>";

/** Items of `data` with values of the wrong type. */
const STRANGE = [
  { pageUrl: 5, sitewide: false },
  { pageUrl: {}, sitewide: false },
  { style: 5 },
  { class: [] },
  { target: 5 },
  { target: "a{}*" },
  { innerHTML: {} },
  { refEl: 5, dir: "a", htmlBlock: 5 },
];

const strange = {
  name: "an invalid experiment does not affect the others",
  async run(given) {
    const { page, server, other } = given;
    const bad = STRANGE.map((each, index) =>
      changing([{ target: "p", innerText: "x", ...each }], {
        test_id: index + 10,
        experiment_key: `e${index}`,
        trigger_variant_change: index % 2 ? undefined : "element:p",
      }),
    );
    const worse = [
      { ...experiment({ test_id: 31, experiment_key: "y" }), targeting: { url_rule: 5 } },
      { ...experiment({ test_id: 32, experiment_key: "z" }), variants_data_key: 5 },
    ];
    await site(given, ["/"], [...worse, ...bad, beside()], { body: TWO });
    await page.goto(server.url("/"));
    await settled(given);
    assert.equal(await text(page, "h2"), "New");
    assert.ok(exposures(other).some(([test]) => test === 2));
    assert.deepEqual(await page.evaluate("[seen.errors, seen.rejections]"), [[], []]);
  },
};

const nested = {
  name: "code that triggers another decision does not show an arm twice",
  async run(given) {
    const { page, server, other } = given;
    const calls = "muriel.push(['identify', 'u', { plan: 'pro' }]); muriel.push(['consent', true]);";
    const block = {
      data: [{ refEl: "h1", dir: "a", htmlBlock: "<i>x</i>" }],
      customJS: "document.body.dataset.ran = +(document.body.dataset.ran ?? 0) + 1",
    };
    await site(
      given,
      ["/"],
      [
        changing([], { targeting: at("/b"), variants: [{ customJS: calls }] }),
        changing([], { targeting: at("/b"), test_id: 2, experiment_key: "two", variants: [block] }),
        changing(H1, { targeting: { ...PRO, ...at("/b") }, test_id: 3, experiment_key: "three" }),
      ],
    );
    await page.goto(server.url("/"));
    await page.evaluate(() => history.pushState({}, "", "/b"));
    await page.waitFor(() => document.querySelector("h1").textContent === "New");
    assert.deepEqual(await page.evaluate(() => [document.querySelectorAll("i").length, document.body.dataset.ran]), [
      1,
      "1",
    ]);
    await page.evaluate(() => history.pushState({}, "", "/c"));
    await page.waitFor(() => document.querySelector("h1").textContent === "Old");
    assert.equal(await page.evaluate("document.querySelectorAll('i').length"), 0);
    await settled(given);
    assert.deepEqual(exposures(other), [
      [1, "1"],
      [2, "1"],
      [3, "1"],
    ]);
  },
};

const listeners = {
  name: "a listener gets earlier exposures, and none of visitors who are not counted",
  async run(given) {
    const { page, server } = given;
    const before = inline(
      `window.told = []; window.muriel = [["on", "exposure", (each) => told.push(each.experiment_key)]];`,
    );
    await site(
      given,
      ["/"],
      [
        changing(H1),
        beside({ trigger_variant_change: "event:due" }),
        // The winner is served to all visitors: nobody is counted.
        experiment({ test_id: 3, experiment_key: "won", serving: { variant_id: "1", traffic_allocation: 100 } }),
      ],
      { before, body: TWO },
    );
    await page.goto(server.url("/"));
    await settled(given);
    assert.deepEqual(await page.evaluate("told"), ["one"]);
    assert.deepEqual(await page.evaluate(() => ["one", "two"].map((key) => muriel.variant(key))), ["Variant 1", null]);
    await page.evaluate(() => {
      muriel.push(["on", "exposure", ({ variant }) => told.push(variant)]);
      dispatchEvent(new Event("due"));
    });
    assert.deepEqual(await page.evaluate("told"), ["one", "Variant 1", "two", "Variant 1"]);
    assert.equal(await page.evaluate(() => muriel.variant("two")), "Variant 1");
  },
};

const seen = {
  name: "facts that arrive after first paint do not change the page, and are reported as late",
  async run(given) {
    const { page, server, other } = given;
    await site(given, ["/"], [changing(H1, { targeting: PRO })], {
      before: RECORD_FRAMES,
      body: `<h1>Old</h1><p>${"x".repeat(600)}</p>`,
    });
    await page.goto(server.url("/"));
    await page.waitFor(() => frames_.length > 3 && performance.getEntriesByType("paint").length > 0);
    await page.evaluate(() => muriel.push(["identify", "u", { plan: "pro" }]));
    await other.received(({ events }) => events.some(({ type, late }) => type === "health" && late === 1));
    await settled(given);
    assert.deepEqual([exposures(other), await page.evaluate(() => muriel.variant("one"))], [[], null]);
    assert.deepEqual([...new Set(await frames(page))], ["Old"]);
    await page.goto(server.url("/"));
    assert.equal(await heading(page), "New");
  },
};

/** Personalizations that the visitor cannot enter at any location, so that the location is not requested. */
const NEEDLESS = {
  "without traffic": { traffic_allocation: 0 },
  "that is off": { live: false },
  elsewhere: { targeting: at("/other") },
};

const needless = {
  name: "the location is not requested, and nothing hidden, for experiments that the visitor cannot enter",
  async run(given) {
    const { page, server, other } = given;
    other.route("/geo/shop", hang);
    const each = (fields, index) =>
      experiment({
        test_id: index + 1,
        experiment_key: `e${index}`,
        test_type: "personalization",
        variants: [{ data: H1, targeting: IN_DENMARK }],
        ...fields,
      });
    await site(given, ["/"], Object.values(NEEDLESS).map(each), { before: MANUAL_TIMEOUT });
    await page.goto(server.url("/"));
    assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector("h1")).visibility), "visible");
    await settled(given);
    assert.deepEqual(
      other.requests.filter(({ path }) => path === "/geo/shop"),
      [],
    );
  },
};

const mistaken = {
  name: "a failed location request leaves the location unknown, and the next page requests it again",
  async run(given) {
    const { page, server, other } = given;
    let asked = 0;
    const unavailable = { status: 503, headers: CORS, body: { success: false, code: "unavailable" } };
    other.route("/geo/shop", () => (++asked === 1 ? unavailable : DENMARK));
    await site(
      given,
      ["/"],
      [
        changing(H1, { targeting: IN_DENMARK }),
        beside({
          test_type: "personalization",
          variants: [{ data: [{ target: "h2", innerText: "New" }], targeting: IN_DENMARK }],
        }),
      ],
      { body: TWO },
    );
    await page.goto(server.url("/"));
    await other.received(() => asked === 1);
    await page.waitFor(() => getComputedStyle(document.querySelector("h1")).visibility === "visible");
    assert.equal(await heading(page), "Old");
    await page.goto(server.url("/"));
    await page.waitFor(
      () => document.querySelector("h1").textContent === "New" && document.querySelector("h2").textContent === "New",
    );
    await settled(given);
    assert.deepEqual(exposures(other), [
      [1, "1"],
      [2, "1"],
    ]);
  },
};

const hidden = {
  name: "all hiding ends after one second in total, and a route change does not restart it",
  async run(given) {
    const { page, server, other } = given;
    other.route("/geo/shop", hang);
    const src = await serve(other, [changing(H1, { targeting: IN_DENMARK })]);
    // The snippet has hidden elements for 850 milliseconds when the script runs. The test controls time and timers.
    const timers = inline(`
      let time = Date.now();
      Date.now = () => time;
      window.waits = [];
      const wait = setTimeout;
      window.setTimeout = (call, ms, ...more) => (ms > 0 && ms <= 1000 && (waits.push({ call, ms }), 1)) || wait(call, ms, ...more);`);
    const head = RECORD_FRAMES + timers + inline(await snippet()) + inline("time += 850; waits.length = 0;") + tag(src);
    await page.goto(server.route("/", html({ head, body: "<h1 data-muriel>Old</h1>" })));
    await page.waitFor(() => frames_.at(-1) === "(hidden)");
    assert.ok((await page.evaluate(() => waits.map(({ ms }) => ms))).includes(150));
    await page.evaluate(() => waits.splice(0).forEach(({ call }) => call()));
    await page.waitFor(() => frames_.at(-1) === "Old");
    await page.evaluate(() => history.pushState({}, "", "/next"));
    await settled(given);
    assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector("h1")).visibility), "visible");
  },
};

const remembered = {
  name: "a variant's own event rule holds once the event was recorded",
  async run(given) {
    const { page, server } = given;
    const read = { event_rule: [{ rule: "equal", name: "read", attributes: [], min_count: 1, timeframe_days: 0 }] };
    await site(given, ["/"], [experiment({ test_type: "personalization", variants: [{ data: H1, targeting: read }] })]);
    await page.goto(server.url("/"));
    await page.evaluate(() => muriel.push(["track", "read"]));
    assert.equal(await heading(page), "Old");
    await page.goto(server.url("/"));
    assert.equal(await heading(page), "New");
  },
};

const stopped = {
  name: "a stopped experiment is removed from an open page, and a new one waits for the next load",
  async run(given) {
    const { page, server, other } = given;
    await site(given, ["/"], [changing(H1), beside()], { before: MANUAL_CLOCK, body: TWO + "<p>Old</p>" });
    const now = [beside(), changing([{ target: "p", innerText: "New" }], { test_id: 3, experiment_key: "three" })];
    /** @type {any} */
    let answer = { status: 500, headers: CORS, body: { experiments: [] } };
    other.route("/ruleset/shop", () => answer);
    await page.goto(server.url("/"));
    const asked = () => other.requests.filter(({ path }) => path === "/ruleset/shop").length;
    // First too soon, then while the server fails.
    for (const [ms, path, times] of [
      [59_000, "/b", 0],
      [2_000, "/c", 1],
    ]) {
      await page.evaluate((ms, path) => (ahead(ms), history.pushState({}, "", path)), ms, path);
      await settled(given);
      assert.equal(asked(), times);
      assert.equal(await heading(page), "New");
    }
    answer = { headers: CORS, body: ruleset(now) };
    await page.evaluate(() => (ahead(61_000), history.pushState({}, "", "/d")));
    await page.waitFor(() => document.querySelector("h1").textContent === "Old");
    assert.deepEqual([await text(page, "h2"), await text(page, "p")], ["New", "Old"]);
    assert.equal(await page.evaluate(() => muriel.variant("one")), null);
  },
};

const left = {
  name: "no health event is sent for an arm whose page was left",
  async run(given) {
    const { page, server, other } = given;
    const timers = inline(`
      const later = setTimeout;
      window.checks = [];
      window.setTimeout = (call, ms, ...more) => (ms === 5000 ? checks.push(() => call(...more)) : later(call, ms, ...more));`);
    const missing = [{ target: "#none", innerText: "x" }];
    await site(given, ["/a"], [changing(missing, { targeting: at("/a") }), beside()], { before: timers, body: TWO });
    await page.goto(server.url("/a"));
    await page.evaluate(() => history.pushState({}, "", "/b"));
    await settled(given);
    await page.evaluate(() => checks.forEach((call) => call()));
    await settled(given);
    // The measures of the page are in separate events.
    const shown = of(other, "health").filter(({ apply_ms }) => apply_ms != null);
    assert.deepEqual(
      shown.map(({ test_id, failed_selectors }) => [test_id, failed_selectors]),
      [[2, 0]],
    );
  },
};

export const tests = [strange, nested, listeners, seen, needless, mistaken, hidden, remembered, stopped, left];
