// layers: checks which folders of src/ import which. Fails with every import that the layers do not allow.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const src = fileURLToPath(new URL("src/", import.meta.url));

/**
 * Allowed imports of each folder from others: names of folders, or of modules. Files directly in src/ may import
 * everything.
 */
const LAYERS = {
  api: [],
  lib: ["api"],
  // Components only know that requests fail, and when they are in flight. What is read or written is not theirs.
  ui: ["api/failure", "api/settled", "lib"],
  experiment: ["api", "lib", "ui"],
  shell: ["api", "lib", "ui"],
  pages: ["api", "lib", "ui", "experiment", "shell"],
  share: ["api", "lib", "ui", "experiment", "styles"],
};
/** Modules that the page of a shared result must not load, directly or indirectly: it has no session and no routes. */
const NOT_SHARED = ["api/session", "api/client", "main", "routes", "shell", "pages"];

const IMPORTS =
  /^(?:import|export)\s(?<kind>type\s)?[^"'`;]*?from\s*"(?<from>[^"]+)"|^import\s*"(?<bare>[^"]+)"|\bimport\(\s*"(?<later>[^"]+)"\s*\)/gm;

const names = readdirSync(src, { recursive: true }).map((path) => path.split(sep).join("/"));
const files = names.filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts"));

/** Imports of a file within src/: name of the module without extension, and line. */
function importsOf(file) {
  const text = readFileSync(join(src, file), "utf8");
  return [...text.matchAll(IMPORTS)].flatMap((match) => {
    const { kind, from, bare, later } = match.groups;
    const written = from ?? bare ?? later;
    if (!/^(~\/|\.)/.test(written)) return [];
    const module = written.startsWith("~/") ? written.slice(2) : relative(src, join(src, dirname(file), written));
    const line = text.slice(0, match.index).split("\n").length;
    return [{ written, module: module.split(sep).join("/"), line, isType: kind !== undefined }];
  });
}
const imports = new Map(files.map((file) => [file, importsOf(file)]));

const isIn = (module, place) => module === place || module.startsWith(`${place}/`);

/** Folder of a file or module that the rules are about. Each page is a folder of its own. */
const folderOf = (path) =>
  path
    .split("/")
    .slice(0, path.startsWith("pages/") ? 2 : 1)
    .join("/");

/** Rule that an import breaks; undefined if it is allowed. */
function broken(file, module) {
  const layer = file.split("/")[0];
  if (!file.includes("/") || isIn(module, folderOf(file))) return undefined;
  const allowed = LAYERS[layer];
  if (allowed === undefined) return `src/${layer} has no layer: add it in web/dashboard/layers.mjs`;
  if (layer === "pages" && isIn(module, "pages"))
    return "a page imports no other page: move what both need to src/experiment, src/ui or src/lib";
  if (allowed.some((place) => isIn(module, place))) return undefined;
  return `src/${layer} imports only ${allowed.join(", ") || "itself"}`;
}

const problems = [];
for (const [file, all] of imports)
  for (const { written, module, line } of all) {
    const rule = broken(file, module);
    if (rule) problems.push(`web/dashboard/src/${file}:${line} imports "${written}": ${rule}`);
  }

// Follows the imports of the page of a shared result, to the first that it must not load. Types are not loaded.
const fileOf = (module) => [".ts", ".tsx"].map((end) => module + end).find((file) => imports.has(file));
const ways = new Map([["share/main.tsx", "web/dashboard/src/share/main.tsx"]]);
const refused = new Set();
for (const [file, way] of ways)
  for (const { module, isType } of imports.get(file)) {
    const next = fileOf(module);
    if (isType || next === undefined || ways.has(next) || refused.has(next)) continue;
    if (NOT_SHARED.some((place) => isIn(module, place))) {
      refused.add(next);
      problems.push(`${way} → ${next}: the page of a shared result loads no session, route or page`);
    } else ways.set(next, `${way} → ${next}`);
  }

for (const problem of problems) console.error(problem);
console.log(
  `layers: ${[...imports.values()].flat().length} imports of ${imports.size} files, ${problems.length} not allowed`,
);
process.exitCode = problems.length > 0 ? 1 : 0;
