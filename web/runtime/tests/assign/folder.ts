import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder of the cases, above wherever the tests are run. */
export function folder(): string {
  for (let at = process.cwd(); ; at = dirname(at)) {
    const found = join(at, "contract", "assignment");
    if (existsSync(found)) return found;
    assert.notEqual(at, dirname(at), "contract/assignment is in no folder above");
  }
}
