// The script of a project as the server puts it together, with rulesets and settings that a test makes up.

import { bundled } from "../runtime/build.mjs";
import { NONCE } from "./html.mjs";

const made = new Map();

/** What web/runtime makes, once a run. */
function part(name) {
  if (!made.has(name)) made.set(name, bundled(name));
  return made.get(name);
}

export const PARTS = ["changes", "split", "source", "goals", "orders"];

export const SETTINGS = {
  base: "",
  events: "/events/shop",
  geo: "/geo/shop",
  preview: "/preview/shop",
  parts: "/js/parts/",
  global: "muriel",
  consent: "assumed",
  gpc: false,
  bots: false,
  health: 100,
};

/** An experiment that gives everybody `Variant 1`, on every page. */
export const experiment = (fields = {}) => ({
  test_id: 1,
  experiment_key: "one",
  test_type: "abtest",
  live: true,
  epoch: 1,
  salt: `${fields.test_id ?? 1}`,
  traffic_allocation: 100,
  ranges: [[10_000, 1]],
  variants_data_key: "http://*",
  variants: [{}],
  ...fields,
});

/** An experiment with these changes in `Variant 1`. */
export const changing = (data, fields = {}) => experiment({ variants: [{ data }], ...fields });

/** The same where everybody gets the control. */
export const asControl = (each) => ({ ...each, ranges: [[10_000, 0]] });

export const ruleset = (experiments = [], goals = []) => ({ format: 1, hash: 1, project_key: "shop", experiments, goals });

/** The whole script, with all parts or these. */
export async function script(experiments, { settings, goals = [], parts = PARTS } = {}) {
  const [runtime, ...code] = await Promise.all(["runtime", ...parts].map((name) => part(`${name}.js`)));
  const json = (value) => JSON.stringify(value).replaceAll("<", "\\u003c");
  const given = parts.map((name, at) => `${name}:${code[at]}`).join(",");
  return `${runtime}(${json(ruleset(experiments, goals))},${json({ ...SETTINGS, ...settings })},{${given}});`;
}

/** Routes of a Muriel of which everything is known: the script at `/js/shop.js`, and its parts. Gives back the script's address. */
export async function serve(server, experiments, options) {
  server.route("/js/parts/badge.js", { type: "text/javascript", body: await part("badge.js") });
  for (const name of PARTS) {
    const body = `document.currentScript.muriel=${await part(`${name}.js`)};`;
    server.route(`/js/parts/${name}.js`, { type: "text/javascript", body });
  }
  return server.route("/js/shop.js", { type: "text/javascript", body: await script(experiments, options) });
}

/** Keeps what each frame shows of an element, from the first on. */
export const WATCHING = `<script nonce="${NONCE}">
  const frames = (window.frames_ = []);
  (function look() {
    const element = document.querySelector("h1");
    if (element) {
      const { visibility, color } = getComputedStyle(element);
      frames.push(visibility === "hidden" ? "(hidden)" : element.textContent + (color === "rgb(255, 0, 0)" ? " in red" : ""));
    }
    requestAnimationFrame(look);
  })();
</script>`;

/** A script's tag, for pages under a policy too. */
export const tag = (src, more = "") => `<script nonce="${NONCE}" src="${src}" ${more}></script>`;

/** Puts the limit of hiding into the test's hands: it is over when `expire` is called, however slow the machine is. */
export const LIMIT = `<script nonce="${NONCE}">
  const wait = setTimeout;
  window.setTimeout = (call, ms, ...more) => (ms === 1000 ? ((window.expire = call), 0) : wait(call, ms, ...more));
</script>`;
