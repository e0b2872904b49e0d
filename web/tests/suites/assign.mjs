// The cases of contract/assignment by the runtime's own code, in the engines that will run it.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ROOT } from "../bundle.mjs";
import { html } from "../html.mjs";

export const name = "assign";

/** The cases as files: `{ name, json }`. */
function cases() {
  const folder = resolve(ROOT, "contract/assignment");
  const names = readdirSync(folder).filter((file) => file.endsWith(".json")).sort();
  return names.map((file) => ({ name: file, json: JSON.parse(readFileSync(resolve(folder, file), "utf8")) }));
}

const contract = {
  name: "decides as the contract says",
  async run({ server, page, bundle }) {
    const files = cases();
    server.route("/contract.js", await bundle("web/runtime/tests/assign/contract.ts", "contract"));
    server.route("/cases", { type: "application/json", body: JSON.stringify(files) });
    await page.goto(server.route("/", html({ body: `<script src="/contract.js"></script>` })));
    const { passed, failed, failures } = await page.evaluate(async () => {
      const files = await (await fetch("/cases")).json();
      return contract.run(files);
    });
    assert.equal(failed, 0, failures.join("\n"));
    // What is not run cannot fail: every file has cases, and each of them is at least one check.
    const count = files.reduce((sum, { json }) => sum + json.cases.length, 0);
    assert.ok(count > 0 && passed >= count, `${passed} checks of ${count} cases`);
  },
};

export const tests = [contract];
