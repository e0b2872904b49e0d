import assert from "node:assert/strict";
import { test } from "node:test";
import { type DiffLine, lineDiff, withContext } from "./line-diff";

const SIGNS = { same: " ", removed: "-", added: "+" };
const shown = (diff: DiffLine[]) => diff.map(({ kind, text }) => SIGNS[kind] + text).join("|");
const text = (words: string) => words.replaceAll(" ", "\n");

test("lines that go and come", () => {
  for (const [before, after, expect] of [
    ["", "", ""],
    ["a", "a", " a"],
    ["", "a b", "+a|+b"],
    ["a b", "", "-a|-b"],
    ["a b c", "a x c", " a|-b|+x| c"],
    ["a b c", "a c", " a|-b| c"],
    ["a c", "a b c", " a|+b| c"],
    ["a b c d", "a x y d", " a|-b|-c|+x|+y| d"],
    ["a b c a b b a", "c b a b a c", null],
    ["x a b", "a b y", "-x| a| b|+y"],
  ] as const) {
    const diff = lineDiff(text(before), text(after));
    if (expect !== null) assert.equal(shown(diff), expect, `${before} → ${after}`);
    rebuilds(text(before), text(after), diff);
  }
  assert.equal(shown(lineDiff("a\r\nb", "a\nb")), " a| b");
});

/** Checks that both texts can be rebuilt from the diff. */
function rebuilds(before: string, after: string, diff: DiffLine[]): void {
  const without = (kind: DiffLine["kind"]) =>
    diff
      .filter((line) => line.kind !== kind)
      .map((line) => line.text)
      .join("\n");
  assert.equal(without("added"), before);
  assert.equal(without("removed"), after);
}

/** Pseudo-random numbers, the same at each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

test("both texts can be read from a diff of any two texts, and no shorter diff exists", () => {
  const random = numbers(7);
  const some = () =>
    Array.from({ length: Math.floor(random() * 12) }, () => "abcd"[Math.floor(random() * 4)]).join("\n");
  for (let round = 0; round < 500; round += 1) {
    const [before, after] = [some(), some()];
    const diff = lineDiff(before, after);
    rebuilds(before, after, diff);
    assert.equal(diff.filter(({ kind }) => kind === "same").length, common(split(before), split(after)));
  }
});

const split = (whole: string) => (whole === "" ? [] : whole.split("\n"));

/** Length of the longest common subsequence, by its definition. */
function common(was: string[], is: string[]): number {
  let row = is.map(() => 0);
  for (const line of was) {
    const next: number[] = [];
    is.forEach((other, at) => {
      const [left, above, corner] = [next[at - 1] ?? 0, row[at] ?? 0, at > 0 ? (row[at - 1] ?? 0) : 0];
      next.push(line === other ? corner + 1 : Math.max(left, above));
    });
    row = next;
  }
  return row.at(-1) ?? 0;
}

test("thousands of lines do not freeze the page", () => {
  const long = Array.from({ length: 20_000 }, (_, at) => `line ${at % 97} ${at}`);
  const edited = long.map((line, at) => (at % 100 === 0 ? `${line} changed` : line));
  const other = Array.from({ length: 20_000 }, (_, at) => `other ${at}`);
  const start = process.cpuUsage();
  const diff = lineDiff(long.join("\n"), edited.join("\n"));
  assert.equal(diff.filter(({ kind }) => kind === "removed").length, 200);
  assert.equal(withContext(diff).length, 400);
  // Nothing in common: the search gives up in time, and the result is still a diff.
  rebuilds(long.join("\n"), other.join("\n"), lineDiff(long.join("\n"), other.join("\n")));
  const { user, system } = process.cpuUsage(start);
  assert.ok(user + system < 2_000_000, `${user + system} µs of processor time`);
});

test("equal lines far from changes are left out", () => {
  const before = Array.from({ length: 20 }, (_, at) => String(at));
  const parts = withContext(lineDiff(before.join("\n"), before.map((line) => (line === "10" ? "x" : line)).join("\n")));
  assert.deepEqual(
    parts.map((part) => ("skipped" in part ? part.skipped : shown(part.lines))),
    [7, " 7| 8| 9|-10|+x| 11| 12| 13", 6],
  );
  assert.deepEqual(withContext(lineDiff("a\nb", "a\nb")), [{ skipped: 2 }]);
});
