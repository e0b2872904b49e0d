// Builds what is tested and runs the tests: `node tests/run.mjs [--test TEXT] [FILE…]`.

import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { rolldown } from "rolldown";
import { built } from "../build.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { values, positionals } = parseArgs({ options: { test: { type: "string" } }, allowPositionals: true });

/** The unit tests beside their modules, as JavaScript. */
async function units() {
  const into = here("../build/unit/");
  rmSync(into, { recursive: true, force: true });
  const src = here("../src/");
  const tests = readdirSync(src, { recursive: true }).filter((path) => /\.test\.tsx?$/.test(path));
  const input = Object.fromEntries(tests.map((path) => [path.replace(/\.tsx?$/, "").replaceAll("/", "-"), src + path]));
  const build = await rolldown({
    input,
    platform: "node",
    external: [/^node:/],
    resolve: { alias: { "~": here("../src") } },
    logLevel: "warn",
  });
  await build.write({ dir: into, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name].mjs" });
  await build.close();
  return Object.keys(input).map((name) => `${into}${name}.mjs`);
}

const files = positionals.length > 0 ? positionals : [...(await units()), ...pages()];

function pages() {
  const found = (folder) => readdirSync(here(folder)).filter((name) => name.endsWith(".test.mjs"));
  return [...found("."), ...found("stories").map((name) => `stories/${name}`)].map((path) => here(path));
}

await built();
const { status } = spawnSync(
  process.execPath,
  [
    "--test",
    "--test-reporter=tap",
    // Browsers on a small machine.
    "--test-concurrency=1",
    ...(values.test ? [`--test-name-pattern=${values.test}`] : []),
    ...files,
  ],
  { stdio: "inherit", cwd: here("..") },
);
process.exitCode = status ?? 1;
