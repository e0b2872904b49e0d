// build: generates the files that the server embeds, in crates/delivery/src/script/. `--check` fails if they are not what the sources
// generate. The files are committed, so that building the server needs no Node.

import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const into = here("../../crates/delivery/src/script/");

// The names in kit.ts, and their modules. In parts they are parameters, with the same names in each.
const kit = readFileSync(here("src/browser/kit.ts"), "utf8");
const KIT = /kit = \[(.*?)\]/s.exec(kit)[1].match(/\w+/g);
const KIT_MODULES = [...kit.matchAll(/ from "(.*)"/g)].map(([, path]) => here(`src/browser/${path}.ts`));
const letterOf = (name) => String.fromCharCode(65 + KIT.indexOf(name));
if (KIT.length > 26) throw Error("kit.ts has more names than there are letters");

/** Removes the imports of the kit's modules from a part. An import may extend over several lines. */
const handed = {
  name: "handed",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      loader: "ts",
      contents: readFileSync(path, "utf8").replace(
        /^import\s*\{([^}]*)\}\s*from\s*"(.*?)";?$/gm,
        (text, names, from) => {
          if (!KIT_MODULES.includes(resolve(path, `../${from}.ts`))) return text;
          const wanted = names
            .split(",")
            .map((name) => name.trim())
            .filter(Boolean);
          const missing = wanted.find((name) => !KIT.includes(name) && !/^type /.test(name));
          if (missing) throw Error(`${path}: ${missing} is not in kit.ts`);
          return "";
        },
      ),
    })),
};

/**
 * Throws if a part bundles a module of the kit: that would be a copy with its own state, such as a second Trusted Types policy,
 * which pages refuse. `metafile` is esbuild's account of what went into the part.
 */
export function checkBundled(name, metafile) {
  const paths = Object.keys(metafile.inputs).map((path) => resolve(path));
  const copied = KIT_MODULES.find((path) => paths.includes(path));
  if (copied) {
    const [importer] =
      Object.entries(metafile.inputs).find(([, { imports }]) => imports.some(({ path }) => resolve(path) === copied)) ??
      [];
    throw Error(`${name} bundles a copy of ${copied}: write its import in ${importer} as \`import { … } from "…";\``);
  }
}

/** A part of the script: a function that gets the kit as arguments and returns what the entry assigns to `PART`. */
const part = (entry) => ({
  entry: `src/parts/${entry}.ts`,
  wrap: (code) => `(function(${KIT.map(letterOf)},PART){"use strict";${code.replace(/PART=(?=[^=]*$)/, "return ")}})`,
  options: { plugins: [handed], define: Object.fromEntries(KIT.map((name) => [name, letterOf(name)])) },
});

/** The generated files and their entries. The server composes the script of a project of the first and the parts that its ruleset needs. */
export const SCRIPTS = {
  // Called with the ruleset, the settings and the parts. A function scope hides everything but the page API from pages. The first line
  // makes Chromium compile all functions in the background while the script arrives, instead of one by one on their first call.
  "runtime.js": {
    entry: "src/browser/boot.ts",
    wrap: (code) => `//# allFunctionsCalledOnLoad\n(function(RULESET,SETTINGS,PARTS){"use strict";${code}})`,
  },
  "rules.js": part("rules"),
  "source.js": part("source"),
  "changes.js": part("changes"),
  "split.js": part("split"),
  "goals.js": part("goals"),
  "orders.js": part("orders"),
  "tools.js": part("tools"),
  "vitals.js": part("vitals"),
  // Files that are served on their own.
  "badge.js": { entry: "src/parts/badge.ts", wrap: (code) => `(()=>{"use strict";${code}})();` },
  "snippet.js": { entry: "src/parts/snippet.ts", wrap: (code) => `(()=>{${code}})();` },
};

/**
 * The types of the page API. web/runtime/muriel.d.ts is the source; the copy in crates/delivery/src/script/ is generated from it like
 * the scripts, and `--check` compares it. The server serves the copy at `/js/muriel.d.ts`.
 */
const TYPES = "muriel.d.ts";

/**
 * The properties that the minifier may rename: those with one leading underscore, which only internal objects of the script have.
 * Properties that are stored, sent or served, or belong to the page, the snippet or the browser, have other names and keep them.
 */
export const MANGLED = /^_[a-z]/;

/** The short names. One table for all files, as the runtime and its parts exchange objects. */
export const { mangleCache } = await build({
  entryPoints: Object.values(SCRIPTS).map(({ entry }) => here(entry)),
  bundle: true,
  minify: true,
  write: false,
  outdir: into,
  mangleProps: MANGLED,
  mangleCache: {},
});

export async function bundled(name, options = {}) {
  const { entry, wrap, options: own } = SCRIPTS[name];
  const result = await build({
    entryPoints: [here(entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2020",
    legalComments: "none",
    charset: "utf8",
    mangleProps: MANGLED,
    mangleCache,
    ...own,
    metafile: true,
    ...options,
  });
  if (own?.plugins?.includes(handed)) checkBundled(name, result.metafile);
  return wrap(result.outputFiles[0].text.trim().replace(/;$/, ""));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes("--check");
  let stale = false;
  for (const name of [...Object.keys(SCRIPTS), TYPES]) {
    const made = name === TYPES ? readFileSync(here(TYPES), "utf8") : (await bundled(name)) + "\n";
    if (!check) {
      writeFileSync(into + name, made);
    } else if (made !== readFileSync(into + name, "utf8")) {
      console.error(`${name} is not what web/runtime makes: run scripts/fresh --write`);
      stale = true;
    }
  }
  process.exitCode = stale ? 1 : 0;
}
