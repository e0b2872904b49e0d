// Runs tables of cases in frames of one page, which is faster than a page for each case.

import assert from "node:assert/strict";
import { html } from "./html.mjs";

/**
 * Runs the cases of `frames/NAME.mjs` in frames of one page; `settings` as for `run` in frames/world.mjs.
 *
 * @throws {Error} With a line for each case that failed.
 */
export async function inFrames({ server, page, bundle }, name, settings = {}) {
  server.route("/engine.js", await bundle("web/tests/frames/engine.ts", "M", { minify: true }));
  server.route("/world.js", await bundle("web/tests/frames/world.mjs", "World"));
  server.route("/cases.js", await bundle(`web/tests/frames/${name}.mjs`, "Cases"));
  const scripts = ["world", "cases"].map((each) => `<script src="/${each}.js"></script>`).join("");
  await page.goto(server.route("/", html({ body: scripts })));
  const { count, failures } = await page.evaluate(async (settings) => World.run(Cases.cases, settings), settings);
  assert.ok(failures.length === 0, `${failures.length} of ${count} cases:\n  ${failures.join("\n  ")}`);
  assert.ok(count > 0, "there are no cases");
}
