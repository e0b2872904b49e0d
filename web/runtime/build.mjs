// build: makes what the server embeds, in crates/service/src/script/. `--check` fails where that is not what the sources make.
// The result is committed, so that building the server needs no Node.

import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const into = here("../../crates/service/src/script/");

// The names of kit.ts, and where they are from. In parts they are parameters, of the same names everywhere.
const kit = readFileSync(here("src/browser/kit.ts"), "utf8");
const KIT = /kit = \[(.*?)\]/s.exec(kit)[1].match(/\w+/g);
const KIT_MODULES = [...kit.matchAll(/ from "(.*)"/g)].map(([, path]) => here(`src/browser/${path}.ts`));
const letterOf = (name) => String.fromCharCode(65 + KIT.indexOf(name));
if (KIT.length > 26) throw Error("kit.ts has more names than there are letters");

/** Takes imports of what the script hands over out of a part, on however many lines they are written. */
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

/** A part of the script: a function that is called with what is in the kit, and gives what the part's entry gives to `PART`. */
const part = (entry) => ({
  entry: `src/parts/${entry}.ts`,
  wrap: (code) => `(function(${KIT.map(letterOf)},PART){"use strict";${code.replace(/PART=(?=[^=]*$)/, "return ")}})`,
  options: { plugins: [handed], define: Object.fromEntries(KIT.map((name) => [name, letterOf(name)])) },
});

/** What is made, of which entry. The server writes the script of a project from the first and the parts that its ruleset asks for. */
export const SCRIPTS = {
  // Called with the ruleset, the settings and the parts. All of it is in a function: a page sees nothing but the page API. Chromium
  // is told to compile all functions while the script arrives, beside the page: else it does so one by one, when they are called.
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
  // Files of their own.
  "badge.js": { entry: "src/parts/badge.ts", wrap: (code) => `(()=>{"use strict";${code}})();` },
  "snippet.js": { entry: "src/parts/snippet.ts", wrap: (code) => `(()=>{"use strict";${code}})();` },
};

/** The types of the page API are served as they are. */
const TYPES = "muriel.d.ts";

/**
 * The properties that the minifier may rename: those with one leading underscore, which only the script's own objects have.
 * Whatever is stored, sent or served, or belongs to the page, the snippet or the browser, has another name, and keeps it.
 */
export const MANGLED = /^_[a-z]/;

/** The short names. One table for all files, as the runtime and its parts hand each other objects. */
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
