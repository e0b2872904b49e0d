// Runs the cases of contract/assignment in Node. If `MURIEL_DECISIONS` names a file written by `cargo run -p
// muriel-assign --example decisions -- --count 10000 --seed 0`, also compares with the Rust core's decisions in it.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Results, replay, run } from "./contract";
import { folder } from "./folder";

function assertPassed({ passed, failed, failures }: Results, least: number): void {
  assert.equal(failed, 0, failures.slice(0, 20).join("\n"));
  assert.ok(passed >= least, `only ${passed} were run`);
}

const files = readdirSync(folder()).filter((name) => name.endsWith(".json"));

// A runner that finds no cases must not pass.
assert.ok(files.length >= 30, "files of cases are missing");

for (const name of files) {
  test(`contract/assignment/${name}`, () => {
    assertPassed(run([{ name, json: JSON.parse(readFileSync(join(folder(), name), "utf8")) }]), 1);
  });
}

const decisions = process.env.MURIEL_DECISIONS;

test("decisions of the Rust core", { skip: decisions ? false : "MURIEL_DECISIONS names no file" }, () => {
  assertPassed(replay(readFileSync(decisions!, "utf8").split("\n")), 1_000);
});
