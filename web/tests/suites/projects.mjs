// Several projects on one site: values that the script stores in the browser belong to its project, and the scripts of
// two projects on one page both work. Projects share the visitor's id, consent and cookie domain.

import assert from "node:assert/strict";
import { html } from "../html.mjs";
import { asControl, changing, script, serve, snippet } from "../script.mjs";
import { gate, hang } from "../server.mjs";
import {
  at,
  cookies,
  CORS,
  exposures,
  H1,
  heading,
  inline,
  MANUAL_TIMEOUT,
  of,
  pathOf,
  RECORD_FRAMES,
  settled,
  site,
  tag,
} from "../visit.mjs";

export const name = "projects";
export const isShared = true;

/** The two projects: one sends to `other`, the other one to the site itself. */
const de = ({ server, other }, experiments, options) =>
  site({ server, other }, ["/de", "/de/next"], experiments, { project: "de", ...options });
const fr = ({ server }, experiments, options) =>
  site({ server, other: server }, ["/fr", "/fr/next"], experiments, { project: "fr", ...options });

const settledIn = {
  de: ({ page, other }) => settled({ page, other }),
  fr: ({ page, server }) => settled({ page, other: server }),
};

/** The names and types of the events that a server got, each once. */
const names = (server) =>
  ["custom", "order"]
    .flatMap((type) => of(server, type).map(({ name }) => name))
    .filter((name) => !/^mark-/.test(name));

const purchase = { value: 100, currency: "EUR", order_id: "DE-1" };

const queued = {
  name: "events that a page has not sent yet wait for the next page of their project, and no other gets them",
  async run(given) {
    const { page, server, other } = given;
    let isFine = false;
    const taken = [];
    other.route("/events/de", ({ json }) => {
      if (!isFine) return hang;
      taken.push(...json.events);
      return { headers: CORS, body: { success: true, results: [] } };
    });
    await de(given, [changing(H1)]);
    await fr(given, [changing(H1)]);
    await page.goto(server.url("/de"));
    await page.evaluate((order) => muriel.push(["track", "purchase", order]), purchase);
    await page.goto(server.url("/fr"));
    await settledIn.fr(given);
    assert.deepEqual(of(server, "order"), []);
    assert.deepEqual(of(server, "pageview").map(pathOf), ["/fr"]);
    isFine = true;
    await page.goto(server.url("/de/next"));
    await other.received(() => taken.some(({ type }) => type === "order"));
    assert.deepEqual(
      taken.filter(({ type }) => type === "order").map(({ order_id, url }) => [order_id, new URL(url).pathname]),
      [["DE-1", "/de"]],
    );
    assert.ok(!taken.some(({ url }) => /fr/.test(url)));
  },
};

const facts = {
  name: "rules see the events, attributes and audiences of their own project, and the visitor is the same in both",
  async run(given) {
    const { page, server, other } = given;
    const rules = [
      { event_rule: [{ rule: "equal", name: "newsletter", attributes: [], min_count: 1, timeframe_days: 0 }] },
      { segment_rule: [[{ criteria: "plan", operator: "==", value: "pro" }]] },
      { ga4_rule: ["loyal"] },
    ];
    const body = "<h1>Old</h1><h2>Old</h2><h3>Old</h3>";
    const experiments = rules.map((targeting, index) =>
      changing([{ target: `h${index + 1}`, innerText: "New" }], {
        test_id: index + 1,
        experiment_key: `e${index}`,
        targeting,
      }),
    );
    const shown = () =>
      page.evaluate(() => [...document.querySelectorAll("h1, h2, h3")].map((each) => each.textContent));
    await de(given, experiments, { body });
    await fr(given, experiments, { body });
    await page.goto(server.url("/de"));
    await page.evaluate(() =>
      muriel.push(["track", "newsletter"], ["identify", "u-1", { plan: "pro", audiences: ["loyal"] }]),
    );
    await settledIn.de(given);
    await page.goto(server.url("/fr"));
    assert.deepEqual(await shown(), ["Old", "Old", "Old"]);
    await settledIn.fr(given);
    assert.deepEqual(server.batches.at(-1).json.visitor.attributes, {});
    await page.goto(server.url("/de/next"));
    assert.deepEqual(await shown(), ["New", "New", "New"]);
    await settledIn.de(given);
    assert.equal(new Set([...server.batches, ...other.batches].map(({ json }) => json.visitor.id)).size, 1);
  },
};

const arms = {
  name: "arms, exposures and what tools were told of two projects are apart, also where their tests have the same ids",
  async run(given) {
    const { page, server, other } = given;
    const before = inline("window.dataLayer = [];");
    const test = changing(H1, { tools: [{ name: "gtm" }], name: "Test" });
    const control = asControl(
      changing(H1, { tools: [{ name: "gtm" }], name: "Test", targeting: at("/fr", "/fr/next") }),
    );
    await de(given, [test], { before });
    await fr(given, [control], { before });
    for (const [path, project, variant] of [
      ["/de", "de", "Variant 1"],
      ["/fr", "fr", "Control"],
    ]) {
      await page.goto(server.url(path));
      await page.waitFor(() => window.dataLayer.length > 0);
      assert.deepEqual(await page.evaluate("dataLayer.map(({ variant_name }) => variant_name)"), [variant]);
      await settledIn[project](given);
    }
    assert.deepEqual([exposures(other), exposures(server)], [[[1, "1"]], [[1, "0"]]]);
    const { muriel_a_de, muriel_a_fr } = await cookies(page);
    assert.deepEqual([muriel_a_de, muriel_a_fr], ["1.1", "1.0"]);
    // On the next page, each project has its own arm.
    await page.goto(server.url("/de/next"));
    await settledIn.de(given);
    assert.equal(exposures(other).length, 1);
  },
};

const denied = {
  name: "a denial erases what all projects of the site have stored",
  async run(given) {
    const { page, server } = given;
    await de(given, [changing(H1)]);
    await fr(given, [changing(H1)]);
    for (const [path, project] of [
      ["/de", "de"],
      ["/fr", "fr"],
    ]) {
      await page.goto(server.url(path));
      await settledIn[project](given);
    }
    await page.evaluate(() => (localStorage.muriel_own = "theirs"));
    const stored = () => page.evaluate("Object.keys(localStorage).sort()");
    assert.ok((await stored()).includes("muriel_s_de"));
    await page.evaluate(() => muriel.push(["consent", false]));
    assert.deepEqual(await stored(), ["muriel_c", "muriel_own"]);
    assert.deepEqual(await cookies(page), { muriel_c: "denied" });
    await page.goto(server.url("/de"));
    assert.equal(await heading(page), "Old");
    assert.deepEqual(await stored(), ["muriel_c", "muriel_own"]);
  },
};

/** Two scripts on one page: one changes the heading, the other the paragraph. */
const both = async ({ server, other }, more = {}) => {
  const p = [{ target: "p", innerText: "Neu" }];
  const one = await serve(other, [changing(H1, { experiment_key: "of-de" })], { project: "de", ...more });
  const two = await serve(server, [changing(p, { experiment_key: "of-fr" })], { project: "fr", ...more });
  return [one, two];
};

const body = "<h1>Old</h1><p>Alt</p>";
const texts = (page) => page.evaluate(() => [...document.querySelectorAll("h1, p")].map((each) => each.textContent));

const together = {
  name: "the scripts of two projects on one page both run, and both hear all calls",
  async run(given) {
    const { page, server, other } = given;
    const [one, two] = await both(given);
    const early = inline(
      `window.heard = []; window.muriel = [["track", "early"], ["on", "exposure", ({ experiment_key }) => heard.push(experiment_key)]];`,
    );
    const between = inline(`muriel.track("between"); muriel.push(["track", "pushed"]);`);
    await page.goto(server.route("/", html({ head: early + tag(one) + between + tag(two) + tag(one), body })));
    assert.deepEqual(await texts(page), ["New", "Neu"]);
    await page.evaluate(() => muriel.track("late"));
    await page.evaluate((order) => muriel.push(["track", "purchase", order]), purchase);
    await settledIn.de(given);
    await server.received(({ events }) => events.some(({ type }) => type === "order"));
    for (const each of [server, other]) {
      assert.deepEqual(names(each), ["early", "between", "pushed", "late", "purchase"]);
      assert.equal(of(each, "pageview").length, 1);
      // The second script must not take the visitor for a returning one: the visitor is new to both projects.
      assert.deepEqual(
        of(each, "exposure").map(({ context }) => context.visitor_type),
        ["new"],
      );
    }
    assert.deepEqual(await page.evaluate("heard"), ["of-de", "of-fr"]);
    assert.deepEqual(await page.evaluate(`["of-de", "of-fr", "none"].map((key) => muriel.variant(key))`), [
      "Variant 1",
      "Variant 1",
      null,
    ]);
    // Methods still work without their object, and none throws.
    assert.deepEqual(
      await page.evaluate(`(() => { const { push, track, variant } = muriel;
        return [push(["track", "bare"], null, 5, []), track("bare"), variant(), muriel.push(["constructor"])].map((each) => each ?? null); })()`),
      [null, null, null, null],
    );
    assert.deepEqual(await page.evaluate("seen.errors"), []);
    await page.evaluate(() => muriel.push(["consent", false]));
    assert.deepEqual(await page.evaluate("Object.keys(localStorage)"), ["muriel_c"]);
  },
};

const programs = {
  name: "of two projects only the one that lets programs in runs for them, whichever script comes first",
  async run(given) {
    const { page, server, other } = given;
    const p = [{ target: "p", innerText: "Neu" }];
    const one = await serve(other, [changing(H1)], { project: "de", settings: { bots: true } });
    const two = await serve(server, [changing(p)], { project: "fr" });
    for (const [path, head] of [
      ["/one", tag(one) + tag(two)],
      ["/two", tag(two) + tag(one)],
    ]) {
      const before = other.events.length;
      await page.goto(
        server.route(path, html({ head: inline(`window.muriel = [["track", "early"]];`) + head, body, human: false })),
      );
      assert.deepEqual(await texts(page), ["New", "Alt"], path);
      await page.evaluate(() => muriel.push(["track", "late"]));
      await other.received(({ events }) => events.slice(before).some(({ name }) => name === "late"));
      assert.ok(
        other.events.slice(before).some(({ name }) => name === "early"),
        path,
      );
    }
    assert.deepEqual(server.batches, []);
  },
};

const hiding = {
  name: "the snippets of two projects hide until their own script has decided, and nothing stays hidden",
  async run(given) {
    const { page, server, other } = given;
    const lines = inline((await snippet()).replaceAll("[data-muriel]", "h1"));
    const others = inline((await snippet()).replaceAll("[data-muriel]", "p"));
    const p = [{ target: "p", innerText: "Neu" }];
    const [first, second] = [gate(), gate()];
    const deliver = (server_, path, code, open) =>
      server_.route(path, async () => (await open, { type: "text/javascript", body: await code, headers: CORS }));
    const one = deliver(other, "/js/de.js", script([changing(H1)], { project: "de" }), first);
    const two = deliver(server, "/js/fr.js", script([changing(p, { test_id: 2 })], { project: "fr" }), second);
    const head = MANUAL_TIMEOUT + RECORD_FRAMES + lines + tag(one, "async") + others + tag(two, "async");
    await page.goto(server.route("/", html({ head, body })), { until: "dom" });
    const visible = () =>
      page.evaluate(() =>
        ["h1", "p"].map((each) => {
          const element = document.querySelector(each);
          return getComputedStyle(element).visibility === "hidden" ? "(hidden)" : element.textContent;
        }),
      );
    assert.deepEqual(await visible(), ["(hidden)", "(hidden)"]);
    second.open();
    await page.waitFor(() => document.querySelector("p").textContent === "Neu");
    await page.waitFor(() => getComputedStyle(document.querySelector("p")).visibility === "visible");
    assert.deepEqual(await visible(), ["(hidden)", "Neu"]);
    first.open();
    await page.waitFor(() => document.querySelector("h1").textContent === "New");
    await page.waitFor(() => getComputedStyle(document.querySelector("h1")).visibility === "visible");
    await settledIn.de(given);
    await server.received(({ events }) => events.some(({ type }) => type === "exposure"));
    // Neither arm was late, although the page was painted before the other one was shown.
    assert.deepEqual([exposures(other), exposures(server)], [[[1, "1"]], [[2, "1"]]]);
    for (const each of [server, other]) assert.ok(!of(each, "health").some(({ late }) => late));
  },
};

const timeouts = {
  name: "where no script comes, the timeout shows what each of two snippets has hidden",
  async run({ server, other, page }) {
    const lines = ["h1", "p"].map(async (each) => inline((await snippet()).replaceAll("[data-muriel]", each)));
    const [one, two] = await Promise.all(lines);
    const expiring = inline(`
      const wait = setTimeout;
      window.expiring = [];
      window.setTimeout = (call, ms, ...more) => (ms === 1000 ? (expiring.push(call), 0) : wait(call, ms, ...more));`);
    const src = other.route("/never.js", hang);
    const head = expiring + one + tag(src, "async") + two + tag(src, "async");
    await page.goto(server.route("/", html({ head, body })), { until: "dom" });
    await page.waitFor(() => !!document.querySelector("p"));
    const hidden = () =>
      page.evaluate(() =>
        ["h1", "p"].filter((each) => getComputedStyle(document.querySelector(each)).visibility === "hidden"),
      );
    assert.deepEqual(await hidden(), ["h1", "p"]);
    await page.evaluate("expiring.forEach((call) => call())");
    assert.deepEqual(await hidden(), []);
  },
};

const ID = "0195a2b4-7d3e-7c11-9f60-2b8f1f0e6a5";

/** Events that earlier versions of the script stored for all projects of a site together. */
const EARLIER = [
  { id: ID + 1, type: "exposure", test_id: 1, variant_id: "1", at: "2026-03-01T10:00:00Z", session: "x" },
  { id: ID + 2, type: "exposure", test_id: 8, variant_id: "1", at: "2026-03-01T10:00:00Z", session: "x" },
  { id: ID + 3, type: "order", name: "purchase", value: 5, currency: "EUR", at: "2026-03-01T10:00:00Z", session: "x" },
  { id: ID + 4, type: "health", dropped: 1, at: "2026-03-01T10:00:00Z", session: "x" },
];

const earlier = {
  name: "of what earlier versions stored without a project, arms stay, and events are sent if their test says whose they are",
  async run(given) {
    const { page, server, other } = given;
    const before = inline(`if (!localStorage.muriel_s_de) {
      localStorage.muriel_id = "visitor-1";
      localStorage.muriel_a = "1.1~7.2";
      localStorage.muriel_q = ${JSON.stringify(JSON.stringify(EARLIER))};
    }`);
    // All new visitors get the control.
    await de(given, [asControl(changing(H1))], { before });
    await page.goto(server.url("/de"));
    assert.equal(await heading(page), "New");
    await settledIn.de(given);
    const old = other.events.filter(({ session }) => session === "x").map(({ id }) => id);
    assert.deepEqual([...new Set(old)], [ID + 1]);
    assert.equal((await cookies(page)).muriel_a_de, "1.1~7.2");
    assert.equal(await page.evaluate("localStorage.muriel_q ?? null"), null);
    await page.goto(server.url("/de/next"));
    await settledIn.de(given);
    assert.equal(await heading(page), "New");
  },
};

export const tests = [queued, facts, arms, denied, together, programs, hiding, timeouts, earlier];
