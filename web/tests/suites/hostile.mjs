// Pages that shadow globals or disable styles or storage, and user agents that resemble those of crawlers.

import assert from "node:assert/strict";
import { html } from "../html.mjs";
import { changing, serve, snippet } from "../script.mjs";
import { hang } from "../server.mjs";
import { exposures, H1, heading, inline, MANUAL_TIMEOUT, of, settled, site, tag } from "../visit.mjs";

export const name = "hostile";
export const isShared = true;

/** Each row: what a page contains or does before the script. The page gets its arm nevertheless. */
const PAGES = {
  "an element of the script's name": { before: `<div id="muriel"></div>` },
  "a form that is called as what the script uses": { before: `<form name="cookie"></form>` },
  "something else under the script's name": { before: inline(`window.muriel = { push: 1 };`) },
  "no constructed style sheets": {
    before: inline(`window.CSSStyleSheet = function () { throw new TypeError("Illegal constructor"); };`),
  },
  "no storage, but cookies": {
    before: inline(
      `Object.defineProperty(window, "localStorage", { get() { throw new DOMException("no", "SecurityError"); } });`,
    ),
  },
  "storage that is full": {
    before: inline(
      `for (let size = 1 << 22; size; size >>= 1) try { localStorage["full" + size] = "x".repeat(size); } catch {}`,
    ),
  },
  "a sealed history": { before: inline(`Object.freeze(history);`) },
};

const pages = Object.entries(PAGES).map(([what, { before }]) => ({
  name: `a page with ${what} gets its arm`,
  async run(given) {
    const { page, server, other } = given;
    const styled = changing(H1, { variants: [{ data: H1, customCSS: "h1 { color: red }" }] });
    const src = await serve(other, [styled]);
    // The script is in the body, so that named elements exist before it. The page counts as not painted yet.
    const head = inline("performance.getEntriesByType = () => [];");
    await page.goto(server.route("/", html({ head, body: `${before}<h1>Old</h1>${tag(src)}<p>more</p>` })));
    await settled(given);
    assert.deepEqual(
      await page.evaluate(() => [
        document.querySelector("h1").textContent,
        getComputedStyle(document.querySelector("h1")).color,
      ]),
      ["New", "rgb(255, 0, 0)"],
    );
    assert.deepEqual(exposures(other), [[1, "1"]]);
    assert.deepEqual(await page.evaluate("[seen.errors, seen.rejections]"), [[], []]);
  },
}));

const unstyled = {
  name: "the snippet hides and shows in browsers without constructed style sheets",
  async run({ page, server }) {
    const before = inline(`window.CSSStyleSheet = function () { throw new TypeError("Illegal constructor"); };`);
    const look = () => getComputedStyle(document.querySelector("h1")).visibility;
    await page.goto(
      server.route(
        "/",
        html({ head: MANUAL_TIMEOUT + before + inline(await snippet()), body: "<h1 data-muriel>Old</h1>" }),
      ),
    );
    assert.equal(await page.evaluate(look), "hidden");
    await page.evaluate("muriel.show()");
    assert.equal(await page.evaluate(look), "visible");
    assert.deepEqual(await page.evaluate("seen.errors"), []);
  },
};

const selectors = {
  name: "an invalid selector does not hide other elements",
  async run(given) {
    const { page, server, other } = given;
    other.route("/geo/shop", hang);
    const inDenmark = { allowed_country: [{ name: "Denmark", code: "DK", rule: "whitelist" }] };
    const data = [
      { target: "a{}*", innerText: "x" },
      { target: "h1", innerText: "New" },
      { target: "p]", innerText: "x" },
    ];
    await site(given, ["/"], [changing(data, { targeting: inDenmark })], {
      before: MANUAL_TIMEOUT,
      body: "<h1>Old</h1><h2>Beside</h2>",
    });
    await page.goto(server.url("/"));
    const look = () => ["h1", "h2"].map((each) => getComputedStyle(document.querySelector(each)).visibility);
    assert.deepEqual(await page.evaluate(look), ["hidden", "visible"]);
  },
};

const CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36";

/** User agents, with true for those of visitors. */
const AGENTS = [
  [`Mozilla/5.0 (Linux; Android 13; CUBOT NOTE 20) ${CHROME}`, true],
  [`Mozilla/5.0 (Linux; Android 13; CUBOT_X18_Plus) ${CHROME}`, true],
  [`Mozilla/5.0 (Linux; Android 8.1.0; M BOT 551) ${CHROME}`, true],
  [`Mozilla/5.0 (Linux; Android 8.1.0; M BOT 551 Build/O11019; wv) ${CHROME}`, true],
  [`Mozilla/5.0 (Linux; Android 7.0; IDbot553) ${CHROME}`, true],
  [`Mozilla/5.0 (Linux; U; Android 6.0; de-de; Bot 500 Build/MRA58K) ${CHROME}`, true],
  [`Mozilla/5.0 (Linux; Android 13; Pixel 7) ${CHROME}`, true],
  [
    `Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) ${CHROME} (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`,
    false,
  ],
  [`Mozilla/5.0 (Linux; Android 10; K; NewBot/1.0) ${CHROME}`, false],
  [`Mozilla/5.0 (Linux; Android 10; M BOT 551) ${CHROME} NewBot`, false],
  ["Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", false],
  ["Mozilla/5.0 (compatible; AnyBot; +http://any.example)", false],
  [
    `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0.0.0 Safari/537.36`,
    false,
  ],
];

const agents = {
  name: "declared crawlers see the original, phones with similar names do not",
  async run(given) {
    const { page, server } = given;
    const before = inline(
      `Object.defineProperty(Navigator.prototype, "userAgent", { get: () => decodeURIComponent(location.search.slice(1)) });`,
    );
    await site(given, ["/"], [changing(H1)], { before });
    for (const [agent, isVisitor] of AGENTS) {
      await page.goto(server.url(`/?${encodeURIComponent(agent)}`));
      assert.equal(await heading(page), isVisitor ? "New" : "Old", `${agent}`);
    }
  },
};

const twice = {
  name: "a script that is twice on a page runs once",
  async run(given) {
    const { page, server, other } = given;
    const src = await serve(other, [changing([{ refEl: "h1", dir: "a", htmlBlock: "<i>x</i>" }])]);
    await page.goto(server.route("/", html({ head: tag(src) + tag(src), body: "<h1>Old</h1>" })));
    await settled(given);
    assert.equal(await page.evaluate("document.querySelectorAll('i').length"), 1);
    assert.deepEqual([exposures(other), of(other, "pageview").length], [[[1, "1"]], 1]);
  },
};

/** Hosts of links, with true for those that leave the site. */
const LINKS = [
  ["www.", false],
  ["", false],
  ["elsewhere.", true],
];

const external = {
  name: "the same host with www. is not another site",
  async run(given) {
    const { page, server, other } = given;
    const links = LINKS.map(
      ([host], index) =>
        `<p><a id="a${index}" href="${server.url("/there", host)}" onclick="event.preventDefault()">go</a></p>`,
    );
    await site(given, ["/"], [], {
      body: links.join(""),
      goals: [{ goal_key: "g", goal_type: "externalLink", goal_value: "there" }],
    });
    await page.goto(server.url("/"));
    for (const index of LINKS.keys()) await page.click(`#a${index}`);
    await settled(given);
    const told = other.events.filter(({ type }) => type === "click").map(({ href }) => href);
    assert.deepEqual(
      told,
      LINKS.filter(([, leads]) => leads).map(([host]) => server.url("/there", host)),
    );
  },
};

export const tests = [...pages, unstyled, selectors, agents, twice, external];
