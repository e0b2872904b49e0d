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

/** Members of rules whose values select how a rule is evaluated. */
const SELECTING = new Set(["rule", "allowed", "criteria", "operator", "operand"]);

/** Adds each member of a rule that selects something, with its value. */
function addSelections(kinds, rule, value) {
  if (!value || typeof value !== "object") return;
  for (const [key, each] of Object.entries(value)) {
    if (SELECTING.has(key)) kinds.add(`${rule}: ${key} ${each}`);
    addSelections(kinds, rule, each);
  }
}

/** What a line tries: its targeting rules with their operators, what else its experiments have, the visitor's facts, the reasons. */
function kindsOf(line) {
  const { ruleset, visitor, place, forced, expect } = JSON.parse(line);
  const kinds = new Set();
  for (const { test_type, targeting, variants, ...others } of ruleset.experiments) {
    kinds.add(`type ${test_type}`);
    for (const name of ["serving", "exclusion", "holdouts"]) if (others[name]) kinds.add(name);
    for (const [on, rules] of [["experiment", targeting], ...variants.map((each) => ["variant", each.targeting])]) {
      for (const [name, rule] of Object.entries(rules ?? {})) {
        kinds.add(`${name} of ${on}`);
        addSelections(kinds, name, rule);
      }
    }
  }
  for (const name of Object.keys(visitor)) kinds.add(`fact ${name}`);
  if (forced) kinds.add("forced");
  if (Array.isArray(expect.refused)) for (const name of expect.refused) kinds.add(`refused ${name}`);
  else for (const { reason } of Object.values(expect)) kinds.add(`${reason} in ${place}`);
  return kinds;
}

const union = (sets) => new Set(sets.flatMap((set) => [...set]));

/** One of `every` lines, spread over all of them, and the first line of each kind that these do not have. */
function sampleOf(lines, every) {
  const kinds = lines.map(kindsOf);
  const isChosen = lines.map((_, at) => at % every === 0);
  const found = union(kinds.filter((_, at) => isChosen[at]));
  for (const [at, some] of kinds.entries()) {
    if (![...some].some((kind) => !found.has(kind))) continue;
    isChosen[at] = true;
    for (const kind of some) found.add(kind);
  }
  const sample = lines.filter((_, at) => isChosen[at]);
  assert.deepEqual([...union(sample.map(kindsOf))].sort(), [...union(kinds)].sort(), "kinds are missing in the sample");
  return sample;
}

/** How many decisions there are in lines; contexts that are refused get none. */
function decisionsIn(lines) {
  const answers = lines.map((line) => JSON.parse(line).expect).filter(({ refused }) => !Array.isArray(refused));
  return answers.reduce((sum, each) => sum + Object.keys(each).length, 0);
}

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

/** All decisions in Chromium, and with `--full` everywhere: an engine can differ in how it reads and compares, which a tenth shows. */
const core = {
  name: "decisions match those of the Rust core",
  ms: 600_000,
  async run({ engine, server, page, bundle, isFull }) {
    const all = (await (text ??= decided())).trim().split("\n");
    const isWhole = isFull || engine.name === "chromium";
    const lines = isWhole ? all : sampleOf(all, 10);
    const [count, least] = [decisionsIn(lines), isWhole ? 10_000 : 1_000];
    assert.ok(count >= least, `only ${count} decisions`);
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
