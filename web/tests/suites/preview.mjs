// Previews: one arm in its own tab, by a link that anybody may have crafted.

import assert from "node:assert/strict";
import { html, strict } from "../html.mjs";
import { changing, experiment, script, serve } from "../script.mjs";
import { gate, hang } from "../server.mjs";
import { CORS, H1, inline, MANUAL_TIMEOUT, site, tag, RECORD_FRAMES } from "../visit.mjs";

export const name = "preview";
export const isShared = true;

const LINK = "/?test-preview=7&test-variant=Variant_1&test-token=t.1";

const draft = (fields) =>
  experiment({
    test_id: 7,
    experiment_key: "draft",
    live: false,
    traffic_allocation: 0,
    variants: [{ data: H1 }],
    ...fields,
  });

const previewed = (each, more) => ({
  headers: CORS,
  body: { format: 1, hash: 1, project_key: "shop", experiments: [each], parts: ["changes"], ...more },
});

/** The live script lacks the parts that the draft needs. */
const LIVE = { parts: [] };

const badge = (page) => page.waitFor(() => [...document.body.children].some((each) => each.tagName === "DIV"));

const shown = {
  name: "a preview shows its arm in its tab, with a badge, and records nothing",
  async run(given) {
    const { server, other, page } = given;
    const before =
      inline(`window.told = []; window.muriel = [["on", "exposure", (each) => told.push(each)]];`) + RECORD_FRAMES;
    await site(given, ["/"], [changing([{ target: "h1", innerText: "Live" }])], { ...LIVE, before });
    other.route("/preview/shop/7", previewed(draft({ variants: [{}, { data: H1 }] })));
    await page.goto(server.url("/?a=1&test-preview=7&test-variant=Variant_2&test-token=t.1#part"));
    await page.waitFor(() => frames_.at(-1) === "New");
    await badge(page);
    assert.equal(other.requests.find(({ path }) => path === "/preview/shop/7").query, "?token=t.1");
    // The token is not visible to other scripts on the page.
    assert.equal(await page.evaluate("location.search + location.hash"), "?a=1#part");
    assert.deepEqual(await page.evaluate("told"), []);
    await page.goto(server.url("/"));
    await page.waitFor(() => frames_.at(-1) === "New");
    assert.equal(other.batches.length, 0);
    assert.equal(await page.evaluate("document.cookie"), "");
  },
};

/** Links that are not previews of this project: `test-preview`, and the server's responses. */
const CODE = { variants: [{ customJS: "document.documentElement.dataset.ran = 1" }] };
const STRANGE = [
  { test: "../prj_evil/666", path: "/preview/prj_evil/666" },
  { test: "../../ruleset/prj_evil", path: "/ruleset/prj_evil" },
  { test: "7/../../prj_evil/666", path: "/preview/prj_evil/666" },
  { test: "..%2Fprj_evil%2F666", path: "/preview/..%2Fprj_evil%2F666" },
  { test: "7", path: "/preview/shop/7", more: { project_key: "prj_evil" } },
  { test: "7", path: "/preview/shop/7", away: true },
];

const foreign = {
  name: "a preview link shows nothing of another project",
  async run(given) {
    const { server, other, page } = given;
    const src = await serve(other, [changing([{ target: "h1", innerText: "Live" }])]);
    server.route("/", strict({ head: tag(src), body: "<h1>Old</h1>" }));
    for (const { test, path, more = { project_key: "prj_evil" }, away } of STRANGE) {
      const answer = previewed(draft(CODE), away ? {} : more);
      other.routes.delete("/preview/shop/7");
      other.route(path, away ? { status: 302, headers: { ...CORS, location: "/away" }, body: "" } : answer);
      other.route("/away", answer);
      await page.goto(server.url(`/?test-preview=${encodeURIComponent(test)}&test-variant=Variant_1&test-token=t.1`));
      await badge(page);
      assert.deepEqual(
        await page.evaluate(() => [
          document.documentElement.dataset.ran ?? "",
          document.querySelector("h1").textContent,
        ]),
        ["", "Old"],
        test,
      );
    }
    // Checks that the same code runs in a valid preview.
    other.route("/preview/shop/7", previewed(draft(CODE)));
    await page.goto(server.url(LINK));
    await page.waitFor(() => document.documentElement.dataset.ran === "1");
  },
};

/** Exposes the badge's closed shadow root as `inside`. */
const OPENED = inline(`const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (how) { return (window.inside = attach.call(this, how)); };`);

/** An arm with everything for which a policy may require a policy name or a nonce. */
const STRICT = {
  data: [...H1, { target: "p", innerHTML: "<u>New</u>" }, { refEl: "h1", dir: "a", htmlBlock: "<em>block</em>" }],
  customCSS: "h1 { letter-spacing: 3px }",
  customJS: "document.documentElement.dataset.ran = experiment.variant",
};

/** The parts of the live script, and its experiments. */
const CARRIED = {
  nothing: [[], LIVE],
  "the parts that the preview needs": [[changing([{ target: "h1", innerHTML: "<b>Live</b>" }])], {}],
};

const typed = Object.entries(CARRIED).map(([what, [experiments, options]]) => ({
  name: `under a strict policy with trusted types, where the live script carries ${what}`,
  async run({ server, other, page }) {
    const src = await serve(other, experiments, options);
    other.route("/preview/shop/7", previewed(draft({ variants: [STRICT] })));
    server.route("/", strict({ head: OPENED + tag(src), body: "<h1>Old</h1><p>Old</p>" }, { trustedTypes: "muriel" }));
    await page.goto(server.url(LINK));
    await badge(page);
    await page.waitFor(() => document.documentElement.dataset.ran === "Variant 1");
    const seen = await page.evaluate(() => ({
      body: [...document.querySelectorAll("h1, em, u")].map(({ textContent }) => textContent),
      spacing: getComputedStyle(document.querySelector("h1")).letterSpacing,
      badge: [...inside.querySelectorAll("p")].map(({ textContent }) => textContent),
      ...window.seen,
    }));
    assert.deepEqual(seen, {
      body: ["New", "block", "New"],
      spacing: "3px",
      badge: ["Preview of experiment 7: Variant 1. Nothing is recorded."],
      errors: [],
      rejections: [],
      blocked: [],
    });
  },
}));

const slow = {
  name: "a preview shows its arm after first paint, too, and for every location",
  async run(given) {
    const { server, other, page } = given;
    const inDenmark = { allowed_country: [{ name: "Denmark", code: "DK", rule: "whitelist" }] };
    await site(given, ["/"], [], { ...LIVE, before: MANUAL_TIMEOUT + RECORD_FRAMES });
    const late = gate();
    other.route("/geo/shop", hang);
    const each = draft({ test_type: "personalization", variants: [{ data: H1, targeting: inDenmark }] });
    other.route("/preview/shop/7", async () => (await late, previewed(each)));
    await page.goto(server.url(LINK), { until: "dom" });
    await page.waitFor(() => frames_.at(-1) === "(hidden)");
    await page.evaluate("expire()");
    await page.waitFor(() => frames_.at(-1) === "Old");
    late.open();
    await page.waitFor(() => frames_.at(-1) === "New");
    await badge(page);
  },
};

/** Failures of a preview, after each of which the page is shown before the timeout. */
const FAILING = {
  "/js/parts/badge.js": { status: 404, body: "" },
  "/preview/shop/7": { status: 500, headers: CORS, body: "" },
  "/js/parts/changes.js": { status: 404, body: "" },
};

const failing = {
  name: "a preview that fails shows the page",
  async run(given) {
    const { server, other, page } = given;
    for (const [path, answer] of Object.entries(FAILING)) {
      await site(given, ["/"], [], { ...LIVE, before: MANUAL_TIMEOUT + RECORD_FRAMES });
      other.route("/preview/shop/7", previewed(draft()));
      other.route(path, answer);
      await page.goto(server.url(LINK), { until: "dom" });
      await page.waitFor(() => frames_.at(-1) === "Old");
    }
  },
};

/** Previews, and the text of the badge. In the last one, the page's policy forbids all requests. */
const SAYINGS = [
  { variant: { data: H1 }, says: ["Preview of experiment 7: Variant 1. Nothing is recorded."] },
  { variant: { customJS: "throw new Error('mine')" }, says: ["Preview of experiment 7", "mine"] },
  { variant: { customJS: "no JavaScript" }, says: ["Preview of experiment 7", "[Uu]nexpected|missing"] },
  {
    variant: { data: [...H1, { target: "#none", innerText: "x" }, { rm: ".gone" }] },
    says: ["Preview of experiment 7", "^matches nothing: #none, .gone$"],
  },
  {
    fields: { trigger_variant_change: "element:#late" },
    variant: { data: H1 },
    says: ["Its trigger: element:#late.$"],
  },
  { answer: { status: 404, headers: CORS, body: "" }, says: ["expired or is damaged"] },
  { answer: { status: 503, headers: CORS, body: "" }, says: ["the server answered 503"] },
  { policy: "connect-src 'none'", says: ["Content-Security-Policy or the network"] },
];

const telling = {
  name: "the badge names what fails",
  async run(given) {
    const { server, other, page } = given;
    for (const { variant, fields, answer, policy, says } of SAYINGS) {
      // Missing elements are reported at once instead of after five seconds.
      const soon = inline(
        "const later = setTimeout; window.setTimeout = (call, ms, ...more) => later(call, ms === 5000 ? 0 : ms, ...more);",
      );
      const body = `<h1>Old</h1>`;
      const src = await serve(other, [], LIVE);
      const head =
        OPENED + soon + (policy ? `<meta http-equiv="content-security-policy" content="${policy}">` : "") + tag(src);
      server.route("/", html({ head, body }));
      other.route("/preview/shop/7", answer ?? previewed(draft({ ...fields, variants: [variant ?? {}] })));
      await page.goto(server.url(LINK));
      const said = await page.waitFor(
        (least) => {
          const lines = [...(window.inside?.querySelectorAll("p") ?? [])].map((each) => each.textContent);
          return lines.length >= least && lines;
        },
        { args: [says.length] },
      );
      assert.equal(said.length, says.length, said.join("\n"));
      says.forEach((each, at) => assert.match(said[at], RegExp(each)));
    }
  },
};

/** Reports missing elements at once instead of after five seconds. */
const SOON = inline(
  "const later = setTimeout; window.setTimeout = (call, ms, ...more) => later(call, ms === 5000 ? 0 : ms, ...more);",
);

const reported = {
  name: "a preview tells the server which selectors matched, and nothing else",
  async run(given) {
    const { server, other, page } = given;
    const data = [...H1, { target: "#none", innerText: "x" }, { refEl: "p", dir: "a", htmlBlock: "<i>i</i>" }];
    const src = await serve(other, [], LIVE);
    server.route("/", html({ head: SOON + tag(src), body: "<h1>Old</h1><p>p</p>" }));
    other.route("/preview/shop/7", previewed(draft({ variants: [{ data }] })));
    other.route("/preview/shop/7/report", { headers: CORS, body: { success: true } });
    const reports = () => other.requests.filter(({ path }) => path === "/preview/shop/7/report");
    await page.goto(server.url(LINK));
    await other.received(() => reports().length === 1);
    const [{ method, json, headers }] = reports();
    assert.equal(method, "POST");
    assert.equal(headers.cookie, undefined);
    const url = server.url("/");
    assert.deepEqual(json, { token: "t.1", variant_id: 1, url, matched: ["h1", "p"], missing: ["#none"] });
    // If the server refuses the report, nothing changes.
    other.route("/preview/shop/7/report", { status: 500, headers: CORS, body: "" });
    await page.goto(server.url(LINK));
    await page.waitFor(() => document.querySelector("h1").textContent === "New");
    await other.received(() => reports().length === 2);
    assert.equal(other.batches.length, 0);
  },
};

/** Tells the server of the page when the page has dealt with the answer to a request. */
const ANSWERED = inline(
  "const real = fetch; window.fetch = (...given) => real(...given).finally(() => setTimeout(() => real('/answered')));",
);

/** Both scripts at once, or the second when the first has removed the link from the address and has its answer. */
const ways = ["fr", "de"].flatMap((project) => [
  { project, isLate: false, suffix: "" },
  { project, isLate: true, suffix: ", when the other script is late" },
]);
const twoProjects = ways.map(({ project, isLate, suffix }) => ({
  name: `on a page with the scripts of two projects a preview is of the one that has the experiment: ${project}${suffix}`,
  async run(given) {
    const { server, other, page } = given;
    const change = (innerText) => [changing([{ target: "h1", innerText }], { test_id: 1 })];
    const one = await serve(other, change("Live"), { project: "de" });
    const two = await serve(server, change("Vivant"), { project: "fr" });
    const first = gate();
    // Firefox holds the preview's requests back as long as it waits for a script that is not `async`.
    const second = tag(two, isLate ? "async" : "");
    if (isLate) {
      const body = await script(change("Vivant"), { project: "fr" });
      server.route("/js/fr.js", async () => (await first, { type: "text/javascript", body }));
    }
    server.route("/answered", () => (first.open(), { body: "" }));
    for (const [each, key] of [
      [other, "de"],
      [server, "fr"],
    ])
      each.route(
        `/preview/${key}/7`,
        key === project ? previewed(draft(), { project_key: key }) : { status: 404, headers: CORS, body: {} },
      );
    server.route("/", html({ head: ANSWERED + tag(one) + second, body: "<h1>Old</h1>" }));
    await page.goto(server.url(LINK));
    await page.waitFor(() => document.querySelector("h1").textContent === "New");
    await badge(page);
    // Both servers were asked, with the link that one of the scripts has removed from the address.
    for (const each of [other, server])
      await each.received(({ requests }) => requests.some(({ path }) => /preview/.test(path)));
    await page.waitFor((project) => Object.keys(sessionStorage).join() === `muriel_p_${project}`, { args: [project] });
    assert.equal(await page.evaluate("document.querySelectorAll('body > div').length"), 1);
    assert.equal(await page.evaluate("location.search"), "");
    assert.deepEqual([other.batches, server.batches], [[], []]);
  },
}));

export const tests = [shown, foreign, reported, ...typed, slow, failing, telling, ...twoProjects];
