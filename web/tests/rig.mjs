// Records which version of the test rig has passed its own suite, per engine.
//
// A file in `rig/` is a fingerprint of the rig's source files and the version of the engine, so it is valid in a fresh
// clone, too. After a change of the rig, run the suite by name and commit these files. Until then, the whole suite runs
// every time.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

const at = (path) => new URL(path, import.meta.url);
const file = (suite, version) => at(`rig/${suite}.${version.split(/[ /]/)[0].toLowerCase()}`);

function fingerprint(suite, version) {
  const modules = (folder) =>
    readdirSync(at(folder))
      .filter((name) => name.endsWith(".mjs"))
      .sort()
      .map((name) => folder + name);
  const hash = createHash("sha256");
  for (const path of [...modules("./"), ...modules("./engines/"), `./suites/${suite}.mjs`, "./package-lock.json"]) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(at(path)))
      .update("\0");
  }
  return `${version}\n${hash.digest("hex")}\n`;
}

/** Returns whether this version of the rig has passed the whole suite with this version of the engine. */
export function isProved(suite, version) {
  try {
    return readFileSync(file(suite, version), "utf8") === fingerprint(suite, version);
  } catch (error) {
    if (error.code === "ENOENT") return false;
    throw error;
  }
}

/** Records that this version of the rig has passed the whole suite with this version of the engine. */
export function prove(suite, version) {
  mkdirSync(at("rig/"), { recursive: true });
  writeFileSync(file(suite, version), fingerprint(suite, version));
}
