import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Finds the folder of the cases in the working directory or a folder above it. */
export function folder(): string {
  for (let at = process.cwd(); ; at = dirname(at)) {
    const found = join(at, "contract", "assignment");
    if (existsSync(found)) return found;
    assert.notEqual(at, dirname(at), "contract/assignment is in no folder above");
  }
}
