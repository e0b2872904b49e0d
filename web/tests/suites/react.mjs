// A page that React 19 has rendered on the server and hydrates in the browser, with the whole script.

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
export const isShared = true;

/** Records changes that fail. */
const RECORD_ERRORS = `<script>told = []; muriel.push(["on", "error", ({ message }) => told.push(message)]);</script>`;

/** A page as the server sends it: our script first, then React's, which hydrates at the end of the body. */
async function page(path, arm, at, when, build) {
  const targeting = { url_rule: [{ url: path, rule: "simple", allowed: true }] };
  const whens = {
    // Otherwise code would run at the end of the document, after React has started, and text would wait for React.
    before: { targeting, dom_change_path: "early immediate" },
    waiting: { targeting, dom_change_path: "early" },
    after: { targeting, trigger_variant_change: "load" },
    // Without a trigger, the arm would be too late: the page is already painted.
    chosen: { targeting: { ...targeting, ga4_rule: ["chosen"] }, trigger_variant_change: "element:#root" },
  };
  const ours = await script([experiment({ test_id: at + 1, variants: [arm], ...whens[when] })]);
  const head = `<script>${ours}</script>${RECORD_ERRORS}<script src="/react-${build}.js"></script>`;
  const rendered = renderToString(createElement(App));
  // If the change is made at the page's load event, a held picture delays that until React has hydrated the page.
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

/** Removes the timeout of idle callbacks, so that the change waits for the framework's work even on a busy machine. */
const NO_IDLE_TIMEOUT = `<script>
  const { requestIdleCallback: whenIdle } = window;
  if (whenIdle) window.requestIdleCallback = (call) => whenIdle(call);
</script>`;

/** A framework that works in slices from the page's load on, each scheduled by a message. */
const FRAMEWORK_SLICES = `<script>
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
  name: "changes with the trigger load wait for a framework that is working",
  async run({ server, page }) {
    const ours = await script([changing([{ target: "h1", innerText: "New" }], { trigger_variant_change: "load" })]);
    server.route(
      "/",
      html({ head: `${NO_IDLE_TIMEOUT}<script>${ours}</script>`, body: `<h1>Old</h1>${FRAMEWORK_SLICES}` }),
    );
    let late;
    for (let round = 0; late !== false && round < 20; round += 1) {
      await page.goto(server.url("/"), { until: "commit" });
      await page.waitFor(() => document.querySelector("h1")?.textContent === "New" && took);
      // Safari has no idle callbacks. There the change waits for half a second at most, and on a busy machine the work
      // may take longer.
      late = await page.evaluate(() => !window.requestIdleCallback && took > 400);
      assert.equal(late || !(await page.evaluate("early")), true, "before the framework was done");
    }
    assert.equal(late, false, "the machine is too slow to see it");
  },
};

export const tests = [
  group("React hydrates a page after each kind of change, and keeps working", "before"),
  group("React hydrates a page before each kind of change, and keeps working", "after"),
  group("React hydrates a page while each kind of change waits, and keeps working", "waiting"),
  group("React in development hydrates a page while each kind of change waits", "watched"),
  group("React in development hydrates a page after each kind of change", "development"),
  group("React keeps working while changes are made and undone between its updates", "chosen"),
  idle,
];
