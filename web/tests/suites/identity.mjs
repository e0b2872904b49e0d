// The visitor's identity across pages, in parallel and in sequence, and the effect of consent on it.

import assert from "node:assert/strict";
import { html } from "../html.mjs";
import { asControl, changing, experiment } from "../script.mjs";
import { at, MANUAL_CLOCK, cookies, exposures, H1, heading, inline, of, pathOf, settled, site } from "../visit.mjs";

export const name = "identity";
export const isShared = true;

/** One experiment on /a and another on /b. */
const BOTH = [
  changing(H1, { targeting: at("/a") }),
  changing(H1, { test_id: 2, experiment_key: "two", targeting: at("/b") }),
];

const follow = async (page, path) => {
  await page.evaluate((to) => void setTimeout(() => location.assign(to)), path);
  await page.waitFor((to) => location.pathname === to && document.readyState === "complete" && !!window.muriel?.track, {
    args: [path],
  });
};

const visitors = (server, from = 0) => [...new Set(server.batches.slice(from).map(({ json }) => json.visitor.id))];

/** Checks that the page sends nothing: records an event, and makes the page send its queue. */
async function tellsNothing({ page, other, server }) {
  const before = other.batches.length;
  await page.evaluate(() => {
    muriel.push(["track", "untold"]);
    dispatchEvent(new Event("online"));
    dispatchEvent(new Event("pagehide"));
  });
  // Sent by the same page, so this arrives after any other requests of the page.
  await page.evaluate((url) => void navigator.sendBeacon(url), server.url(`/asked-${before}`));
  await server.received(({ requests }) => requests.some(({ path }) => path === `/asked-${before}`));
  assert.deepEqual(other.batches.slice(before), []);
}

/** Counts reads of cookies, which block the page. */
const READS = inline(`
  reads = 0;
  const { get, set } = Object.getOwnPropertyDescriptor(Document.prototype, "cookie");
  Object.defineProperty(Document.prototype, "cookie", { configurable: true, set, get() { reads += 1; return get.call(this); } });`);

const costs = {
  name: "writing a new visitor's first cookies reads cookies once, after the read that recognises the visitor",
  async run(given) {
    const { page, server } = given;
    await site(given, ["/a", "/b"], BOTH, { before: READS, head: inline("first = reads") });
    await page.goto(server.url("/a"));
    // Checked before later work: cookies may be read once in each second of the visit.
    assert.equal(await page.evaluate("first"), 2);
    await settled(given);
    const { muriel_id, muriel_a_shop } = await cookies(page);
    assert.match(muriel_id, /^[0-9a-f-]{36}$/);
    assert.equal(muriel_a_shop, "1.1");
    await follow(page, "/b");
    assert.equal(await page.evaluate("first"), 1, "who was here before");
    await settled(given);
    assert.equal((await cookies(page)).muriel_id, muriel_id);
  },
};

const back = {
  name: "a page from the back-forward cache knows what other pages stored and recorded",
  needs: ["backForwardCache"],
  async run(given) {
    const { page, server, other } = given;
    await site(given, ["/a", "/b"], BOTH);
    await page.goto(server.url("/a"));
    await settled(given);
    await page.evaluate("void (window.mark = 7)");
    await follow(page, "/b");
    await settled(given);
    assert.equal((await cookies(page)).muriel_a_shop, "1.1~2.1");
    await page.back();
    assert.equal(await page.evaluate("window.mark"), 7);
    await settled(given);
    assert.equal((await cookies(page)).muriel_a_shop, "1.1~2.1");
    await follow(page, "/b");
    await settled(given);
    assert.deepEqual(exposures(other), [
      [1, "1"],
      [2, "1"],
    ]);
    // Going back does not undo a denial.
    await page.evaluate(() => muriel.push(["consent", false]));
    await page.back();
    assert.equal(await page.evaluate("window.mark"), 7);
    await page.waitFor(() => document.querySelector("h1").textContent === "Old");
    await tellsNothing(given);
    assert.deepEqual(await cookies(page), { muriel_c: "denied" });
    assert.deepEqual(await page.evaluate("Object.keys(localStorage)"), ["muriel_c"]);
  },
};

const tabs = {
  name: "two tabs are one visitor, and a denial in one holds in both",
  async run(given) {
    const { page, server, other } = given;
    await site(given, ["/a", "/b"], BOTH);
    await page.goto(server.url("/a"));
    await settled(given);
    const tab = await page.tab();
    await tab.goto(server.url("/b"));
    await settled({ page: tab, other });
    await page.waitFor(() => /muriel_a_shop=1.1~2.1/.test(document.cookie));
    await page.evaluate(() => muriel.push(["identify", "u-1", { plan: "pro" }]));
    await settled(given);
    assert.equal((await cookies(page)).muriel_a_shop, "1.1~2.1");
    // As if a new visitor opened two tabs at once: neither tab reads the other's id before it creates its own.
    await tab.goto(server.route("/empty", html()));
    await page.evaluate(
      (hosts) => {
        for (const name of ["muriel_id", "muriel_a_shop"])
          for (const host of hosts) document.cookie = `${name}=; max-age=0; path=/${host}`;
        localStorage.clear();
      },
      ["", `; domain=${server.host}`],
    );
    await tab.goto(server.url("/b"));
    await settled({ page: tab, other });
    const from = other.batches.length;
    const { muriel_id } = await cookies(tab);
    await page.waitFor((id) => document.cookie.includes(id), { args: [muriel_id] });
    for (const each of [page, tab, page]) await settled({ page: each, other });
    assert.deepEqual(visitors(other, from), [muriel_id]);
    assert.equal((await cookies(tab)).muriel_id, muriel_id);
    await tab.evaluate(() => muriel.push(["consent", false]));
    // The script caches cookies for a second. It detects changes by local storage, which arrives from another process.
    await page.waitFor(() => document.cookie === "muriel_c=denied" && localStorage.muriel_c != null);
    await tellsNothing(given);
    assert.deepEqual(await cookies(page), { muriel_c: "denied" });
  },
};

const hosts = {
  name: "a denial holds on all hosts of the site",
  async run(given) {
    const { page, server, other } = given;
    await site(given, ["/"], [changing(H1)]);
    await page.goto(server.url("/"));
    await settled(given);
    await page.goto(server.url("/", "www."));
    await settled(given);
    await page.evaluate(() => muriel.push(["consent", false]));
    const sent = other.batches.length;
    await page.goto(server.url("/"));
    assert.equal(await heading(page), "Old");
    await tellsNothing(given);
    assert.equal(other.batches.length, sent);
    assert.deepEqual(await cookies(page), { muriel_c: "denied" });
    assert.equal(await page.evaluate("localStorage.muriel_id"), null);
  },
};

const privacy = {
  name: "turning on Global Privacy Control erases what was stored before",
  async run(given) {
    const { page, server } = given;
    const before = inline(
      `Object.defineProperty(Navigator.prototype, "globalPrivacyControl", { get: () => location.search === "?gpc" });`,
    );
    await site(given, ["/"], [changing(H1)], { before, settings: { gpc: true } });
    await page.goto(server.url("/"));
    await settled(given);
    assert.equal(await heading(page), "New");
    await page.goto(server.url("/?gpc"));
    assert.equal(await heading(page), "Old");
    await tellsNothing(given);
    assert.deepEqual(await cookies(page), {});
    assert.deepEqual(await page.evaluate("Object.keys(localStorage)"), []);
  },
};

/** Arguments of `consent` that a page may push before the script, with true for those that grant consent. */
const ANSWERS = [
  ["denied", false],
  ["no", false],
  [1, false],
  [null, false],
  [false, false],
  [true, true],
  ["granted", true],
];

const words = {
  name: "only an explicit grant counts as consent, also if it was pushed before the script",
  async run(given) {
    const { page, server, other } = given;
    const before = inline(`window.muriel = [["consent", JSON.parse(decodeURIComponent(location.search.slice(1)))]];`);
    await site(given, ["/"], [changing(H1)], { before, settings: { consent: "required" } });
    for (const [said, isYes] of ANSWERS) {
      await page.goto(server.url(`/?${encodeURIComponent(JSON.stringify(said))}`));
      const { muriel_c, muriel_id } = await cookies(page);
      const what = [await heading(page), muriel_c, !!muriel_id];
      assert.deepEqual(what, isYes ? ["New", "granted", true] : ["Old", "denied", false], `${said}`);
    }
    await settled(given);
    assert.deepEqual(exposures(other), [[1, "1"]]);
    assert.deepEqual(
      of(other, "health").filter(({ late }) => late),
      [],
    );
  },
};

/** Stored sessions of another version of the script, or written by other code. */
const WRITTEN = ["null", "5", "[]", "{}", "{", `{"at":${Date.now()}}`, `{"at":${Date.now()},"id":"x","more":[{}]}`];

const shapes = {
  name: "with an invalid stored session the page still gets its arm",
  async run(given) {
    const { page, server, other } = given;
    const before = inline(
      `if (location.search) localStorage.muriel_s_shop = decodeURIComponent(location.search.slice(1));`,
    );
    await site(given, ["/"], [changing(H1)], { before });
    await page.goto(server.url("/"));
    for (const text of WRITTEN) {
      await page.goto(server.url(`/?${encodeURIComponent(text)}`));
      assert.equal(await heading(page), "New", text);
    }
    await settled(given);
    assert.equal(of(other, "pageview").length, WRITTEN.length + 1);
  },
};

const visits = {
  name: "a session ends on a page that stays open",
  async run(given) {
    const { page, server, other } = given;
    await site(given, ["/"], [changing(H1)], { before: MANUAL_CLOCK });
    await page.goto(server.url("/"));
    await settled(given);
    for (const [minutes, path] of [
      [29, "/b"],
      [31, "/c"],
    ]) {
      await page.evaluate((ms, path) => (ahead(ms), history.pushState({}, "", path)), Number(minutes) * 60_000, path);
      await settled(given);
    }
    const [first, second, third] = of(other, "pageview").map(({ session }) => session);
    assert.equal(first, second);
    assert.notEqual(second, third);
  },
};

const paused = {
  name: "the arm is kept while its experiment is paused",
  async run(given) {
    const { page, server } = given;
    const [one, two, three] = [
      changing(H1),
      ...[2, 3].map((test_id) => changing([], { test_id, experiment_key: `e${test_id}` })),
    ];
    for (const each of [
      [one, two],
      [two, three],
      [asControl(one), two],
    ]) {
      await site(given, ["/"], each);
      await page.goto(server.url("/"));
      await settled(given);
    }
    assert.equal(await heading(page), "New");
  },
};

const known = {
  name: "identify holds for the session, and a user who logs out is forgotten",
  async run(given) {
    const { page, server, other } = given;
    const loyal = changing(H1, { targeting: { ga4_rule: ["loyal"] } });
    const pro = changing([{ target: "p", innerText: "Pro" }], {
      test_id: 2,
      experiment_key: "two",
      targeting: { segment_rule: [[{ criteria: "plan", operator: "==", value: "pro" }]] },
    });
    await site(given, ["/"], [loyal, pro], { body: "<h1>Old</h1><p>Free</p>" });
    await page.goto(server.url("/"));
    await page.evaluate(() => muriel.push(["identify", "u-1", { plan: "pro", audiences: ["loyal"] }]));
    await settled(given);
    await page.goto(server.url("/"));
    assert.deepEqual(
      [await heading(page), await page.evaluate("document.querySelector('p').textContent")],
      ["New", "Pro"],
    );
    // `identify(null)` in one tab applies to all tabs.
    const tab = await page.tab();
    await tab.goto(server.url("/"));
    await page.evaluate(() => muriel.push(["identify", null]));
    await settled(given);
    await tab.waitFor(() => !/user_id/.test(localStorage.muriel_s_shop));
    for (const each of [tab, page]) {
      await settled({ page: each, other });
      assert.deepEqual(other.batches.at(-1).json.visitor.attributes, { plan: "pro" });
    }
  },
};

const nobody = {
  name: "a visitor who cannot be recognised again gets no arm and is not counted",
  async run(given) {
    const { page, server } = given;
    const before = inline(`
      Object.defineProperty(Document.prototype, "cookie", { get: () => "", set() {} });
      for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get() { throw new DOMException("no", "SecurityError"); } });`);
    await site(
      given,
      ["/"],
      [changing(H1), experiment({ test_id: 2, experiment_key: "two", variants: [{ customCSS: "h1 { color: red }" }] })],
      { before },
    );
    await page.goto(server.url("/"));
    assert.equal(await heading(page), "Old");
    await tellsNothing(given);
    assert.deepEqual(await page.evaluate("[seen.errors, seen.rejections]"), [[], []]);
  },
};

const suffixes = {
  name: "below a public suffix of two labels the visitor is the same on all hosts, and cookies are renewed",
  needs: ["suffixes"],
  async run(given) {
    const { page, server, other } = given;
    // A separate site, so that visitors of other tests have other cookies. After a day, cookies are written again.
    server.host = "fixture.co.uk";
    const before =
      MANUAL_CLOCK +
      inline(`
      if (location.pathname === "/next") ahead(25 * 3600 * 1000);
      const { get, set } = Object.getOwnPropertyDescriptor(Document.prototype, "cookie");
      window.written = [];
      Object.defineProperty(Document.prototype, "cookie", { get, set(text) { written.push(text); set.call(this, text); } });`);
    await site(given, ["/", "/next"], [changing(H1)], { before });
    for (const url of [server.url("/", "www."), server.url("/next", "www."), server.url("/")]) {
      await page.goto(url);
      await settled(given);
      const renewed = (await page.evaluate("written")).filter((text) =>
        /^muriel_(id|a_shop)=.*max-age=34560000; domain=fixture.co.uk$/.test(text),
      );
      assert.deepEqual([...new Set(renewed.map((text) => text.split("=")[0]))].sort(), ["muriel_a_shop", "muriel_id"]);
    }
    assert.deepEqual([...new Set(other.batches.map(({ query }) => query))], ["?d=fixture.co.uk"]);
    assert.equal(visitors(other).length, 1);
    assert.deepEqual(of(other, "pageview").map(pathOf), ["/", "/next", "/"]);
  },
};

export const tests = [costs, back, tabs, hosts, privacy, words, shapes, visits, paused, known, nobody, suffixes];
