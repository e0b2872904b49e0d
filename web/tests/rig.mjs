// Which rig has passed its own tests: the files that tests are run with, and the version of the engine.
//
// A file of `rig/` has their fingerprint, for each suite and engine. It depends on nothing else, so a fresh clone decides
// alike. Whoever changes the rig runs the suite by name and commits these files; until then the suite runs whole.

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

/** Whether this rig has passed the whole suite with this version of the engine. */
export function isProved(suite, version) {
  try {
    return readFileSync(file(suite, version), "utf8") === fingerprint(suite, version);
  } catch (error) {
    if (error.code === "ENOENT") return false;
    throw error;
  }
}

/** Notes that it has. */
export function prove(suite, version) {
  mkdirSync(at("rig/"), { recursive: true });
  writeFileSync(file(suite, version), fingerprint(suite, version));
}
