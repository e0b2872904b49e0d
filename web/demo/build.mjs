// build: generates the pages that `muriel demo` serves, in crates/demo/src/shop/. `--check` fails if they are not what
// the sources generate. The files are committed, so that building the server needs no Node.

import { build } from "esbuild";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { GOODS } from "./src/goods.mjs";
import { page } from "./src/page.mjs";
import { PAGES, finder, missing } from "./src/pages.mjs";
import { pictures } from "./src/pictures.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const into = here("../../crates/demo/src/shop/");
const TYPES = { html: "Html", css: "Css", js: "Script", svg: "Picture" };

async function bundled(entry, options = {}) {
  const result = await build({
    entryPoints: [here(entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2020",
    jsx: "automatic",
    legalComments: "none",
    charset: "utf8",
    define: { "process.env.NODE_ENV": '"production"' },
    ...options,
  });
  return result.outputFiles[0].text;
}

/** The pages of the React section, rendered by the code that also runs in browsers. */
async function routes() {
  const code = await bundled("src/finder/made.jsx", {
    format: "esm",
    platform: "node",
    packages: "external",
    minify: false,
  });
  // The folder is next to this file, so that imports resolve to its packages.
  const folder = mkdtempSync(here("build-"));
  try {
    const file = join(folder, "made.mjs");
    writeFileSync(file, code);
    return (await import(pathToFileURL(file).href)).ROUTES;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** All generated files: content by file name. */
async function made() {
  const files = new Map();
  const rows = [];
  const put = (path, file, content) => {
    files.set(file, content);
    rows.push([path, TYPES[file.split(".").pop()], file]);
  };
  const pages = [...PAGES, ...(await routes()).map((route) => finder(...route))];
  for (const each of pages) put(each.path, `pages${each.path === "/" ? "/index" : each.path}.html`, page(each));
  put("/assets/shop.css", "assets/shop.css", await bundled("src/shop.css", { minify: true }));
  put("/assets/shop.min.js", "assets/shop.min.js", await bundled("src/shop.js"));
  put("/assets/finder.min.js", "assets/finder.min.js", await bundled("src/finder/browser.jsx"));
  for (const [name, content] of pictures(GOODS)) put(`/img/${name}`, `img/${name}`, content);
  files.set("pages/404.html", page(missing));
  const list = rows.map(
    ([path, type, file]) => `    (${JSON.stringify(path)}, Type::${type}, include_str!(${JSON.stringify(file)})),\n`,
  );
  files.set(
    "files.rs",
    `//! Made by web/demo/build.mjs: what the shop has at which path.

use super::Type;

pub(super) const MISSING: &str = include_str!("pages/404.html");
#[rustfmt::skip]
pub(super) static FILES: [(&str, Type, &str); ${rows.length}] = [
${list.join("")}];
`,
  );
  return files;
}

const files = await made();
const there = existsSync(into)
  ? readdirSync(into, { recursive: true }).filter((name) => /\.\w+$/.test(name) && name !== "mod.rs")
  : [];
const gone = there.filter((name) => !files.has(name));
if (process.argv.includes("--check")) {
  const stale = [...files].filter(
    ([name, content]) => !existsSync(into + name) || readFileSync(into + name, "utf8") !== content,
  );
  for (const name of [...stale.map(([name]) => name), ...gone]) {
    console.error(`shop/${name} is not what web/demo makes: run scripts/fresh --write`);
    process.exitCode = 1;
  }
} else {
  gone.forEach((name) => rmSync(into + name));
  for (const [name, content] of files) {
    mkdirSync(dirname(into + name), { recursive: true });
    writeFileSync(into + name, content);
  }
}
