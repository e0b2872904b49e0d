// Tools on the page are notified of exposures: each in its own way, once in a visit, never before consent.

import assert from "node:assert/strict";
import { html } from "../html.mjs";
import { changing, experiment, ruleset, serve } from "../script.mjs";
import { CORS, elapse, H1, inline, MANUAL_CLOCK, MANUAL_TIME, of, settled, site, tag } from "../visit.mjs";

export const name = "integrations";
export const isShared = true;

/** More than the timeout for a tool to appear, in milliseconds of the page's clock. */
const GIVEN_UP = 6_000;

const tools = (...names) => names.map((each) => (typeof each === "string" ? { name: each } : each));
const told = (fields, ...names) =>
  changing(H1, { test_id: 12, experiment_key: "boots", name: "Boots & more", tools: tools(...names), ...fields });

const FOUR = {
  experiment_id: "12",
  experiment_name: "Boots & more",
  variant_id: "1",
  variant_name: "Variant 1",
};
const VARIATION = {
  experiment_id: "12",
  experiment_name: "Boots & more",
  variation_id: "1",
  variation_name: "Variant 1",
};

/** Fake tools that record their calls in `got`, by name. */
const FAKES = `
  const got = (window.got = {});
  const keep = (name) => (...given) => void (got[name] ??= []).push(given);
  const put = (name, value) => (window[name] = value);
  put("gtag", keep("ga4"));
  put("dataLayer", { push: keep("gtm") });
  put("analytics", { track: keep("segment") });
  put("rudderanalytics", { track: keep("rudderstack") });
  put("mixpanel", { __SV: 1.2, track: keep("mixpanel") });
  put("amplitude", { track: keep("amplitude") });
  put("posthog", { capture: keep("posthog") });
  put("heap", { track: keep("heap"), addEventProperties: keep("heap") });
  put("_paq", { push: keep("matomo") });
  put("adobeDataLayer", { push: keep("adobe") });
  put("plausible", keep("plausible"));
  put("clarity", keep("clarity"));
  put("hj", keep("hotjar"));
  put("FS", keep("fullstory"));`;

const POSTHOG = {
  $feature_flag: "boots",
  $feature_flag_response: "variant-1",
  "$feature/boots": "variant-1",
  ...FOUR,
};
const MIXPANEL = {
  "Experiment name": "Boots & more",
  "Variant name": "Variant 1",
  experiment_id: "12",
  variant_id: "1",
};
const EXPOSURE = { flag_key: "boots", variant: "variant-1", ...FOUR };

/** The expected calls of each tool, as its documentation specifies them. */
const CALLS = {
  ga4: [["event", "experience_impression", { exp_variant_string: "MRL-12-1" }]],
  gtm: [[{ event: "experiment_viewed", ...FOUR }]],
  segment: [["Experiment Viewed", VARIATION]],
  rudderstack: [["Experiment Viewed", VARIATION]],
  mixpanel: [["$experiment_started", MIXPANEL]],
  amplitude: [["$exposure", EXPOSURE]],
  posthog: [
    ["$experiment_exposure", POSTHOG],
    ["$feature_flag_called", POSTHOG],
  ],
  heap: [[{ "Experiment boots": "Variant 1" }], ["Experiment Viewed", FOUR]],
  matomo: [[["trackEvent", "Experiment Viewed", "MRL-12 Boots & more", "MRL-12-1 Variant 1"]]],
  adobe: [[{ event: "experiment_viewed", experiment: FOUR }]],
  plausible: [["Experiment Viewed", { props: FOUR }]],
  clarity: [["set", "MRL-12", "Variant 1"]],
  hotjar: [["event", "MRL-12-1"]],
  fullstory: [["trackEvent", { name: "Experiment Viewed", properties: FOUR }]],
};
const ALL = Object.keys(CALLS);

const health = (other) => of(other, "health").filter(({ integrations }) => integrations);

const each = {
  name: "each tool is told in its own way, and the log is told which were",
  async run(given) {
    const { server, other, page } = given;
    await site(given, ["/"], [told({}, ...ALL)], { before: inline(FAKES) });
    await page.goto(server.url("/"));
    await page.waitFor((count) => Object.keys(got).length === count, { args: [ALL.length] });
    assert.deepEqual(JSON.parse(await page.evaluate("JSON.stringify(got)")), CALLS);
    await settled(given);
    const [event, ...more] = health(other);
    assert.deepEqual([event.test_id, event.variant_id, more.length], [12, "1", 0]);
    assert.deepEqual(event.integrations.split(" ").sort(), [...ALL].sort());
  },
};

const settings = {
  name: "settings give tools other names, events and fields, and the control is told too",
  async run(given) {
    const { server, page } = given;
    const wanted = [
      { name: "ga4", settings: { send_to: "G-1" } },
      { name: "gtm", settings: { data_layer: "layer", event: "seen" } },
      { name: "segment", settings: { global: "other" } },
      { name: "matomo", settings: { dimension: 3 } },
      { name: "plausible", settings: { event: "Test seen" } },
    ];
    const before = inline(`${FAKES}
      put("layer", { push: keep("layer") });
      put("other", { track: keep("other") });`);
    await site(given, ["/"], [told({ ranges: [[10_000, 0]] }, ...wanted, "posthog", "amplitude")], { before });
    await page.goto(server.url("/"));
    await page.waitFor("got.amplitude");
    const { ga4, layer, gtm, other, segment, matomo, plausible, posthog, amplitude } = await page.evaluate("got");
    assert.deepEqual(ga4, [["event", "experience_impression", { exp_variant_string: "MRL-12-0", send_to: "G-1" }]]);
    assert.deepEqual([layer[0][0].event, layer[0][0].variant_name, gtm], ["seen", "Control", undefined]);
    assert.deepEqual([other[0][1].variation_id, segment], ["0", undefined]);
    assert.deepEqual(matomo[0], [["setCustomDimension", 3, "MRL-12-0"]]);
    assert.equal(plausible[0][0], "Test seen");
    assert.deepEqual([posthog[0][1].$feature_flag_response, amplitude[0][1].variant], ["control", "control"]);
  },
};

const SIMPLE = inline(`
  window.got = JSON.parse(sessionStorage.got ?? "[]");
  const note = (tool, what) => { got.push(tool + " " + what); sessionStorage.got = JSON.stringify(got); };
  window.hj = (kind, name) => note("hotjar", name);`);
const LATER = inline(`window.plausible = (name, { props }) => note("plausible", props.experiment_id);`);

const once = {
  name: "a tool is told once in a visit, on the page where it is, and again in the next visit",
  async run(given) {
    const { server, page } = given;
    const experiments = [told({}, "hotjar", "plausible", "hotjar")];
    const src = await site(given, ["/", "/two"], experiments, { before: SIMPLE + MANUAL_CLOCK });
    server.route("/with", html({ head: SIMPLE + LATER + MANUAL_CLOCK + tag(src), body: "<h1>Old</h1>" }));
    for (const path of ["/", "/two", "/"]) {
      await page.goto(server.url(path));
      await page.waitFor("got[0]");
      await settled(given);
    }
    assert.deepEqual(await page.evaluate("got"), ["hotjar MRL-12-1"]);
    await page.goto(server.url("/with"));
    await page.waitFor("got[1]");
    await page.goto(server.url("/with"));
    await settled(given);
    assert.deepEqual(await page.evaluate("got"), ["hotjar MRL-12-1", "plausible 12"]);
    // The visit ends after half an hour.
    await page.goto(server.route("/nothing", html()));
    await page.evaluate(() => {
      const session = JSON.parse(localStorage.muriel_s_shop);
      localStorage.muriel_s_shop = JSON.stringify({ ...session, at: session.at - 1_900_000 });
    });
    await page.goto(server.url("/with"));
    await page.waitFor("got[3]");
    assert.deepEqual((await page.evaluate("got")).slice(2).sort(), ["hotjar MRL-12-1", "plausible 12"]);
  },
};

const late = {
  name: "a tool may come within five seconds",
  async run(given) {
    const { server, other, page } = given;
    const before = inline("window.got = []") + MANUAL_TIME;
    await site(given, ["/", "/none"], [told({}, "hotjar")], { before });
    await page.goto(server.url("/"));
    await page.waitFor("JSON.parse(localStorage.muriel_t_shop).owed[12]");
    // The tool is defined late, after it has been looked for.
    await elapse(page, 4_500);
    await page.evaluate(() => void (window.hj = (...call) => got.push(call)));
    await elapse(page, 400);
    assert.equal(await page.evaluate("got.length"), 1);
    await settled(given);
    assert.equal(health(other)[0].integrations, "hotjar");

    await page.evaluate(() => delete localStorage.muriel_t_shop);
    await page.goto(server.url("/none"));
    await page.waitFor("JSON.parse(localStorage.muriel_t_shop).owed[12]");
    await elapse(page, GIVEN_UP);
    // Given up, without an error.
    await page.waitFor("JSON.parse(localStorage.muriel_t_shop).owed[12] === undefined");
    await page.evaluate(() => void (window.hj = (...call) => got.push(call)));
    await elapse(page, GIVEN_UP);
    assert.deepEqual(await page.evaluate("[got, seen.errors]"), [[], []]);
  },
};

const consent = {
  name: "no tool is told before consent, nor after a denial",
  async run(given) {
    const { server, other, page } = given;
    const src = await serve(other, [told({}, "hotjar")], { settings: { consent: "memory" } });
    server.route("/", html({ head: SIMPLE + MANUAL_TIME + tag(src), body: "<h1>Old</h1>" }));
    await page.goto(server.url("/"));
    await page.waitFor(() => document.querySelector("h1").textContent === "New");
    await elapse(page, GIVEN_UP);
    assert.deepEqual(await page.evaluate("[got, Object.keys(localStorage)]"), [[], []]);
    await page.evaluate(() => muriel.push(["consent", true]));
    await page.waitFor("got[0]");
    await settled(given);
    assert.deepEqual(await page.evaluate("got"), ["hotjar MRL-12-1"]);
    assert.equal(health(other).length, 1);
    await page.evaluate(() => muriel.push(["consent", false]));
    assert.equal(await page.evaluate("localStorage.muriel_t_shop"), null);
    await page.goto(server.url("/"));
    await page.waitFor("!!window.muriel?.track");
    await elapse(page, GIVEN_UP);
    assert.deepEqual(await page.evaluate("got"), ["hotjar MRL-12-1"]);
  },
};

const required = {
  name: "where consent is required an arm that is met after it is told",
  async run(given) {
    const { server, other, page } = given;
    const src = await serve(other, [told({}, "hotjar")], { settings: { consent: "required" } });
    server.route("/", html({ head: SIMPLE + MANUAL_TIME + tag(src), body: "<h1>Old</h1>" }));
    await page.goto(server.url("/"));
    await page.waitFor("!!window.muriel?.track");
    await elapse(page, GIVEN_UP);
    assert.deepEqual(await page.evaluate("got"), []);
    await page.evaluate(() => muriel.push(["consent", true]));
    // Visible elements are not changed, so the exposure is on the next page.
    await page.goto(server.url("/"));
    await page.waitFor("got[0]");
  },
};

/** Tools that fail in different ways, next to some that work. */
const HOSTILE = `
  window.got = [];
  window.hj = (kind, name) => got.push(name);
  Object.defineProperty(window, "gtag", { get() { throw new Error("gtag"); } });
  window.clarity = () => { got.push("clarity"); throw new Error("clarity"); };
  window.analytics = { track: () => Promise.reject(new Error("segment")) };
  window.amplitude = { get track() { throw new Error("amplitude"); } };
  window.rudderanalytics = null;
  window.mixpanel = new Proxy({}, { get() { throw new Error("mixpanel"); } });
  window.posthog = { capture: () => ({ then() { throw new Error("then"); } }) };
  window.plausible = (name, { props }) => { for (const key of Object.keys(props)) props[key] = "changed"; };
  window._paq = "text";
  localStorage.muriel_t_shop = '{"id":"x","told":5,"owed":{"__proto__":3,"12":"y"}}';`;

const hostile = {
  name: "tools that throw disturb neither the page, the arm nor each other, and are not told again",
  async run(given) {
    const { server, other, page } = given;
    const names = ["ga4", "clarity", "segment", "amplitude", "rudderstack", "mixpanel", "posthog", "plausible"];
    const experiments = [told({}, ...names, "matomo", "constructor", "hotjar", "gtm")];
    await site(given, ["/", "/two"], experiments, { before: inline(HOSTILE) + MANUAL_TIME });
    await page.goto(server.url("/"));
    await page.waitFor("got[1]");
    assert.equal(await page.evaluate(() => document.querySelector("h1").textContent), "New");
    await settled(given);
    const [event] = health(other);
    assert.deepEqual(event.integrations.split(" ").sort(), ["hotjar", "plausible", "posthog", "segment"]);
    await elapse(page, GIVEN_UP);
    assert.deepEqual(await page.evaluate("[got.sort(), seen.errors, seen.rejections]"), [
      ["MRL-12-1", "clarity"],
      [],
      [],
    ]);
  },
};

const split = {
  name: "the page that a redirect leaves tells no tool, the one where it ends does",
  async run(given) {
    const { server, other, page } = given;
    const fields = {
      test_type: "split",
      variants: [{ data: [{ url: server.url("/new") }] }],
      targeting: { url_rule: [{ url: "/old", rule: "contain", allowed: true }] },
    };
    const left = inline(`window.hj = (...call) => navigator.sendBeacon("/left", JSON.stringify(call));`);
    const experiments = [told(fields, "hotjar")];
    await site(given, ["/old"], experiments, { before: left });
    const src = await serve(other, experiments);
    server.route("/new", html({ head: SIMPLE + tag(src), body: "<h1>Old</h1>" }));
    await page.goto(server.url("/old"), { until: "commit" });
    await page.waitFor(() => location.pathname === "/new" && window.got?.[0]);
    await settled(given);
    assert.deepEqual(await page.evaluate("got"), ["hotjar MRL-12-1"]);
    assert.ok(!server.requests.some(({ path }) => path === "/left"));
  },
};

const preview = {
  name: "a preview tells no tool",
  async run(given) {
    const { server, other, page } = given;
    await site(given, ["/"], [told({}, "hotjar")], { before: SIMPLE + MANUAL_TIME });
    const body = { ...ruleset([told({}, "hotjar")]), parts: ["changes", "tools"] };
    other.route("/preview/shop/12", { headers: CORS, body });
    await page.goto(server.url("/?test-preview=12&test-variant=Variant_1&test-token=t.1"));
    await page.waitFor(() => document.querySelector("h1").textContent === "New");
    await elapse(page, GIVEN_UP);
    assert.deepEqual(await page.evaluate("got"), []);
    assert.equal(other.batches.length, 0);
  },
};

/** A page with a policy that prevents it from reaching the internet. */
const page = (origins, head) => ({
  headers: {
    "content-security-policy": `script-src 'unsafe-inline' ${origins}; connect-src ${origins}; img-src data: ${origins}; frame-src 'none'; worker-src blob: ${origins}`,
  },
  body: html({ head, body: "<h1>Old</h1>" }),
});

/** The decoded requests to the network stub of a tool, in any of its encodings. */
const cameTo = (server, tool) =>
  server.requests
    .filter(({ method, path }) => method === "POST" && path.startsWith(`/stub/${tool}`))
    .map(({ body, json }) => json ?? bodyOf(body));

function bodyOf(body) {
  const data = new URLSearchParams(body).get("data");
  try {
    return JSON.parse(data ?? "null") ?? body;
  } catch {
    return JSON.parse(Buffer.from(data, "base64").toString());
  }
}

/** For each library, the events in a request to its network, as names with properties. */
const EVENTS = {
  segment: (body) => [[body.event, body.properties]],
  rudderstack: (body) => [body.event ? [body.event, body.properties] : []],
  mixpanel: (body) => [body].flat().map(({ event, properties }) => [event, properties]),
  amplitude: (body) => body.events.map((event) => [event.event_type, event.event_properties]),
  posthog: (body) => [body.batch ?? body.data ?? body].flat().map(({ event, properties }) => [event, properties]),
  plausible: (body) => [[body.n, body.p ?? body.props]],
  adobe: (body) => [[body.event, body.experiment]],
  // Rows of numbers and texts: a row of custom tags has names and lists of values.
  clarity: (body) => (body.p ?? []).concat(body.a ?? []).map((row) => ["row", row]),
};

/** The documented events, separated by commas, with their values; `clarity` has a row of another form. */
const REAL = {
  segment: ["Experiment Viewed", VARIATION],
  rudderstack: ["Experiment Viewed", VARIATION],
  mixpanel: ["$experiment_started", MIXPANEL],
  amplitude: ["$exposure", EXPOSURE],
  posthog: ["$experiment_exposure, $feature_flag_called", POSTHOG],
  plausible: ["Experiment Viewed", FOUR],
  adobe: ["experiment_viewed", { ...FOUR }],
};

const has = (properties, wanted) =>
  Object.entries(wanted).every(([key, value]) => properties?.[key] === value) ? properties : undefined;

/** Opens a page with the script and then the library, whose network is at `/stub/`. */
async function opened({ server, other, page: tab, bundle }, tool, module) {
  server.route("/library.js", await bundle(`web/tests/tools/${module}.mjs`, "Library"));
  // One response for all tools. Amplitude's library retries requests whose response has no `code`.
  server.route("/stub/*", { body: { status: "ok", code: 200, featureFlags: {} }, headers: CORS });
  const src = await serve(other, [told({}, tool)]);
  const start = `Library.${tool}(location.origin).then((value) => (window.started = value ?? true), (why) => seen.errors.push(String(why)))`;
  const head = `${tag(src)}<script src="/library.js"></script>${inline(start)}`;
  server.route("/", page(`${server.origin} ${other.origin}`, head));
  await tab.goto(server.url("/"));
}

const library = (tool) => ({
  name: `the published library of ${tool} sends what its documentation asks for`,
  async run(given) {
    const { server, page: tab } = given;
    await opened(given, tool, "libraries");
    const [names, wanted] = REAL[tool];
    const sent = () => cameTo(server, tool).flatMap(EVENTS[tool]);
    for (const name of names.split(", "))
      await server.received(() => sent().some(([event, properties]) => event === name && has(properties, wanted)));
    await settled(given);
    for (const name of names.split(", ")) assert.equal(sent().filter(([event]) => event === name).length, 1, name);
    assert.deepEqual(await tab.evaluate("seen.errors"), []);
  },
});

const clarity = {
  name: "the published library of clarity sends the tag",
  async run(given) {
    const { server, page: tab } = given;
    await opened(given, "clarity", "libraries");
    // Clarity sends tags together with the next activity on the page.
    await tab.evaluate(() => void setInterval(() => document.body.append("."), 200));
    await server.received(() => JSON.stringify(cameTo(server, "clarity")).includes('"MRL-12",["Variant 1"]'));
  },
};

const STUBS = {
  clarity: ["set", "MRL-12", "Variant 1"],
  hotjar: ["event", "MRL-12-1"],
  fullstory: ["trackEvent", { name: "Experiment Viewed", properties: FOUR }],
};

const stub = (tool) => ({
  name: `what the published package of ${tool} keeps for its script has the call`,
  async run(given) {
    const { page: tab } = given;
    await opened(given, tool, "stubs");
    await tab.waitFor("!!window.started");
    const isThere = (wanted) => started().some((call) => JSON.stringify(call).includes(wanted));
    await tab.waitFor(isThere, { args: [JSON.stringify(STUBS[tool]).slice(1, -1)] });
  },
});

/** The snippets of Google's tag and of tag managers, which both use one list of entries. */
const layer = {
  name: "a list of Google's tag has the event, and one of a tag manager the values",
  async run(given) {
    const { server, page: tab } = given;
    const before = inline(`
      window.dataLayer = window.dataLayer || [];
      function gtag() { dataLayer.push(arguments); }
      gtag("js", new Date(0));
      gtag("config", "G-1");`);
    await site(given, ["/"], [told({}, "ga4", "gtm")], { before });
    await tab.goto(server.url("/"));
    await tab.waitFor("dataLayer.length === 4");
    const entries = await tab.evaluate(() =>
      dataLayer.slice(2).map((entry) => (entry.event ? entry : [Object.prototype.toString.call(entry), ...entry])),
    );
    assert.deepEqual(entries, [
      ["[object Arguments]", "event", "experience_impression", { exp_variant_string: "MRL-12-1" }],
      { event: "experiment_viewed", ...FOUR },
    ]);
  },
};

const plain = {
  name: "an experiment without tools is told to none, and one whose arm is not met neither",
  async run(given) {
    const { server, page: tab } = given;
    const waiting = told({ trigger_variant_change: "event:never" }, "hotjar");
    await site(given, ["/"], [experiment({ test_id: 3 }), waiting], { before: SIMPLE + MANUAL_TIME });
    await tab.goto(server.url("/"));
    await settled(given);
    await elapse(tab, GIVEN_UP);
    assert.deepEqual(await tab.evaluate("[got, localStorage.muriel_t_shop ?? null]"), [[], null]);
  },
};

export const tests = [
  each,
  settings,
  once,
  late,
  consent,
  required,
  hostile,
  split,
  preview,
  layer,
  plain,
  ...Object.keys(REAL).map(library),
  clarity,
  ...Object.keys(STUBS).map(stub),
];
