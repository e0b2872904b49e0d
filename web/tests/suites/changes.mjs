// The changes that experiments make on pages: each kind, on pages that keep changing, and under strict policies.

import assert from "node:assert/strict";
import { changing, BODY, POLICIES } from "../frames/policies.mjs";
import { STREAMS, watching } from "../frames/streams.mjs";
import { inFrames } from "../frames.mjs";
import { html, NONCE, strict } from "../html.mjs";
import { gate } from "../server.mjs";

export const name = "changes";
export const isShared = true;

const table = (name, cases) => ({ name, run: (given) => inFrames(given, cases) });

/** The head of a page with the engine of changes and a script that uses it. */
const head = (script) =>
  `<script nonce="${NONCE}" src="/engine.js"></script><script nonce="${NONCE}">${script}</script>`;

const streamed = {
  name: "no frame shows the original while a page streams in",
  async run(given) {
    const { server } = given;
    const asked = new Map();
    for (const [at, stream] of Object.values(STREAMS).entries()) {
      for (const keep of [true, false]) {
        const path = `/stream/${at}/${keep}`;
        server.route(path, () => {
          const gates = stream.parts.map(() => gate());
          asked.set(path, gates.slice(1));
          const [start, end] = html({ head: head(watching(stream, keep, `/next${path}`)), body: "SPLIT" }).split(
            "SPLIT",
          );
          const parts = stream.parts.flatMap((part, index) => (index ? [gates[index], part] : [part]));
          return { body: [start, ...parts, end] };
        });
      }
    }
    server.route("/next/*", ({ path }) => {
      asked.get(path.slice("/next".length)).shift()?.open();
      return "";
    });
    // Browsers open at most six connections to a server, and pages that are loading must not use all of them.
    await inFrames(given, "streams", { together: 4 });
  },
};

const policies = {
  name: "strict policies: nonces and Trusted Types",
  async run(given) {
    for (const [at, policy] of Object.values(POLICIES).entries()) {
      const page = { head: head(changing(policy, policy.nonce ?? NONCE)), body: BODY };
      given.server.route(`/policy/${at}`, strict(page, policy));
    }
    await inFrames(given, "policies");
  },
};

const garbage = {
  name: "elements that the page has removed are garbage collected",
  // Other engines cannot be made to collect garbage.
  only: ["chromium"],
  async run({ server, page, bundle }) {
    server.route("/engine.js", await bundle("web/tests/frames/engine.ts", "M", { minify: true }));
    await page.goto(server.route("/", html({ head: head(""), body: "<div></div>" })));
    await page.evaluate(() => {
      window.kept = [];
      M.change([
        { target: "h1", innerText: "New", style: "color: red", class: "x" },
        { target: "p", innerHTML: "<i>New</i>" },
        { refEl: "h1", dir: "a", htmlBlock: "block" },
        { target: "p", outerHTML: "<u>u</u>" },
        { oriEl: "b", refEl: "h1", dir: "p" },
      ]);
    });
    const fill = (text) =>
      page.evaluate((text) => {
        const div = document.querySelector("div");
        div.innerHTML = text;
        for (const each of div.querySelectorAll("*")) kept.push(new WeakRef(each));
        return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      }, text);
    for (const _ of [1, 2, 3, 4, 5]) await fill("<h1>Old</h1><p>Some words</p><em>a <b>words</b></em>");
    assert.equal(await page.evaluate(() => document.querySelector("h1").textContent), "Newwords");
    await fill("");
    await page.devtools.send("HeapProfiler.collectGarbage");
    assert.equal(await page.evaluate(() => kept.filter((each) => each.deref()).length), 0);
    assert.deepEqual(await page.evaluate(() => [kept.length, M.said]), [20, []]);
  },
};

const matches = {
  name: "changes follow elements that start or stop matching",
  async run(given) {
    given.server.route("/lists.js", await given.bundle("web/tests/frames/lists.mjs", "Lists", { minify: true }));
    await inFrames(given, "matches");
  },
};

export const tests = [
  matches,
  table("each kind of change is made and undone, for present and later elements", "kinds"),
  table("pages that revert changes, and experiments on the same element", "against"),
  table("changes that could run code on what they meet are refused without the mark of the server", "runnable"),
  table("pages whose code goes on working on what an arm has touched", "detours"),
  table("pages with shadow roots, invalid selectors, many elements and own style sheets", "pages"),
  table("shadow roots that are attached when their elements are defined", "roots"),
  table("errors in an experiment's code are isolated", "code"),
  streamed,
  policies,
  garbage,
];
