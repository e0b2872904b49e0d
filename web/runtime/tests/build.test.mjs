// The contents of built parts: functions that the script passes to them are never bundled into them again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { bundled, mangleCache, SCRIPTS } from "../build.mjs";

const made = (file) =>
  bundled("split.js", {
    entryPoints: [fileURLToPath(new URL(`build/${file}.ts`, import.meta.url))],
    logLevel: "silent",
  });

test("an import on several lines takes from the kit", async () => {
  const part = await made("wrapped");
  assert.ok(!part.includes("createPolicy") && part.length < 300, part);
});

test("a module of the kit that is bundled again stops the build", async () => {
  await assert.rejects(made("copied"), /split\.js bundles a copy of .*trust\.ts: write its import in .*copied\.ts as/);
});

test("a name that is not in the kit stops the build", async () => {
  await assert.rejects(made("unknown"), /unknown\.ts: setNonce is not in kit\.ts/);
});

test("only names with a leading underscore are shortened", async () => {
  const part = await made("names");
  for (const name of ["path", "query", "port", "arm", "time", "__reactFiber"]) {
    assert.match(part, RegExp(`[.{,]${name}\\b`), `${name} was renamed: ${part}`);
  }
  assert.doesNotMatch(part, /_selector/);
});

test("every other property of the script keeps its name", async () => {
  assert.deepEqual(
    Object.keys(mangleCache).filter((name) => !/^_[a-z]\w+$/.test(name)),
    [],
  );
  const properties = (code) => new Set(code.match(/(?<=[.{,])[\w$]+(?=[^\w$])/g));
  for (const name of Object.keys(SCRIPTS)) {
    const shortened = properties(await bundled(name));
    const whole = await bundled(name, { mangleProps: undefined, mangleCache: undefined });
    // Only `.name`, as other names belong to variables, for example in `...name`.
    const lost = [...new Set(whole.match(/(?<=(?<!\.)\.)[A-Za-z][\w$]*/g))].filter(
      (property) => !shortened.has(property),
    );
    assert.deepEqual(lost, [], name);
  }
});
