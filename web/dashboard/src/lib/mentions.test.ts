import assert from "node:assert/strict";
import { test } from "node:test";
import { complete, parts, stillCalled, typedMention } from "./mentions";

test("what is typed after an @", () => {
  for (const [text, expect] of [
    ["@", ""],
    ["@Ad", "Ad"],
    ["Look, @ada by", "ada by"],
    ["(@Grace", "Grace"],
    ["a\n@Li", "Li"],
    ["@Ada @Gr", "Gr"],
    ["mail ada@ex", undefined],
    ["@ Ada", undefined],
    ["@Ada said that it is", undefined],
    ["@Ada\nand", undefined],
    [`@${"x".repeat(41)}`, undefined],
    ["nobody", undefined],
    ["", undefined],
  ] as const) {
    const found = typedMention(text, text.length);
    assert.equal(found?.search, expect, text);
    if (found !== undefined) assert.equal(text[found.at], "@");
  }
  assert.deepEqual(typedMention("@Ada and more", 3), { at: 0, search: "Ad" });
});

test("a chosen person takes the place of what was typed", () => {
  assert.deepEqual(complete("Hi @ad", { at: 3, search: "ad" }, "Ada Lovelace"), {
    text: "Hi @Ada Lovelace ",
    caret: 17,
  });
  assert.deepEqual(complete("@ad, look", { at: 0, search: "ad" }, "Ada"), { text: "@Ada , look", caret: 5 });
  assert.deepEqual(complete("@ad look", { at: 0, search: "ad" }, "Ada"), { text: "@Ada look", caret: 5 });
});

test("a text in parts", () => {
  const ada = { person_id: 1, name: "Ada" };
  const lovelace = { person_id: 2, name: "Ada Lovelace" };
  const odd = { person_id: 3, name: "O'Neil (x|y) $1" };
  const told = (text: string, people = [ada, lovelace, odd]) =>
    parts(text, people).map((part) => (part.person ? [part.person.person_id, part.text] : part.text));
  assert.deepEqual(told("Hi @ada lovelace, and @Ada"), ["Hi ", [2, "@ada lovelace"], ", and ", [1, "@Ada"]]);
  assert.deepEqual(told("@Adam a@Ada"), ["@Adam a@Ada"]);
  assert.deepEqual(told("@O'Neil (x|y) $1!"), [[3, "@O'Neil (x|y) $1"], "!"]);
  assert.deepEqual(told("@Ada", []), ["@Ada"]);
  assert.deepEqual(told(""), []);
  assert.deepEqual(stillCalled("thanks @ADA", [ada, lovelace]), [ada]);
});
