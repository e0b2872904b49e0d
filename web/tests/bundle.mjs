// Bundles TypeScript and modules as one script for a page.

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The root folder of the repository. */
export const ROOT = resolve(fileURLToPath(import.meta.url), "../../..");

/**
 * Bundles the module at a path of the repository as a script that assigns its exports to `window[global]`.
 *
 * With `minify`, the code is minified like the delivered runtime. Without it, errors have readable names.
 */
export async function bundle(path, global, { minify = false } = {}) {
  const { outputFiles } = await build({
    entryPoints: [resolve(ROOT, path)],
    bundle: true,
    write: false,
    format: "iife",
    globalName: global,
    target: "es2020",
    minify,
    logLevel: "silent",
  });
  return outputFiles[0].text;
}
