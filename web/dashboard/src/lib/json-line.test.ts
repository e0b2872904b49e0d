import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonErrorLine } from "./json-line";

test("the line is that of the first character which cannot be there", () => {
  const cases: [string, number | undefined][] = [
    ['[{"a": [1, -2.5e3, true, null, "x\\u00e9\\n"]}, {}, []]\n', undefined],
    ['"\\"', 1],
    ['[\n  { "a": 1 },\n  { "a": ,\n]', 3],
    ["[\n1\n2]", 3],
    ["[\n1,\n]", 3],
    ['{"a": 1,\nb: 2}', 2],
    ["[\n[\n", 3],
    ["", 1],
    ["[]\n\nx", 3],
    ["[01]", 1],
    [`[\n${"[".repeat(100_000)}`, 1],
  ];
  for (const [text, line] of cases) assert.equal(jsonErrorLine(text), line, text.slice(0, 40));
});
