// Split tests by URL: redirected visitors are recorded if and only if those who stay are, whatever the browser and the server do.

import assert from "node:assert/strict";
import { asControl, changing, serve } from "../script.mjs";
import { hang } from "../server.mjs";
import { html } from "../html.mjs";
import { at, cookies, CORS, exposures, H1, heading, inline, of, pathOf, settled, site, tag } from "../visit.mjs";

export const name = "redirects";

const redirect = (url, fields) => changing([{ url }], { test_type: "split", ...fields });

/**
 * Experiments for one visitor: on /sent the arm that redirects, on /stays the control, and on both another experiment.
 */
const pair = (server) => [
  changing(H1, { test_id: 3, experiment_key: "three", targeting: at("/sent", "/stays") }),
  redirect(server.url("/new"), { targeting: at("/sent") }),
  asControl(redirect(server.url("/new"), { test_id: 2, experiment_key: "two", targeting: at("/stays") })),
];

const arrived = (page, path) =>
  page.waitFor((path) => location.pathname === path && document.readyState === "complete" && !!window.muriel?.track, {
    args: [path],
  });

/** Opens a page, and waits for the page to which it redirects. */
async function visit({ page, server }, path, to = path) {
  await page.goto(server.url(path), { until: "commit" });
  await arrived(page, to);
}

const BOTH = [
  [1, "1"],
  [2, "0"],
];
const split = (other) =>
  exposures(other)
    .filter(([test]) => test < 3)
    .sort();

const plain = {
  name: "a redirected visitor has one page view, and no other exposure on the page that was left",
  async run(given) {
    const { server, other } = given;
    await site(given, ["/sent", "/stays", "/new"], pair(server));
    await visit(given, "/sent", "/new");
    await settled(given);
    assert.deepEqual([exposures(other), of(other, "pageview").map(pathOf)], [[[1, "1"]], ["/new"]]);
    await visit(given, "/stays");
    await settled(given);
    assert.deepEqual(split(other), BOTH);
    assert.deepEqual(of(other, "pageview").map(pathOf), ["/new", "/stays"]);
    assert.deepEqual(
      of(other, "exposure")
        .filter(({ test_id }) => test_id === 3)
        .map(pathOf),
      ["/stays"],
    );
  },
};

/** Failures of the first request with an exposure. */
const TROUBLE = { "refuses it for now": { status: 503, headers: CORS, body: "" }, "never answers": hang };

const troubled = Object.entries(TROUBLE).map(([what, answer]) => ({
  name: `a server that ${what} eventually gets the exposures of both arms`,
  async run(given) {
    const { page, server, other } = given;
    const taken = [];
    const refused = new Set();
    other.route("/events/shop", ({ json }) => {
      const arm = json.events.find(({ type }) => type === "exposure")?.test_id;
      if (arm && refused.size < 2 && !refused.has(arm)) return refused.add(arm), answer;
      taken.push(...json.events.filter(({ type }) => type === "exposure"));
      return { headers: CORS, body: { success: true, results: [] } };
    });
    await site(given, ["/sent", "/stays", "/new", "/next"], pair(server).slice(1));
    await visit(given, "/sent", "/new");
    await other.received(() => taken.some(({ test_id }) => test_id === 1));
    await visit(given, "/stays");
    await other.received(() => refused.has(2));
    await visit(given, "/next");
    await other.received(() => taken.some(({ test_id }) => test_id === 2));
    assert.deepEqual(
      [...new Set(taken.map(({ id, test_id, variant_id }) => `${id} ${test_id} ${variant_id}`))].length,
      2,
    );
    assert.equal(await page.evaluate("location.pathname"), "/next");
  },
}));

const unanswered = {
  name: "while nothing may be stored nobody is redirected, or counted in either arm",
  async run(given) {
    const { page, server, other } = given;
    await site(given, ["/sent", "/stays", "/new"], pair(server), { settings: { consent: "memory" } });
    for (const path of ["/sent", "/stays"]) {
      await visit(given, path);
      assert.equal(await heading(page), "New");
      assert.deepEqual(
        await page.evaluate("[document.cookie, Object.keys(localStorage).length, Object.keys(sessionStorage).length]"),
        ["", 0, 0],
      );
    }
    await page.evaluate(() => muriel.push(["consent", true]));
    await settled(given);
    await visit(given, "/sent", "/new");
    await visit(given, "/stays");
    await settled(given);
    assert.deepEqual(split(other), BOTH);
  },
};

const uncounted = {
  name: "without session storage nobody is redirected, or counted in either arm",
  async run(given) {
    const { server, other } = given;
    const before = inline(
      `Object.defineProperty(window, "sessionStorage", { get() { throw new DOMException("no", "SecurityError"); } });`,
    );
    await site(given, ["/sent", "/stays", "/new"], pair(server), { before });
    for (const path of ["/sent", "/stays"]) {
      await visit(given, path);
      await settled(given);
    }
    assert.deepEqual(exposures(other), [[3, "1"]]);
  },
};

/** Makes a page appear prerendered until `activate` is called. */
const PREPARED = inline(`
  let prepared = location.hash !== "#opened";
  Object.defineProperty(Document.prototype, "prerendering", { get: () => prepared, configurable: true });
  window.told = [];
  window.muriel = [["on", "exposure", ({ experiment_key }) => told.push(experiment_key)]];
  window.activate = () => { prepared = false; document.dispatchEvent(new Event("prerenderingchange")); };`);

const prepared = {
  name: "a prerendered page stores and sends nothing, and does not redirect",
  async run(given) {
    const { page, server, other } = given;
    const src = await site(given, ["/sent", "/stays"], pair(server), { before: PREPARED });
    server.route("/new", html({ head: tag(src), body: "<h1>Old</h1>" }));
    await page.goto(server.route("/empty", html()));
    for (const [path, to] of [
      ["/sent", "/new"],
      ["/stays", "/stays"],
    ]) {
      const before = [other.batches.length, JSON.stringify(await cookies(page))];
      // Prerendered, and never opened.
      await visit(given, path);
      // Prerendered, and then opened.
      await visit(given, `${path}?again`, path);
      assert.deepEqual([other.batches.length, JSON.stringify(await cookies(page))], before);
      assert.deepEqual(await page.evaluate("told"), []);
      await page.evaluate("void setTimeout(activate)");
      await arrived(page, to);
      await settled(given);
    }
    assert.deepEqual(split(other), BOTH);
    assert.deepEqual(of(other, "pageview").map(pathOf), ["/new", "/stays"]);
  },
};

const ahead = {
  name: "a prerendered page redirects once it is opened, and both arms are recorded",
  needs: ["prerender"],
  async run({ server, other, newPage }) {
    const src = await serve(other, pair(server).slice(1));
    const tell = inline(`
      const tell = (what) => navigator.sendBeacon("/told", JSON.stringify([what, location.pathname]));
      if (document.prerendering) tell("prepared");`);
    for (const path of ["/sent", "/stays", "/new"])
      server.route(path, html({ head: tag(src) + tell, body: "<h1>Old</h1>" }));
    for (const [arm, path] of [
      ["1", "/sent"],
      ["0", "/stays"],
    ]) {
      const page = await newPage({ plain: true });
      const rules = `<script type="speculationrules">{ "prerender": [{ "urls": ["${path}"], "eagerness": "immediate" }] }</script>`;
      await page.goto(server.route("/", html({ head: rules, body: `<a href="${path}">go</a>` })));
      await server.received(({ requests }) =>
        requests.some(({ json }) => json?.[0] === "prepared" && json[1] === path),
      );
      assert.equal(of(other, "exposure").filter(({ variant_id }) => variant_id === arm).length, 0);
      await page.click("a");
      await other.received(({ events }) =>
        events.some(({ type, variant_id }) => type === "exposure" && variant_id === arm),
      );
    }
    assert.deepEqual(exposures(other), BOTH);
  },
};

const two = {
  name: "of two split tests on a page one redirects, and only that is recorded",
  async run(given) {
    const { server, other } = given;
    const [one, other_] = ["/one", "/two"].map((to, index) =>
      redirect(server.url(to), { test_id: index + 1, experiment_key: `e${index}`, targeting: at("/") }),
    );
    await site(given, ["/", "/one", "/two"], [one, other_]);
    await visit(given, "/", "/one");
    await settled(given);
    assert.deepEqual(exposures(other), [[1, "1"]]);
  },
};

/** Tags in the page, and the number of its loads until the redirects stop: one more if it sends no referrer. */
const BACK = {
  "": 2,
  '<meta name="referrer" content="no-referrer">': 3,
};

const sentBack = Object.entries(BACK).map(([policy, loads]) => ({
  name: `a visitor whom the destination sends back stays, and that is counted as an error: ${policy || "with a referrer"}`,
  async run(given) {
    const { page, server, other } = given;
    const src = await serve(other, [redirect("/?v=b", { targeting: at("/") })]);
    const listen = inline(`window.lost = []; window.muriel = [["on", "error", ({ message }) => lost.push(message)]];`);
    const body = html({ head: policy + listen + tag(src), body: "<h1>Old</h1>" });
    server.route("/", ({ query }) => (query ? { status: 302, headers: { location: "/" } } : body));
    const isLoad = ({ path, query }) => path === "/" && !query;
    const loaded = () => server.requests.filter(isLoad).length;
    const failures = () => of(other, "health").filter(({ errors }) => errors);

    await page.goto(server.url("/"), { until: "commit" });
    await page.waitFor(() => document.readyState === "complete" && window.lost?.length === 1);
    assert.match(await page.evaluate("lost[0]"), /^sent back: .*\/\?v=b/);
    await settled(given);
    assert.equal(loaded(), loads);
    assert.deepEqual(exposures(other), [[1, "1"]]);
    assert.deepEqual(
      failures().map(({ test_id, variant_id, errors, error_message }) => [test_id, variant_id, errors, error_message]),
      [[1, "1", 1, await page.evaluate("lost[0]")]],
    );
    // From then on, the tab is not redirected.
    await page.goto(server.url("/"));
    await settled(given);
    assert.equal(loaded(), loads + 1);
    assert.equal(failures().length, 2);
    assert.deepEqual(exposures(other), [[1, "1"]]);
  },
}));

const again = {
  name: "a visitor who comes back by a link is redirected again, and no error is counted",
  async run(given) {
    const { page, server, other } = given;
    const src = await site(given, ["/"], [redirect("/there", { targeting: at("/") })]);
    server.route("/there", html({ head: tag(src), body: '<h1>Old</h1><a href="/">back</a>' }));
    await visit(given, "/", "/there");
    await page.evaluate("void (window.mark = 1)");
    await page.click("a");
    await page.waitFor(() => location.pathname === "/there" && !window.mark && !!window.muriel?.track);
    await settled(given);
    assert.deepEqual(
      of(other, "health").filter(({ errors }) => errors),
      [],
    );
    assert.deepEqual(of(other, "pageview").map(pathOf), ["/there", "/there"]);
  },
};

const routed = {
  name: "a redirect to another route of the same document loads it",
  async run(given) {
    const { page, server, other } = given;
    const rule = { url_rule: [{ url: "#/old", rule: "contain", allowed: true }] };
    await site(given, ["/app"], [redirect(server.url("/app#/new"), { targeting: rule })]);
    await page.goto(server.url("/app#/old"), { until: "commit" });
    await page.waitFor(() => {
      const [{ type }] = performance.getEntriesByType("navigation");
      return type === "reload" && document.readyState === "complete" && !!window.muriel?.track;
    });
    await settled(given);
    assert.deepEqual(exposures(other), [[1, "1"]]);
    assert.deepEqual(
      of(other, "pageview").map(({ url }) => new URL(url).hash),
      ["#/new"],
    );
    assert.equal(await page.evaluate("getComputedStyle(document.documentElement).visibility"), "visible");
  },
};

/** Values of `url` that must not redirect. */
const ADDRESSES = [
  "javascript:void(document.documentElement.dataset.ran = 1)",
  " JavaScript:document.documentElement.dataset.ran=1",
  "data:text/html,x",
  "http://[",
  "blob:x",
  "",
];

const addresses = {
  name: "neither a javascript: address nor a url beside a change redirects",
  async run(given) {
    const { page, server } = given;
    const bad = ADDRESSES.map((url, index) => redirect(url, { test_id: index + 10, experiment_key: `e${index}` }));
    const beside = ADDRESSES.map((url, index) =>
      changing([{ target: "p", innerText: "New", url }], { test_id: index + 20, experiment_key: `b${index}` }),
    );
    const away = ["split", "abtest"].map((test_type, index) =>
      changing([{ target: `h${index + 1}`, innerText: "New", url: server.url("/away") }], {
        test_id: index + 30,
        experiment_key: `c${index}`,
        test_type,
      }),
    );
    const none = changing([{ url: server.url("/away") }], { test_id: 40, experiment_key: "no-split-test" });
    await site(given, ["/", "/away"], [...bad, ...beside, ...away, none], {
      body: "<h1>Old</h1><h2>Old</h2><p>Old</p>",
    });
    await visit(given, "/");
    await settled(given);
    const now = await page.evaluate(() => [
      location.pathname,
      document.documentElement.dataset.ran ?? "",
      document.body.textContent.replace(/\s/g, ""),
    ]);
    assert.deepEqual(now, ["/", "", "NewNewNew"]);
    assert.deepEqual(await page.evaluate("seen"), { errors: [], rejections: [], blocked: [] });
  },
};

export const tests = [
  plain,
  ...troubled,
  unanswered,
  uncounted,
  prepared,
  ahead,
  two,
  ...sentBack,
  again,
  routed,
  addresses,
];
