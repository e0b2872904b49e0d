import assert from "node:assert/strict";
import { test } from "node:test";
import { type Decision, EMPTY, MOST, reduce } from "./log";

const at = "2026-11-05T14:03:05.000Z";
const told = (event: Record<string, unknown>, missed = 0) => ({
  kind: "message" as const,
  message: { at, missed, event: event as Record<string, never> },
});

test("the newest come first, and the oldest go", () => {
  let log = EMPTY;
  for (let value = 0; value <= MOST; value += 1) log = reduce(log, told({ type: "custom", value }));
  assert.equal(log.entries.length, MOST);
  const [first] = log.entries;
  assert.equal(first?.kind === "event" && first.event.value, MOST);
  assert.equal(new Set(log.entries.map(({ id }) => id)).size, MOST);
});

test("what was missed is said before what came after it", () => {
  const { entries } = reduce(EMPTY, told({ type: "custom" }, 7));
  assert.deepEqual(
    entries.map(({ kind }) => kind),
    ["event", "gap"],
  );
});

test("decisions belong to the last page view", () => {
  const decisions = [{ test_id: 1 } as Decision];
  let log = reduce(EMPTY, told({ type: "pageview", url: "https://shop.example/a" }));
  log = reduce(log, told({ type: "pageview", url: "https://shop.example/b" }));
  log = reduce(log, told({ type: "custom" }));
  log = reduce(log, { kind: "message", message: { at, missed: 0, decisions } });
  const having = log.entries.filter((entry) => entry.kind === "event" && entry.decisions !== undefined);
  assert.equal(having.length, 1);
  assert.equal(having[0]?.kind === "event" && having[0].event.url, "https://shop.example/b");
});

test("cleared, ids go on: nothing is taken for what was there", () => {
  const before = reduce(EMPTY, told({ type: "custom" }));
  const after = reduce(reduce(before, { kind: "clear" }), told({ type: "custom" }));
  assert.notEqual(after.entries[0]?.id, before.entries[0]?.id);
});
