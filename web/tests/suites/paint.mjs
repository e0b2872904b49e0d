// First contentful paint by form of the snippet and delay of the script. A measurement, which runs when it is named.
// `MURIEL_LOADS` is the number of loads of each page (15).

import { html } from "../html.mjs";
import { changing, serve, snippet } from "../script.mjs";
import { H1 } from "../visit.mjs";

export const name = "paint";
// WebKitGTK does not report it.
export const engines = ["chromium", "firefox"];
export const isAsked = true;

const LOADS = Number(process.env.MURIEL_LOADS ?? 15);

/** Delays of the script's response, in milliseconds. */
const DELAYS = [0, 100, 400];

/** The page's own style sheet and scripts, which the browser may fetch meanwhile. Its server takes 50 ms for each. */
const FILES = { "/a.css": "p { color: #222 }", "/a.js": "window.a = 1", "/b.js": "window.b = 1" };
const OWN = `<link rel="stylesheet" href="/a.css"><script defer src="/a.js"></script><script defer src="/b.js"></script>`;
const body = `<h1>Old</h1>${`<p>${"words ".repeat(80)}</p>`.repeat(40)}`;

const lines = async (selectors) =>
  `<script>${(await snippet()).replace('"[data-muriel]"', JSON.stringify(selectors))}</script>`;
const tag = (src, more = "") => `<script ${more} src="${src}"></script>`;
const ASYNC = `async fetchpriority="high"`;

const FORMS = {
  "no script": async () => "",
  "blocking tag": async (src) => tag(src),
  snippet: async (src) => (await lines("html")) + tag(src, ASYNC),
  "snippet --async": async (src) => (await lines("[data-muriel]")) + tag(src, ASYNC),
};

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const after = (ms, answer) => () => new Promise((done) => setTimeout(done, ms, answer));

export const tests = [
  {
    name: "first contentful paint by form and delay of the script",
    ms: 1_200_000,
    async run({ server, other, page }) {
      await serve(other, [changing(H1)]);
      const { body: code } = other.routes.get("/js/shop.js");
      for (const [path, text] of Object.entries(FILES)) {
        server.route(path, after(50, { type: path.endsWith("css") ? "text/css" : "text/javascript", body: text }));
      }
      const found = {};
      for (let load = 0; load < LOADS; load += 1) {
        for (const delay of DELAYS) {
          for (const [form, head] of Object.entries(FORMS)) {
            const name = `${form}, ${delay} ms`;
            // A new address each time, so that no browser has it cached.
            const at = `${delay}-${form.replace(/\W/g, "")}-${load}`;
            const src = other.route(`/${at}.js`, after(delay, { type: "text/javascript", body: code }));
            await page.goto(server.route(`/${at}`, html({ head: (await head(src)) + OWN, body })), { until: "commit" });
            const ms = await page.waitFor(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
            (found[name] ??= []).push(ms);
          }
        }
      }
      for (const [name, values] of Object.entries(found)) {
        console.log(
          `  ${name}: ${Math.round(median(values))} ms (${Math.round(Math.min(...values))} to ${Math.round(Math.max(...values))}, ${values.length} loads)`,
        );
      }
    },
  },
];
