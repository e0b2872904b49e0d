// A page that React 19 has rendered on its server and takes over in the browser, under the whole script.

import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { App } from "../frames/app.mjs";
import { KINDS } from "../frames/hydrated.mjs";
import { inFrames } from "../frames.mjs";
import { html } from "../html.mjs";
import { experiment, script } from "../script.mjs";

export const name = "react";

/** Keeps what is told of changes that fail. */
const TOLD = `<script>told = []; muriel.push(["on", "error", ({ message }) => told.push(message)]);</script>`;

/** A page as the server sends it: ours first, then React's, which takes over where the body ends. */
async function page(path, at, when, build) {
  const [arm] = Object.values(KINDS)[at];
  const ours = await script([
    experiment({
      test_id: at + 1,
      targeting: { url_rule: [{ url: path, rule: "simple", allowed: true }] },
      variants: [arm],
      // Code comes with the document's end otherwise, which is after React has begun.
      ...(when === "before" && { dom_change_path: "early" }),
      trigger_variant_change: when === "after" ? "load" : null,
    }),
  ]);
  const head = `<script>${ours}</script>${TOLD}<script src="/react-${build}.js"></script>`;
  const body = `<div id="root">${renderToString(createElement(App))}</div><script>App.hydrate()</script>`;
  return html({ head, body });
}

const lives = {
  name: "goes on over each kind of change, before and after it takes over",
  async run(given) {
    const { server, bundle } = given;
    for (const build of ["production", "development"]) {
      const minify = build === "production";
      server.route(`/react-${build}.js`, await bundle("web/tests/frames/react.mjs", "App", { minify }));
      for (const when of ["before", "after"]) {
        for (const at of Object.keys(KINDS).keys()) {
          const path = `/${build}/${when}/${at}`;
          server.route(path, () => page(path, at, when, build).then((body) => ({ body })));
        }
      }
    }
    await inFrames(given, "hydrated", { together: 4 });
  },
};

export const tests = [lives];
