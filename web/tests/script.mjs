// The script of a project as the server composes it, with a ruleset and settings that a test defines.

import { bundled } from "../runtime/build.mjs";

const made = new Map();

/** A file that web/runtime builds, cached for the run. */
function part(name) {
  if (!made.has(name)) made.set(name, bundled(name));
  return made.get(name);
}

export const PARTS = ["rules", "changes", "split", "source", "goals", "orders", "tools", "vitals"];

export const SETTINGS = {
  base: "",
  prefix: "",
  global: "muriel",
  consent: "assumed",
  gpc: false,
  bots: false,
  health: 100,
};

/** An experiment that assigns `Variant 1` to all visitors, on every page. */
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

/** Copy of an experiment, with all visitors in the control. */
export const asControl = (each) => ({ ...each, ranges: [[10_000, 0]] });

export const ruleset = (experiments = [], goals = [], project = "shop") => ({
  format: 1,
  hash: 1,
  project_key: project,
  experiments,
  goals,
});

/**
 * The whole script of a project, with all parts or the given ones.
 *
 * @param {any[]} experiments
 * @param {{ settings?: any, goals?: any[], parts?: string[], project?: string }} options
 */
export async function script(experiments, { settings, goals = [], parts = PARTS, project } = {}) {
  const [runtime, ...code] = await Promise.all(["runtime", ...parts].map((name) => part(`${name}.js`)));
  const json = (value) => JSON.stringify(value).replaceAll("<", "\\u003c");
  const given = parts.map((name, at) => `${name}:${code[at]}`).join(",");
  return `${runtime}(${json(ruleset(experiments, goals, project))},${json({ ...SETTINGS, ...settings })},{${given}});`;
}

/**
 * Adds the routes of a stand-in for Muriel: the script at `/js/shop.js`, or of another project, and its parts. Returns
 * the script's address.
 */
export async function serve(server, experiments, options) {
  server.route("/js/parts/badge.js", { type: "text/javascript", body: await part("badge.js") });
  for (const name of PARTS) {
    const body = `document.currentScript.muriel=${await part(`${name}.js`)};`;
    server.route(`/js/parts/${name}.js`, { type: "text/javascript", body });
  }
  return server.route(`/js/${options?.project ?? "shop"}.js`, {
    type: "text/javascript",
    body: await script(experiments, options),
  });
}

/** The inline snippet for pages that load the script asynchronously. */
export const snippet = async () =>
  (await part("snippet.js")).replaceAll("GLOBAL", '"muriel"').replaceAll("SELECTORS", '"[data-muriel]"');
