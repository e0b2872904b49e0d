// The names of stored values show which project they belong to: settings.ts.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../src/browser/", import.meta.url));
const files = readdirSync(folder, { recursive: true }).filter((file) => `${file}`.endsWith(".ts"));
const named = files.flatMap((file) => {
  const source = readFileSync(folder + file, "utf8");
  const calls = source.matchAll(/\b(\w+)\(\s*["'`]((?:[^"'`]|\$\{.*?\})*)["'`]/g);
  return [...calls]
    .filter(([, call]) => /^(storeLocal|readLocal|remember|recall|isRemembered|nameOf)$/.test(call))
    .map(([, , what]) => `${file}: ${what}`);
});

/**
 * Values that all projects of a site share, a cookie that is removed at once, and values stored by earlier versions.
 */
const SHARED = [
  "consent.ts: c",
  "storage.ts: d",
  "storage.ts: t",
  "identity.ts: id",
  "recorder.ts: id",
  // Only read: a framework is stored only if the visitor is.
  "changes/hydration.ts: id",
  "identity.ts: a",
  "transport.ts: q",
];

test("everything that is stored belongs to a project, but for what is listed", () => {
  assert.ok(named.length > 15, `${named}`);
  assert.deepEqual([...new Set(named.filter((each) => !each.endsWith("_")))].sort(), SHARED.sort());
});
