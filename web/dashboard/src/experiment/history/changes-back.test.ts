import assert from "node:assert/strict";
import { test } from "node:test";
import { changesBack } from "./changes-back";
import type { Revision } from "./history-query";

const revision = (number: number, ...changes: [field: string, before: unknown, after: unknown][]) =>
  ({ revision: number, changes: changes.map(([field, before, after]) => ({ field, before, after })) }) as Revision;

test("what a restored revision changes follows from the changes since", () => {
  const history = [
    revision(4, ["name", "c", "d"], ["url", "x", "y"]),
    revision(3, ["name", "b", "c"], ["note", 1, 2]),
    revision(2, ["name", "a", "b"], ["url", "y", "x"]),
    revision(1),
  ];
  const back = (to: number) =>
    changesBack(history, to).map(({ field, before, after }) => `${field} ${String(before)} ${String(after)}`);
  assert.deepEqual(back(4), []);
  assert.deepEqual(back(3), ["name d c", "url y x"]);
  assert.deepEqual(back(2), ["name d b", "url y x", "note 2 1"]);
  // The URL is the same as at revision 1.
  assert.deepEqual(back(1), ["name d a", "note 2 1"]);
});
