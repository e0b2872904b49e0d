// Measures the time that the script takes on a page's main thread, from Chromium's trace, for new and for returning
// visitors. If `MURIEL_GROWTHBOOK` names the file of GrowthBook's script tag, it is measured with the same changes.
// This is a measurement, which runs only when it is named: see bench/script.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Shop } from "../shop.mjs";

export const name = "cost";
export const engines = ["chromium"];
export const isAsked = true;

const EXPERIMENTS = 20;
const LONG = 1_500;
const LOADS = 31;

const tileOf = (nth) => `.product-tile:nth-child(${nth + 1})`;

/** Changes of the nth experiment, on its own product: a text. */
const words = (nth) => ({ data: [{ target: `${tileOf(nth)} h2 a`, innerText: `Number ${nth}, better named` }] });

/** Changes of the nth experiment, of one of five kinds: 28 changes in all experiments, and 8 style sheets. */
function kind(nth) {
  const tile = tileOf(nth);
  const kinds = [
    words(nth),
    {
      data: [
        { target: `${tile} button`, style: "background: #1f3a34; color: #fff; padding: 0.5rem 1.2rem" },
        { target: `${tile} button`, innerText: "Into the basket" },
      ],
    },
    {
      data: [
        { target: `${tile} .line`, innerHTML: "<strong>New</strong> and still <em>repairable</em>" },
        { target: tile, class: "warm" },
      ],
    },
    {
      data: [{ refEl: `${tile} .price`, dir: "b", htmlBlock: `<p class="note-${nth}">Free returns for 60 days</p>` }],
      customCSS: `.note-${nth} { color: green; font-weight: 600 }`,
    },
    {
      data: [{ target: `${tile} .picture img`, src: "/img/lake.svg" }, { rm: `${tile} .fact` }],
      customCSS: `${tile} { border-color: #a8431b }`,
    },
  ];
  return kinds[nth % kinds.length];
}

/** The changes in GrowthBook's form: mutations of attributes, one of which is the inner HTML. */
function mutations({ data, customCSS = "" }) {
  const set = (selector, attribute, value, action = "set") => ({ selector, attribute, value, action });
  const found = data.flatMap(({ target, rm, refEl, innerText, innerHTML, style, src, class: added, htmlBlock }) => [
    ...((innerText ?? innerHTML) ? [set(target, "html", innerText ?? innerHTML)] : []),
    ...(style ? [set(target, "style", style)] : []),
    ...(src ? [set(target, "src", src)] : []),
    ...(added ? [set(target, "class", added, "append")] : []),
    ...(htmlBlock ? [set(refEl, "html", htmlBlock, "append")] : []),
    ...(rm ? [set(rm, "style", "display: none")] : []),
  ]);
  return { domMutations: found, css: customCSS };
}

const growthbook = (change) => ({
  clientKey: "none",
  apiHost: "/nowhere",
  backgroundSync: false,
  trackingCallback: "CALLBACK",
  payload: {
    features: {},
    experiments: Array.from({ length: EXPERIMENTS }, (_, nth) => ({
      key: `cost-${nth}`,
      changeId: `${nth}`,
      status: "running",
      manual: false,
      hashAttribute: "id",
      coverage: 1,
      weights: [0, 1],
      urlPatterns: [{ include: true, type: "simple", pattern: "/peer" }],
      variations: [{}, mutations(change(nth))],
    })),
  },
});

const count = (html) => html.match(/<\w/g).length;

/** The page of all products, with the list repeated until it has this many elements. */
function longer(html, elements) {
  const [before, tiles, after] = html.split(/(?<=<ul class="products">\n)|(?=\n<\/ul>\n<\/section>)/);
  return before + tiles.repeat(Math.max(1, Math.ceil((elements - count(before + after)) / count(tiles)))) + after;
}

/**
 * The time that the main thread spent on a script, in milliseconds of CPU time: compiling and running it and its
 * callbacks, with the work that these made the browser do synchronously. Waiting for other processes, and leaving the
 * page before, are not included.
 */
function costOf(events, src) {
  const ours = events.filter(
    ({ ph, tdur, args }) => ph === "X" && tdur !== undefined && (args?.data?.url ?? args?.fileName) === src,
  );
  const start = Math.min(...ours.filter(({ name }) => name === "EvaluateScript").map(({ ts }) => ts));
  const holds = (other, each) =>
    other !== each && other.tid === each.tid && other.ts <= each.ts && other.ts + other.dur >= each.ts + each.dur;
  const outer = ours.filter((each) => each.ts >= start && !ours.some((other) => holds(other, each)));
  return outer.reduce((sum, { tdur }) => sum + tdur, 0) / 1_000;
}

/** Returns whether the last change is made. */
const isDone = () =>
  /better named|Free returns/.test(
    [...document.querySelectorAll(".product-tile")]
      .slice(15, 20)
      .map((tile) => tile.textContent)
      .join(""),
  );

/** Removes everything of earlier visits from the browser. */
async function forget({ devtools }, origin) {
  await devtools.send("Network.clearBrowserCookies");
  await devtools.send("Network.clearBrowserCache");
  await devtools.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
}

const measured = (what, change, elements) => ({
  name: `${EXPERIMENTS} experiments: ${what}, ${elements ? "a long page" : "a page of the shop"}`,
  ms: 300_000,
  alone: true,
  async run({ server, other, page, demo }) {
    const muriel = await demo();
    const project = await muriel.project(`Cost of ${what}`);
    const arms = {};
    for (let nth = 0; nth < EXPERIMENTS; nth += 1) {
      const made = await project.experiment({
        experiment_key: `cost-${nth}`,
        url: `${muriel.site}/search`,
        configuration: { distribution: { Control: 1, "Variant 1": 99 } },
        variants: [{ name: "Variant 1", ...change(nth) }],
      });
      assert.ok(made.test_id);
      arms[`cost-${nth}`] = 1;
    }
    const pages = new Shop({ server, other }, muriel);
    pages.use(project);
    pages.visitor = await project.visitor(arms);
    const src = other.url(`/js/${muriel.shop.key}.js`);
    // Without the shop's policy, which would prevent GrowthBook from adding styles.
    const without = ({ "content-security-policy": _, ...headers }) => headers;
    let body;
    const ofAll = async (came) => {
      const answer = await pages.answer({ ...came, path: "/search" });
      body = longer([answer.body].flat().join(""), elements);
      return { ...answer, headers: without(answer.headers), body };
    };
    const kinds = { "/search": src };
    server.route("/search", ofAll);
    if (process.env.MURIEL_GROWTHBOOK) {
      const peer = other.route("/growthbook.js", {
        type: "text/javascript",
        body: readFileSync(process.env.MURIEL_GROWTHBOOK, "utf8"),
      });
      const config = JSON.stringify(growthbook(change)).replace('"CALLBACK"', "() => {}");
      const tag = `<script>window.growthbook_config = ${config}</script><script src="${peer}"></script>`;
      server.route("/peer", async (came) => {
        const answer = await ofAll(came);
        const body = answer.body.replace(RegExp(`<script[^>]*src="${src}"[^>]*></script>`), tag);
        assert.ok(body.includes(peer));
        return { ...answer, body };
      });
      kinds["/peer"] = peer;
    }
    for (const isNew of [true, false]) {
      const costs = Object.fromEntries(Object.keys(kinds).map((path) => [path, []]));
      for (let load = 0; load < LOADS; load += 1) {
        for (const [path, script] of Object.entries(kinds)) {
          if (isNew) await forget(page, server.origin);
          const events = await page.trace(async () => {
            await page.goto(server.url(path));
            await page.waitFor(isDone);
          });
          costs[path].push(costOf(events, script));
        }
      }
      for (const [path, each] of Object.entries(costs)) {
        each.sort((one, other) => one - other);
        const [least, median] = [each[0], each[LOADS >> 1]].map((ms) => ms.toFixed(1));
        const who = isNew ? "new visitors" : "returning visitors";
        console.log(
          `cost: ${what} on ${count(body)} elements, ${who}, ${path === "/peer" ? "GrowthBook" : "muriel"}: ${least} ms at least, ${median} ms in the middle`,
        );
      }
    }
  },
});

export const tests = [
  measured("words", words, 0),
  measured("words", words, LONG),
  measured("five kinds of changes", kind, 0),
  measured("five kinds of changes", kind, LONG),
];
