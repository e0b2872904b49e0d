// size: prints the sizes of the script and its parts, and fails if they exceed their bounds. Every page loads at least the script for an
// empty ruleset.

import { constants, brotliCompressSync, gzipSync } from "node:zlib";
import { bundled, SCRIPTS } from "./build.mjs";

const BOUNDS = { "runtime.js": { brotli: 8_192, gzip: 10_240 }, "snippet.js": { gzip: 400 } };

// The arguments with which the server calls the script of a project without experiments.
const key = "prj_9OTes55lcJ2RMPIVHkeM8v";
const settings = { base: "", prefix: "", global: "muriel", consent: "assumed" };
const empty = [
  { format: 1, hash: 1, project_key: key, experiments: [] },
  { ...settings, gpc: false, bots: false, health: 10 },
];
const CALLS = { "runtime.js": `(${empty.map((each) => JSON.stringify(each))},{});\n` };

let over = false;
for (const name of Object.keys(SCRIPTS)) {
  const plain = Buffer.from((await bundled(name)) + (CALLS[name] ?? ""));
  const sizes = {
    raw: plain.length,
    gzip: gzipSync(plain, { level: 9 }).length,
    brotli: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length,
  };
  const bounds = BOUNDS[name] ?? {};
  for (const [form, bound] of Object.entries(bounds)) over ||= sizes[form] > bound;
  const text = Object.entries(sizes).map(
    ([form, size]) => `${form} ${size}${bounds[form] ? ` of ${bounds[form]}` : ""}`,
  );
  console.log(`${name.padEnd(12)} ${text.join(", ")}`);
}
const whole = [];
for (const name of Object.keys(SCRIPTS).slice(0, -2)) whole.push(await bundled(name));
console.log(
  `all of it    brotli ${brotliCompressSync(Buffer.from(whole.join(",")), { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length}`,
);
if (over) console.error("the script has outgrown its bounds");
process.exitCode = over ? 1 : 0;
