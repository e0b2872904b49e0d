// The shop of `muriel demo`: the live experiments that visitors see, from the first frame to the last.

import assert from "node:assert/strict";
import { Shop, steadiness, watching } from "../shop.mjs";

export const name = "shop";
export const isShared = true;

/**
 * Pages on which experiments change something: the arms of their visitor, by the experiments' keys, and the places
 * where loading the page pauses, within and after changed elements.
 */
const PAGES = [
  {
    path: "/",
    arms: { "home-hero": 1, "home-for-you": 2, "trust-row": 1 },
    cuts: ["Made for the d", "Not sure", "Answer thr", ">Find your"], // typos: ignore
  },
  {
    path: "/",
    phone: true,
    arms: { "home-hero": 2, "home-for-you": 1 },
    cuts: ["<h1>Made", "Answer three quest", 'quiet" href'],
  },
  { path: "/", arms: { "home-hero": 3 }, cuts: ['<img src="/img/hero', 'fetchpriority="high">', "Made"] },
  { path: "/", arms: { "home-hero": 4 }, cuts: ["<h1>", "between seasons", "See the j"] },
  {
    path: "/stoves",
    arms: { "compare-table": 1, "trust-row": 1 },
    cuts: ["</header>", "<h1>Sto", "Boil water", '<ul class="products">', '<p class="fact">'],
  },
  {
    path: "/boots/granite-mid",
    arms: { "sock-bundle": 1, "size-advice": 2 },
    cuts: ["<h1>Granite", 'lede">', "size-picker", "</fieldset>", "Add to b"],
  },
  {
    path: "/boots/granite-mid",
    arms: { "sock-bundle": 2, "size-advice": 2 },
    cuts: ['<div class="add-to-basket-bar">'],
  },
  {
    path: "/tents/tarn-2",
    arms: { "customers-photographs-before-the-studio-s": 2 },
    cuts: ['class="gallery">', 'class="photos">'],
  },
  {
    path: "/jackets/stormline-shell",
    phone: true,
    arms: { "basket-bar": 1 },
    cuts: ['<div class="add-to-basket-bar">', "Add to"],
  },
  { path: "/rental/kit-finder", arms: { "trust-row": 1 }, cuts: ["<header>", "</header>", '<div id="finder">'] },
];

/** Experiments that no page above covers, with the reason. */
const ELSEWHERE = {
  "rental-page": "a redirect, below",
  "delivery-date": "code alone, which runs when the document is parsed",
  "gift-finder-for-people-who-do-not-hike": "of few people on evenings",
};

const named = (arms) =>
  Object.entries(arms)
    .map((each) => each.join(" "))
    .join(", ");

/** @type {(site: string, page: { path?: any, phone?: boolean }) => object} */
const context = (site, { path, phone }) => ({
  url: site + path,
  device: phone ? "mobile" : "desktop",
  visitor_type: "returning",
});

/** The changes of arms in a ruleset: items of `data` and first rules of style sheets. */
function changesOf({ experiments }, arms) {
  return Object.entries(arms).flatMap(([key, arm]) => {
    const { variants, custom_css } = experiments.find(({ experiment_key }) => experiment_key === key);
    const { data = [], customCSS } = variants[arm - 1];
    return [...data, ...[custom_css, customCSS].filter(Boolean).map((css) => ({ css }))];
  });
}

const shown = PAGES.map((each) => ({
  name: `no frame of ${each.path} shows the original: ${named(each.arms)}`,
  async run({ server, other, page, demo }) {
    const { shop, site } = await demo();
    const pages = new Shop({ server, other }, await demo());
    const changes = changesOf(await shop.ruleset(), each.arms);
    pages.visitor = await shop.visitor(each.arms, context(site, each));
    pages.phone = each.phone;
    pages.first = watching(changes);
    pages.cuts = each.cuts;
    await page.goto(server.url(each.path), { until: "commit" });
    const frames = async (more) => {
      const drawn = await page.waitFor(() => frames_.drawn + 1);
      await page.waitFor((least) => frames_.drawn >= least, { args: [drawn + more] });
    };
    for (const each of pages.gates) {
      await frames(2);
      each.open();
    }
    await page.waitFor(() => document.readyState === "complete");
    await frames(3);
    const { wrong, right } = await page.evaluate("frames_");
    assert.deepEqual([...new Set(wrong)], []);
    changes.forEach((change, at) => assert.ok(right[at] > 2, JSON.stringify(change)));
    assert.deepEqual(await page.evaluate("seen"), { errors: [], rejections: [], blocked: [] });
  },
}));

const complete = {
  name: "each arm of each live experiment is shown",
  async run({ demo }) {
    const { experiments } = await (await demo()).shop.ruleset();
    const all = experiments
      .filter(({ live, serving }) => live || serving)
      .flatMap(({ experiment_key: key, serving, variants }) =>
        (serving ? [+serving.variant_id] : variants.map((_, at) => at + 1)).map((arm) => [key, arm]),
      );
    const missing = all.filter(([key, arm]) => !ELSEWHERE[key] && !PAGES.some(({ arms }) => arms[key] === arm));
    assert.deepEqual(missing, []);
  },
};

const steady = [
  ["/", { "trust-row": 1, "home-hero": 1, "home-for-you": 2 }],
  ["/", { "trust-row": 0, "home-hero": 0, "home-for-you": 0 }],
  ["/stoves", { "trust-row": 1, "compare-table": 1 }],
  ["/stoves", { "trust-row": 0, "compare-table": 0 }],
  ["/boots/granite-mid", { "trust-row": 1, "sock-bundle": 1 }],
  ["/boots/granite-mid", { "trust-row": 0, "sock-bundle": 0 }],
].map(([path, arms]) => ({
  name: `${path} has no layout shift after first paint: ${named(arms)}`,
  async run({ server, other, page, demo }) {
    const { shop, site } = await demo();
    const pages = new Shop({ server, other }, await demo());
    pages.first = steadiness;
    pages.whole = true;
    pages.visitor = await shop.visitor(arms, context(site, { path }));
    await page.goto(server.url(path));
    await page.waitFor(() => moved_.drawn > 5);
    assert.deepEqual(await page.evaluate(() => [moved_.shift, moved_.elements]), [0, []]);
  },
}));

/** Records across pages which headings were visible where. */
const TRAIL = `
  requestAnimationFrame(async function look() {
    // A frame paints what mutation observers leave. The parser may yield between a tag and its text.
    await null;
    const heading = document.querySelector("h1");
    if (heading?.textContent && getComputedStyle(heading).visibility === "visible") {
      const trail = JSON.parse(localStorage.trail ?? "[]");
      const here = location.pathname + ": " + heading.textContent;
      if (trail.at(-1) !== here) localStorage.trail = JSON.stringify([...trail, here]);
    }
    requestAnimationFrame(look);
  });`;

/** The arms of the recorded exposures. Events that are sent twice have the same id and count once. */
const exposures = (events, wanted) => {
  const told = events.filter(({ type, test_id }) => type === "exposure" && test_id === wanted);
  return [...new Map(told.map(({ id, variant_id }) => [id, variant_id])).values()];
};

const redirected = [
  [1, "/rental/weekend", "A weekend in pictures"],
  [2, "/rental/kit-finder", "Where do you want to sleep?"],
  [0, "/rental", "Rental"],
].map(([arm, path, heading]) => ({
  name: `redirected visitors do not see the rental page, do not loop, and count once: ${path}`,
  async run({ server, other, page, demo }) {
    const { shop, site } = await demo();
    const pages = new Shop({ server, other }, await demo());
    pages.first = TRAIL;
    pages.visitor = await shop.visitor({ "rental-page": arm, "home-hero": null }, context(site, { path: "/rental" }));
    const { test_id } = (await shop.ruleset()).experiments.find(
      ({ experiment_key }) => experiment_key === "rental-page",
    );
    const told = () => exposures(other.events, test_id);
    // The destination responds only after the exposure on the page that is left, which may have been painted by then.
    if (arm) server.route(path, async (came) => (await other.received(() => told()[0]), pages.answer(came)));
    const trail = (wanted) =>
      page.waitFor((wanted) => localStorage.trail === wanted, { args: [JSON.stringify(wanted)] });
    const start = "/: Made for the days between seasons.";
    const end = `${path}: ${heading}`;
    await page.goto(server.url("/"));
    await trail([start]);
    await page.goto(server.url("/rental?utm_source=mail&utm_campaign=autumn#rates"), { until: "commit" });
    await trail([start, end]);
    await page.waitFor(() => document.readyState === "complete");
    const address = await page.evaluate("location.pathname + location.search + location.hash");
    assert.equal(address, `${path}?utm_source=mail&utm_campaign=autumn#rates`);
    await page.back();
    await trail([start, end, start]);
    // Once more in the same visit. Leaving the page sends all events.
    await page.goto(server.url("/rental"), { until: "commit" });
    await trail([start, end, start, end]);
    await page.waitFor(() => document.readyState === "complete");
    await page.goto(server.url("/account"), { until: "commit" });
    await other.received(({ events }) =>
      events.some(({ type, url }) => type === "pageview" && url === server.url(path)),
    );
    assert.deepEqual(told(), [String(arm)]);
    const { session } = other.events[0];
    const logged = (await shop.events()).filter(
      (event) => event.session === session && event.type === "exposure" && event.test_id === test_id,
    );
    assert.deepEqual(
      logged.map(({ variant_id }) => variant_id),
      [String(arm)],
    );
  },
}));

/** @type {[{ phone: boolean }, number | null, string][]} */
const VISITS = [
  [{ phone: true }, 1, "On your way already?"],
  [{ phone: true }, 0, "Not sure what to take?"],
  [{ phone: false }, 2, "Good to see you again."],
  [{ phone: false }, 0, "Not sure what to take?"],
  // New visitors at a desk get no arm.
  [{ phone: false }, null, "Not sure what to take?"],
];

const personal = VISITS.map(([who, arm, heading]) => ({
  name: `the home page for you ${who.phone ? "on a phone" : "at a desk"}: ${arm ?? "none"}`,
  async run({ server, other, page, demo }) {
    const { shop, site } = await demo();
    const pages = new Shop({ server, other }, await demo());
    const { test_id } = (await shop.ruleset()).experiments.find(
      ({ experiment_key }) => experiment_key === "home-for-you",
    );
    pages.phone = who.phone;
    if (arm !== null) pages.visitor = await shop.visitor({ "home-for-you": arm }, context(site, { path: "/", ...who }));
    await page.goto(server.url("/"));
    assert.equal(await page.evaluate(() => document.querySelector(".for-you h2").textContent), heading);
    // Leaving the page sends all events.
    await page.goto(server.url("/account"));
    await other.received(({ events }) =>
      events.some(({ type, url }) => type === "pageview" && url === server.url("/")),
    );
    assert.deepEqual(exposures(other.events, test_id), arm === null ? [] : [String(arm)]);
  },
}));

/** Exposes the badge's closed shadow root as `inside`. */
const OPENED = `const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (how) { return (window.inside = attach.call(this, how)); };`;

const previews = {
  name: "preview links show every arm under the shop's own policy, and their badges name no error",
  ms: 180_000,
  async run({ server, other, page, demo }) {
    const { shop, site } = await demo();
    const pages = new Shop({ server, other }, await demo());
    const ruleset = await shop.ruleset();
    const experiments = ruleset.experiments.filter(({ live, test_type }) => live && test_type !== "split");
    assert.ok(
      experiments.some(({ variants }) =>
        variants.some(({ data = [] }) => data.some((item) => item.htmlBlock ?? item.innerHTML)),
      ),
    );
    assert.ok(experiments.some(({ variants }) => variants.some(({ customJS }) => customJS)));
    for (const { test_id, experiment_key } of experiments) {
      const { variants } = await shop.call("GET", `/experiment/${test_id}/preview-urls`);
      for (const { variant_id, preview_url } of variants) {
        const arms = { [experiment_key]: +variant_id };
        pages.first = OPENED + watching(variant_id ? changesOf(ruleset, arms) : []);
        await page.goto(server.origin + preview_url.slice(new URL(site).origin.length));
        const said = await page.waitFor(() => {
          const lines = [...(window.inside?.querySelectorAll("p") ?? [])].map(({ textContent }) => textContent);
          return lines[0] && document.readyState === "complete" && lines;
        });
        assert.match(
          said[0],
          /^Preview of experiment \d+: (Control|Variant \d+)\. Nothing is recorded\./,
          JSON.stringify(said),
        );
        assert.deepEqual(said.slice(1), [], `${experiment_key} ${variant_id}`);
        assert.deepEqual(
          await page.evaluate("seen"),
          { errors: [], rejections: [], blocked: [] },
          `${experiment_key} ${variant_id}`,
        );
      }
    }
  },
};

const visible = {
  name: "a corner of the page lists the arms that the visitor is exposed to",
  async run({ server, other, page, demo }) {
    const { shop, site } = await demo();
    const pages = new Shop({ server, other }, await demo());
    const arms = { "sock-bundle": 2, "size-advice": 2 };
    pages.visitor = await shop.visitor(arms, context(site, { path: "/boots/granite-mid" }));
    await page.goto(server.url("/boots/granite-mid"));
    const shown = await page.waitFor(() => {
      const place = document.querySelector("[data-arms]");
      const arms = [...place.querySelectorAll("li")].map((each) => [
        each.firstChild.textContent,
        each.lastChild.textContent,
      ]);
      return !place.hidden && arms.length >= 2 && Object.fromEntries(arms);
    });
    assert.equal(shown["sock-bundle"], "Variant 2");
    // Visitors do not take part in an experiment whose winner is served.
    assert.equal(shown["size-advice"], undefined);
  },
};

export const tests = [complete, previews, visible, ...shown, ...steady, ...redirected, ...personal];
