// build: makes what the server embeds, in crates/api/src/script/. `--check` fails where that is not what the sources make.
// The result is committed, so that building the server needs no Node.

import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const into = here("../../crates/api/src/script/");

/** A part of the script: an expression whose value is what the part's entry gives to `PART`. */
const part = (entry) => ({ entry: `src/parts/${entry}.ts`, wrap: (code) => `(function(PART){${code};return PART})()` });

/** What is made, of which entry. The server writes the script of a project from the first and the parts that its ruleset asks for. */
export const SCRIPTS = {
  // Called with the ruleset, the settings and the parts. All of it is in a function: a page sees nothing but the page API.
  "runtime.js": { entry: "src/browser/boot.ts", wrap: (code) => `(function(RULESET,SETTINGS,PARTS){${code}})` },
  "source.js": part("source"),
  "changes.js": part("changes"),
  "split.js": part("split"),
  "goals.js": part("goals"),
  "orders.js": part("orders"),
  // Files of their own.
  "badge.js": { entry: "src/parts/badge.ts", wrap: (code) => code },
  "snippet.js": { entry: "src/parts/snippet.ts", wrap: (code) => code },
};

export async function bundled(name, options = {}) {
  const { entry, wrap } = SCRIPTS[name];
  const result = await build({
    entryPoints: [here(entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2020",
    legalComments: "none",
    charset: "utf8",
    ...options,
  });
  return wrap(result.outputFiles[0].text.trim().replace(/;$/, ""));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes("--check");
  let stale = false;
  for (const name of Object.keys(SCRIPTS)) {
    const made = (await bundled(name)) + "\n";
    if (!check) {
      writeFileSync(into + name, made);
    } else if (made !== readFileSync(into + name, "utf8")) {
      console.error(`${name} is not what web/runtime makes: run scripts/fresh --write`);
      stale = true;
    }
  }
  process.exitCode = stale ? 1 : 0;
}
