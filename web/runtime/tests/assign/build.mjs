// Builds the tests in this folder: `node tests/assign/build.mjs`, in web/runtime.

import { build } from "esbuild";

const shared = { bundle: true, format: "esm", target: "es2020", logLevel: "warning" };

await build({
  ...shared,
  entryPoints: ["contract.test", "reference.test", "bench"].map((name) => `tests/assign/${name}.ts`),
  outdir: "build/assign",
  outExtension: { ".js": ".mjs" },
  platform: "node",
  sourcemap: "inline",
});
await build({
  ...shared,
  entryPoints: ["tests/assign/contract.ts"],
  outdir: "build/assign",
  format: "iife",
  globalName: "contract",
});
