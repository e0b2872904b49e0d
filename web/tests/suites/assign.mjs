// Runs the cases of contract/assignment with the runtime's code in real browsers.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../bundle.mjs";
import { html } from "../html.mjs";

export const name = "assign";

/** The cases as files: `{ name, json }`. */
function cases() {
  const folder = resolve(ROOT, "contract/assignment");
  const names = readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort();
  return names.map((file) => ({ name: file, json: JSON.parse(readFileSync(resolve(folder, file), "utf8")) }));
}

/** More than 10,000, as a few visitors are invalid and get no decision. */
const CALLED_FOR = 10_400;

/**
 * Random rulesets and visitors and what the Rust core decides about them, a line of JSON each: those in the file
 * `MURIEL_DECISIONS`, or new ones by cargo, which compiles them where it has not.
 */
async function decided() {
  if (process.env.MURIEL_DECISIONS) return readFileSync(process.env.MURIEL_DECISIONS, "utf8");
  const example = ["run", "--quiet", "--locked", "-p", "muriel-assign", "--example", "decisions"];
  const args = [...example, "--", "--count", `${CALLED_FOR}`];
  const { stdout } = await promisify(execFile)("scripts/cargo", args, { cwd: ROOT, maxBuffer: 64 << 20 });
  return stdout;
}

let text;

const contract = {
  name: "decisions match contract/assignment",
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

const core = {
  name: "10,000 decisions match those of the Rust core",
  ms: 600_000,
  async run({ server, page, bundle }) {
    const lines = (await (text ??= decided())).trim().split("\n");
    const answers = lines.map((line) => JSON.parse(line).expect).filter(({ refused }) => !Array.isArray(refused));
    const count = answers.reduce((sum, each) => sum + Object.keys(each).length, 0);
    assert.ok(count >= 10_000, `only ${count} decisions`);
    server.route("/contract.js", await bundle("web/runtime/tests/assign/contract.ts", "contract"));
    server.route("/decisions", { type: "text/plain", body: lines.join("\n") });
    await page.goto(server.route("/", html({ body: `<script src="/contract.js"></script>` })));
    const { passed, failed, failures } = await page.evaluate(async () => {
      const lines = (await (await fetch("/decisions")).text()).split("\n");
      const all = { passed: 0, failed: 0, failures: [] };
      // In parts, as no page may hold its engine for long.
      while (lines.length > 0) {
        const { passed, failed, failures } = contract.replay(lines.splice(0, 200));
        all.passed += passed;
        all.failed += failed;
        all.failures.push(...failures.slice(0, 3));
        await new Promise((done) => setTimeout(done));
      }
      return all;
    });
    assert.equal(failed, 0, failures.slice(0, 10).join("\n"));
    assert.equal(passed, lines.length);
  },
};

export const tests = [contract, core];
