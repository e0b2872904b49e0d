// A page that React 19 has rendered on its server and takes over in the browser, under the whole script.

import assert from "node:assert/strict";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { App } from "../frames/app.mjs";
import { GROUPS, KINDS } from "../frames/hydrated.mjs";
import { inFrames } from "../frames.mjs";
import { html } from "../html.mjs";
import { changing, experiment, script } from "../script.mjs";
import { gate } from "../server.mjs";

export const name = "react";

/** Keeps what is told of changes that fail. */
const TOLD = `<script>told = []; muriel.push(["on", "error", ({ message }) => told.push(message)]);</script>`;

/** A page as the server sends it: ours first, then React's, which takes over where the body ends. */
async function page(path, arm, at, when, build) {
  const targeting = { url_rule: [{ url: path, rule: "simple", allowed: true }] };
  const whens = {
    // Code comes with the document's end otherwise, which is after React has begun, and words wait for React.
    before: { targeting, dom_change_path: "early immediate" },
    waiting: { targeting, dom_change_path: "early" },
    after: { targeting, trigger_variant_change: "load" },
    // An arm that waits for nothing would come too late: the page is painted already.
    chosen: { targeting: { ...targeting, ga4_rule: ["chosen"] }, trigger_variant_change: "element:#root" },
  };
  const ours = await script([experiment({ test_id: at + 1, variants: [arm], ...whens[when] })]);
  const head = `<script>${ours}</script>${TOLD}<script src="/react-${build}.js"></script>`;
  const rendered = renderToString(createElement(App));
  // Where the change comes with the page's load, that waits until React has taken over, however slow the machine is.
  const held = when === "after" ? `<img hidden alt="" src="/held${path}">` : "";
  const start = `<script>
    const served = document.createElement("template");
    served.innerHTML = ${JSON.stringify(rendered).replaceAll("<", "\\u003c")};
    isChanged = served.innerHTML !== document.getElementById("root").innerHTML;
    App.hydrate();
    ${held && `App.taken.then(() => fetch("/taken${path}"));`}
  </script>`;
  return html({ head, body: `<div id="root">${rendered}</div>${held}${start}` });
}

const group = (title, name) => ({
  name: title,
  async run(given) {
    const [, when, build] = GROUPS[name];
    const minify = build === "production";
    given.server.route(`/react-${build}.js`, await given.bundle("web/tests/frames/react.mjs", "App", { minify }));
    for (const [at, [arm]] of Object.values(KINDS).entries()) {
      const path = `/${build}/${when}/${at}`;
      const taken = gate();
      given.server.route(path, () => page(path, arm, at, when, build));
      given.server.route(`/held${path}`, () => taken.then(() => ""));
      given.server.route(`/taken${path}`, () => (taken.open(), ""));
    }
    await inFrames(given, "hydrated", { together: 4, only: `${name}: ` });
  },
});

/** A framework that works in slices from the page's load on, one message after the other. */
const SLICES = `<script>
  const { port1, port2 } = new MessageChannel();
  let left = 20, begun, early, took;
  addEventListener("load", () => {
    begun = performance.now();
    port2.postMessage(0);
  });
  port1.onmessage = () => {
    for (const end = performance.now() + 5; performance.now() < end; );
    left -= 1;
    early = document.querySelector("h1").textContent === "New";
    if (left > 0 && !early) port2.postMessage(0);
    else took = performance.now() - begun;
  };
</script>`;

const idle = {
  name: "what comes with the load waits for a framework at work",
  async run({ server, page }) {
    const ours = await script([changing([{ target: "h1", innerText: "New" }], { trigger_variant_change: "load" })]);
    server.route("/", html({ head: `<script>${ours}</script>`, body: `<h1>Old</h1>${SLICES}` }));
    let late;
    for (let round = 0; late !== false && round < 20; round += 1) {
      await page.goto(server.url("/"), { until: "commit" });
      await page.waitFor(() => document.querySelector("h1")?.textContent === "New" && took);
      // Longer than half a second nothing waits, and on a busy machine the work may take that long.
      late = await page.evaluate(() => took > 400);
      assert.equal(late || !(await page.evaluate("early")), true, "before the framework was done");
    }
    assert.equal(late, false, "the machine is too slow to see it");
  },
};

export const tests = [
  group("takes a page over after each kind of change, and goes on", "before"),
  group("takes a page over before each kind of change, and goes on", "after"),
  group("takes a page over while each kind of change waits, and goes on", "waiting"),
  group("in development takes it over while each kind waits, and goes on", "watched"),
  group("in development takes it over, too", "development"),
  group("goes on where changes come and go in the middle of its work", "chosen"),
  idle,
];
