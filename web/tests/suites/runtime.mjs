// The whole script on pages: which visitors see which arm, and when, and which events are recorded.

import assert from "node:assert/strict";
import { html, NONCE, strict } from "../html.mjs";
import { asControl, changing, experiment, serve } from "../script.mjs";
import { gate } from "../server.mjs";
import { exposures, frames, inline, of, settled, tag, H1, MANUAL_TIMEOUT, RECORD_FRAMES } from "../visit.mjs";

export const name = "runtime";
export const isShared = true;

/**
 * Opens a page with the script of these experiments first in its head.
 *
 * @param {any} given
 * @param {any[]} experiments
 * @param {{ body?: string, head?: string, path?: string, [option: string]: any }} options
 */
async function open(
  { server, other, page },
  experiments,
  { body = "<h1>Old</h1>", head = "", path = "/", ...options } = {},
) {
  const src = await serve(other, experiments, options);
  await page.goto(server.route(path, html({ head: RECORD_FRAMES + tag(src) + head, body })));
}

const first = {
  name: "no frame shows the original, and page view and exposure are sent once",
  async run(given) {
    const { server, other, page } = given;
    const src = await serve(other, [changing(H1, { variants: [{ data: H1, customCSS: "h1 { color: red }" }] })]);
    const late = gate();
    const [head, tail] = html({
      head: RECORD_FRAMES + tag(src),
      body: `<p>${"x".repeat(600)}</p><h1>OlSPLITd</h1><p>more</p>`,
    }).split("SPLIT");
    server.route("/", { body: [head, late, tail] });
    await page.goto(server.url("/"), { until: "commit" });
    await page.waitFor(() => frames_.length > 3);
    late.open();
    await page.waitFor(() => document.readyState === "complete" && frames_.at(-1) === "New in red");
    assert.deepEqual([...new Set(await frames(page))], ["New in red"]);
    await other.received(({ events }) => events.some(({ type }) => type === "pageview"));
    await settled(given);
    assert.deepEqual(exposures(other), [[1, "1"]]);
    const [exposure] = of(other, "exposure");
    assert.equal(exposure.epoch, 1);
    assert.equal(exposure.context.visitor_type, "new");
    assert.match(exposure.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    // A second page of the same visit records no second exposure, and the visitor is the same.
    await page.goto(server.url("/"), { until: "dom" });
    await settled(given);
    assert.equal(of(other, "exposure").length, 1);
    assert.equal(of(other, "pageview").length, 2);
    assert.equal(new Set(other.batches.map(({ json }) => json.visitor.id)).size, 1);
  },
};

const modules = {
  name: "no frame shows the original of a web component that a module defines",
  async run(given) {
    const { server, other, page } = given;
    const src = await serve(other, [changing([{ target: "x-card >>> h1", innerText: "New" }])]);
    const late = gate();
    server.route("/card.js", {
      type: "text/javascript",
      body: [
        late,
        `customElements.define("x-card", class extends HTMLElement {
        constructor() { super(); this.attachShadow({ mode: "open" }).innerHTML = "<h1>Old</h1>"; }
      });`,
      ],
    });
    const watching = inline(`frames_ = []; drawn = 0;
      (function look() {
        const root = document.querySelector("x-card")?.shadowRoot;
        if (root) frames_.push(root.textContent);
        drawn += 1;
        requestAnimationFrame(look);
      })();`);
    const head = `${watching}${tag(src)}<script nonce="${NONCE}" type="module" src="/card.js"></script>`;
    await page.goto(server.route("/", html({ head, body: `<p>${"x".repeat(600)}</p><x-card></x-card>` })), {
      until: "commit",
    });
    // The whole document is parsed and painted, and does not change any more.
    await page.waitFor(() => document.readyState === "interactive" && document.querySelector("x-card") && drawn > 3);
    late.open();
    await page.waitFor(() => frames_.length > 3);
    assert.deepEqual([...new Set(await frames(page))], ["New"]);
    await settled(given);
    assert.deepEqual(exposures(other), [[1, "1"]]);
  },
};

const control = {
  name: "the control is recorded, and its page is not changed",
  async run(given) {
    await open(given, [asControl(changing(H1, { control: { customCSS: "h1 { color: red }" } }))]);
    await settled(given);
    assert.equal((await frames(given.page)).at(-1), "Old in red");
    assert.deepEqual(exposures(given.other), [[1, "0"]]);
    assert.equal(await given.page.evaluate(() => muriel.variant("one")), "Control");
  },
};

const sticky = {
  name: "a visitor keeps the assigned arm",
  async run(given) {
    const { server, other, page } = given;
    await open(given, [changing(H1)]);
    await settled(given);
    await serve(other, [asControl(changing(H1, { epoch: 2 }))]);
    await page.goto(server.url("/"));
    await settled(given);
    assert.equal((await frames(page)).at(-1), "New");
    assert.deepEqual(
      of(other, "exposure").map(({ epoch, variant_id }) => [epoch, variant_id]),
      [
        [1, "1"],
        [2, "1"],
      ],
    );
  },
};

const isolated = {
  name: "code that throws, is invalid or redefines globals affects only itself",
  async run(given) {
    const code = (customJS, at) => changing([], { test_id: at, experiment_key: `e${at}`, variants: [{ customJS }] });
    const bad = [
      "throw new Error('mine')",
      "this is no JavaScript",
      "window.fetch = null; window.MutationObserver = null; Array.prototype.forEach = null; navigator.sendBeacon = null; document.querySelectorAll = null; window.muriel = 1; Date.now = null; Object.entries = null; window.queueMicrotask = null;" +
        // WebKit's driver uses these.
        (given.engine.name === "webkit" ? "" : "window.Promise = null; window.setTimeout = null; window.JSON = {};"),
    ];
    await open(
      given,
      [...bad.map((each, at) => code(each, at + 1)), changing(H1, { test_id: 9, experiment_key: "nine" })],
      {
        head: `<script nonce="${NONCE}">window.muriel = [["on", "error", (told) => (window.told = [...(window.told ?? []), told])]];</script>`,
      },
    );
    await given.page.waitFor(() => frames_.at(-1) === "New");
    await given.other.received(({ events }) => events.filter(({ type }) => type === "exposure").length === 4);
    await given.other.received(
      ({ events }) => events.filter(({ type, errors }) => type === "health" && errors > 0).length === 2,
    );
  },
};

const loop = {
  name: "an endless loop is stopped",
  async run(given) {
    const js = "experiment.onCleanup(() => {}); for (;;) { __muriel_turn(); }";
    await open(given, [
      changing(H1, { variants: [{ customJS: js, data: H1 }] }),
      experiment({ test_id: 2, experiment_key: "two", variants: [{ customJS: "document.body.dataset.two = 1" }] }),
    ]);
    await given.page.waitFor(() => document.body.dataset.two === "1");
    assert.equal((await frames(given.page)).at(-1), "New");
  },
};

const policy = {
  name: "under a strict policy with trusted types",
  async run({ server, other, page }) {
    const js = "document.querySelector('p').dataset.ran = experiment.variant";
    const data = [
      { target: "h1", innerHTML: "<b>New</b>" },
      { refEl: "h1", dir: "a", htmlBlock: "<i>beside</i>" },
    ];
    const src = await serve(other, [
      changing(data, { variants: [{ data, customJS: js, customCSS: "h1 { color: red }" }] }),
    ]);
    const head = RECORD_FRAMES + tag(src);
    server.route("/", strict({ head, body: "<h1>Old</h1><p>text</p>" }, { trustedTypes: "muriel" }));
    await page.goto(server.url("/"));
    await page.waitFor(() => document.querySelector("p").dataset.ran === "Variant 1" && frames_.length > 0);
    assert.equal((await frames(page)).at(-1), "New in red");
    assert.deepEqual(await page.evaluate("seen"), { errors: [], rejections: [], blocked: [] });
  },
};

const routes = {
  name: "a change of address removes and adds arms",
  async run(given) {
    const { page, other } = given;
    const on = (path) => ({ url_rule: [{ url: path, rule: "simple", allowed: true }] });
    await open(
      given,
      [
        changing(H1, {
          targeting: on("/a"),
          variants: [
            {
              data: H1,
              customCSS: "h1 { color: red }",
              customJS: "experiment.onCleanup(() => document.body.dataset.left = 1)",
            },
          ],
        }),
        changing([{ target: "h1", innerText: "Other" }], { test_id: 2, experiment_key: "two", targeting: on("/b") }),
      ],
      { path: "/a" },
    );
    assert.equal((await frames(page)).at(-1), "New in red");
    await page.evaluate(() => history.pushState({}, "", "/b"));
    // The view does not change, so the first arm remains visible for a second.
    await page.waitFor(() => document.body.dataset.left === "1" && frames_.at(-1) === "Other");
    await page.evaluate(() => history.pushState({}, "", "/c"));
    await page.waitFor(() => frames_.at(-1) === "Old");
    await page.back();
    await page.waitFor(() => frames_.at(-1) === "Other");
    await settled(given);
    assert.deepEqual(exposures(other), [
      [1, "1"],
      [2, "1"],
    ]);
    assert.deepEqual(
      of(other, "pageview").map(({ url }) => new URL(url).pathname),
      ["/a", "/b", "/c", "/b"],
    );
  },
};

const redirected = {
  name: "a split test redirects with parameters and fragment, and is recorded once",
  async run({ server, other, page }) {
    const rule = { url_rule: [{ url: "/old", rule: "simple", allowed: true }] };
    const src = await serve(other, [
      changing([{ url: server.url("/new?x=own"), relay_param: true }], { test_type: "split", targeting: rule }),
    ]);
    server.route("/old", html({ head: RECORD_FRAMES + tag(src), body: "<h1>Old</h1>" }));
    server.route("/new", html({ head: RECORD_FRAMES + tag(src), body: "<h1>New page</h1>" }));
    await page.goto(server.url("/old?utm_source=mail&x=theirs#part"));
    await page.waitFor(() => location.pathname === "/new" && frames_.at(-1) === "New page");
    assert.equal(await page.evaluate("location.search + location.hash"), "?x=own&utm_source=mail#part");
    await other.received(({ events }) => events.some(({ type }) => type === "exposure"));
    await settled({ page, other });
    assert.deepEqual(exposures(other), [[1, "1"]]);
  },
};

const rounds = {
  name: "a page that redirects back does not loop forever",
  async run({ server, other, page }) {
    const rule = { url_rule: [{ url: "/old", rule: "simple", allowed: true }] };
    const src = await serve(other, [changing([{ url: server.url("/new") }], { test_type: "split", targeting: rule })]);
    server.route("/old", html({ head: RECORD_FRAMES + tag(src), body: "<h1>Old</h1>" }));
    server.route("/new", { status: 302, headers: { location: "/old" }, body: "" });
    await page.goto(server.url("/old"), { until: "commit" });
    await page.waitFor(() => document.readyState === "complete" && frames_.at(-1) === "Old");
    assert.ok(server.requests.filter(({ path }) => path === "/old").length <= 3);
  },
};

const domains = {
  name: "requests name the domain of the cookies, so that the server can renew them",
  async run(given) {
    const { other, page } = given;
    await open(given, [changing(H1)]);
    await settled(given);
    const domain = await page.evaluate(() => {
      const labels = location.hostname.split(".");
      const tried = labels.map((_, at) => labels.slice(-1 - at).join("."));
      return (
        tried.find((domain) => ((document.cookie = `probe=1; domain=${domain}`), document.cookie.includes("probe"))) ??
        ""
      );
    });
    assert.deepEqual([...new Set(other.batches.map(({ query }) => query))], [domain && `?d=${domain}`]);
  },
};

const consent = {
  name: "nothing is stored, sent or decided before consent, and nothing remains after a denial",
  async run(given) {
    const { page, other, server } = given;
    await open(given, [changing(H1)], { settings: { consent: "required" } });
    await page.evaluate(() => muriel.push(["track", "before"]));
    await page.waitFor(() => frames_.at(-1) === "Old");
    assert.deepEqual(await page.evaluate(() => [document.cookie, Object.keys(localStorage).length]), ["", 0]);
    assert.equal(other.batches.length, 0);
    await page.evaluate(() => muriel.push(["consent", true]));
    await other.received(({ events }) => events.some(({ name }) => name === "before"));
    assert.equal(other.batches[0].json.consent, "granted");
    // The experiment is decided on the next page.
    await page.goto(server.url("/"));
    await page.waitFor(() => frames_.at(-1) === "New");
    assert.match(await page.evaluate("document.cookie"), /muriel_id=/);
    await settled(given);
    await page.evaluate(() => muriel.push(["consent", false]));
    await page.waitFor(() => frames_.at(-1) === "Old");
    // Everything is erased except the answer, which applies to all hosts of the site.
    assert.equal(await page.evaluate("document.cookie"), "muriel_c=denied");
    assert.deepEqual(await page.evaluate("Object.entries(localStorage)"), [["muriel_c", "denied"]]);
    const sent = other.batches.length;
    await page.goto(server.url("/"));
    await page.waitFor(() => frames_.at(-1) === "Old");
    assert.equal(other.batches.length, sent);
  },
};

const driven = {
  name: "an automated browser sees the original and is not recorded",
  async run({ server, other, page }) {
    const src = await serve(other, [changing(H1)]);
    await page.goto(server.route("/", html({ head: RECORD_FRAMES + tag(src), body: "<h1>Old</h1>", human: false })));
    await page.waitFor(() => frames_.at(-1) === "Old");
    assert.equal(await page.evaluate("document.cookie"), "");
    // The page API exists nevertheless.
    assert.equal(
      await page.evaluate(() => (muriel.track("a"), muriel.push(["track", "b"]), muriel.variant("one"))),
      null,
    );
    assert.equal(other.batches.length, 0);
  },
};

const leaving = {
  name: "events that are recorded while the page is left arrive once",
  async run({ server, other, page }) {
    const src = await serve(other, [changing(H1)]);
    server.route("/next", html({ body: "<h1>Next</h1>" }));
    await page.goto(
      server.route(
        "/",
        html({
          head: RECORD_FRAMES + tag(src),
          body: `<h1>Old</h1><a href="/next" onclick="muriel.push(['track', 'left'])">go</a>`,
        }),
      ),
    );
    await page.click("a");
    await other.received(({ events }) => events.some(({ name }) => name === "left"));
    await page.waitFor(() => location.pathname === "/next");
    assert.equal(of(other, "custom").length, 1);
    assert.equal(new Set(other.events.map(({ id }) => id)).size, other.events.length);
  },
};

const soonLeft = {
  name: "a visitor who leaves at once has sent the health event",
  async run({ server, other, page }) {
    const src = await serve(other, [
      changing([], { variants: [{ customJS: "throw new Error('mine' + 'é'.repeat(300))" }] }),
    ]);
    server.route("/next", html({ body: "<h1>Next</h1>" }));
    await page.goto(server.route("/", html({ head: tag(src), body: "<a href='/next'>go</a>" })));
    await page.click("a");
    const isHealth = ({ type, errors }) => type === "health" && errors === 1;
    const said = await other.received(({ events }) => events.find(isHealth)?.error_message);
    // The thrown message, cut to the length that the server accepts.
    assert.match(said, /mineé/);
    assert.equal(said.length, 200);
  },
};

const again = {
  name: "events that the server did not accept are sent again with the same ids",
  async run(given) {
    const { other } = given;
    let calls = 0;
    other.route("/events/shop", () =>
      ++calls === 1
        ? { status: 503, headers: { "access-control-allow-origin": "*" }, body: "" }
        : { headers: { "access-control-allow-origin": "*" }, body: { success: true, results: [] } },
    );
    await open(given, [changing(H1)]);
    await other.received(() => calls >= 2);
    const [one, two] = other.batches.map(({ json }) => json.events.map(({ id }) => id));
    assert.notEqual(one.length, 0);
    assert.ok(one.every((id) => two.includes(id)));
  },
};

const where = {
  name: "elements that may change are hidden while the location is requested, until a timeout",
  async run(given) {
    const { page, other, server } = given;
    const inDenmark = { allowed_country: [{ name: "Denmark", code: "DK", rule: "whitelist" }] };
    const each = changing(H1, { targeting: inDenmark });
    const told = gate();
    const denmark = {
      headers: { "access-control-allow-origin": "*" },
      body: { country: "DK", region: null, city: null },
    };
    other.route("/geo/shop", async () => (await told, denmark));
    const src = await serve(other, [each]);
    server.route(
      "/",
      html({ head: MANUAL_TIMEOUT + RECORD_FRAMES + tag(src), body: `<h1>Old</h1><p>${"x".repeat(600)}</p>` }),
    );
    await page.goto(server.url("/"));
    await page.waitFor(() => frames_.length > 3);
    assert.deepEqual([...new Set(await frames(page))], ["(hidden)"]);
    told.open();
    await page.waitFor(() => frames_.at(-1) === "New");
    assert.ok(!(await frames(page)).includes("Old"));
    await settled(given);
    assert.deepEqual(exposures(other), [[1, "1"]]);
    // The location is requested once in a visit.
    const answer = gate();
    other.route("/geo/shop", async () => (await answer, denmark));
    await page.goto(server.url("/"));
    await page.waitFor(() => frames_.at(-1) === "New");
    // For another visitor the location arrives too late: the original stays, and the visitor is not counted.
    await page.goto(server.url("/", "second."));
    await page.waitFor(() => frames_.at(-1) === "(hidden)");
    await page.evaluate("expire()");
    await page.waitFor(() => frames_.at(-1) === "Old");
    answer.open();
    await other.received(({ events }) => events.some(({ type, late }) => type === "health" && late === 1));
    assert.ok(!(await frames(page)).includes("New"));
    await settled(given);
    assert.equal(of(other, "exposure").length, 1);
  },
};

const late = {
  name: "a change that arrives after first paint is not shown in any arm and is reported as late",
  async run({ server, other, page }) {
    const experiments = [changing(H1), asControl(changing(H1, { test_id: 2, experiment_key: "two" }))];
    const src = await serve(other, experiments);
    const body = `<h1>Old</h1><p>${"x".repeat(600)}</p>`;
    await page.goto(server.route("/", html({ head: RECORD_FRAMES, body })));
    await page.waitFor(() => frames_.length > 3 && performance.getEntriesByType("paint").length > 0);
    await page.evaluate((src) => document.head.append(Object.assign(document.createElement("script"), { src })), src);
    await other.received(
      ({ events }) => events.filter(({ type, late }) => type === "health" && late === 1).length === 2,
    );
    assert.deepEqual([...new Set(await frames(page))], ["Old"]);
    assert.equal(of(other, "exposure").length, 0);
    // On the next address, the arm is in time.
    await page.evaluate(() => history.pushState({}, "", "/next"));
    await page.waitFor(() => frames_.at(-1) === "New");
    await other.received(({ events }) => events.filter(({ type }) => type === "exposure").length === 2);
  },
};

const subdomains = {
  name: "a visitor has the same id on subdomains",
  async run(given) {
    const { server, page, other } = given;
    await open(given, [changing(H1)]);
    await settled(given);
    await page.goto(server.url("/", "www."));
    await settled(given);
    assert.equal(new Set(other.batches.map(({ json }) => json.visitor.id)).size, 1);
  },
};

const waits = {
  name: "with a trigger the exposure is recorded when it fires, in every arm",
  async run(given) {
    const { page, other } = given;
    const wait = { trigger_variant_change: "event:opened" };
    await open(given, [changing(H1, wait), asControl(changing(H1, { ...wait, test_id: 2, experiment_key: "two" }))]);
    await settled(given);
    assert.equal(of(other, "exposure").length, 0);
    await page.waitFor(() => frames_.at(-1) === "Old");
    await page.evaluate(() => dispatchEvent(new Event("opened")));
    await page.waitFor(() => frames_.at(-1) === "New");
    await settled(given);
    assert.deepEqual(exposures(other), [
      [1, "1"],
      [2, "0"],
    ]);
  },
};

const past = {
  name: "rules about events and attributes use what the page has sent",
  async run(given) {
    const { page, server } = given;
    const rule = {
      event_rule: [
        {
          rule: "equal",
          name: "read",
          attributes: [[{ key: "topic", operand: "==", value: "tea" }]],
          min_count: 2,
          timeframe_days: 0,
        },
      ],
    };
    const segment = { segment_rule: [[{ criteria: "plan", operator: "==", value: "pro" }]], ga4_rule: ["loyal"] };
    await open(
      given,
      [
        changing(H1, { targeting: rule }),
        changing([{ target: "p", innerText: "For you" }], { test_id: 2, experiment_key: "two", targeting: segment }),
      ],
      { body: "<h1>Old</h1><p>text</p>" },
    );
    await page.evaluate(() =>
      muriel.push(
        ["track", "read", { topic: "tea" }],
        ["track", "read", { topic: "milk" }],
        ["track", "read", { topic: "tea" }],
        ["identify", "u-1", { plan: "pro", audiences: ["loyal"] }],
      ),
    );
    await page.goto(server.url("/"));
    await page.waitFor(() => frames_.at(-1) === "New");
    await page.evaluate(() => muriel.push(["identify", "u-1", { audiences: ["loyal"] }]));
    await settled(given);
    const [identified] = of(given.other, "identify");
    assert.deepEqual(identified.attributes, { plan: "pro", user_id: "u-1" });
  },
};

export const tests = [
  domains,
  where,
  late,
  subdomains,
  waits,
  past,
  first,
  modules,
  control,
  sticky,
  isolated,
  loop,
  policy,
  routes,
  redirected,
  rounds,
  consent,
  driven,
  leaving,
  soonLeft,
  again,
];
