// Builds what is here and says how large the core gets: `node tests/assign/build.mjs`, in web/runtime.

import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";

const shared = { bundle: true, format: "esm", target: "es2020", logLevel: "warning" };

// What a script takes of assign/: with and without what tells sources, and with what only tests and servers need.
const PARTS = {
  core: `import { decide } from "./src/assign/decide"; import { addressOf, referrerOf } from "./src/assign/page";
    self.muriel = [decide, addressOf, referrerOf];`,
  source: `import { sourceOf } from "./src/assign/source"; self.muriel = [sourceOf];`,
  "core and source": `import { decide } from "./src/assign/decide"; import { addressOf, referrerOf } from "./src/assign/page";
    import { sourceOf } from "./src/assign/source"; self.muriel = [decide, addressOf, referrerOf, sourceOf];`,
  all: `import * as contract from "./tests/assign/contract"; self.muriel = contract;`,
};
for (const [name, contents] of Object.entries(PARTS)) {
  const made = await build({
    ...shared, stdin: { contents, resolveDir: ".", loader: "ts" }, format: "iife", minify: true, write: false,
  });
  const bytes = made.outputFiles[0].contents;
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
  console.log(`${name}: ${bytes.length} raw, ${gzipSync(bytes, { level: 9 }).length} gzip, ${brotli} brotli`);
  if (process.argv.includes("--show") && name === "core") console.log(made.outputFiles[0].text);
}

await build({
  ...shared, entryPoints: ["contract.test", "reference.test", "bench"].map((name) => `tests/assign/${name}.ts`), outdir: "build/assign",
  outExtension: { ".js": ".mjs" }, platform: "node", sourcemap: "inline",
});
await build({
  ...shared, entryPoints: ["tests/assign/contract.ts"], outdir: "build/assign", format: "iife", globalName: "contract",
});
