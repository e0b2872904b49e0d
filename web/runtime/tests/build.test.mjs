// What the build puts into parts: what the script hands over is never bundled into them again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { bundled } from "../build.mjs";

const made = (file) =>
  bundled("split.js", { entryPoints: [fileURLToPath(new URL(`build/${file}.ts`, import.meta.url))], logLevel: "silent" });

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
