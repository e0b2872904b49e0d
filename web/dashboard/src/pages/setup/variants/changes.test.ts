import assert from "node:assert/strict";
import { test } from "node:test";
import { type Change, furtherKeys, kindOf, needsCode, sentenceOf, styleText } from "./changes";

test("a change is one plain sentence", () => {
  const cases: [Change, string][] = [
    [{ target: ".buy", innerText: "Buy now" }, "Change the text of .buy to “Buy now”"],
    [{ target: ".buy", textContent: "" }, "Change the text of .buy to nothing"],
    [{ target: "", innerText: "x" }, "Change the text of an element to “x”"],
    [{ target: "p", innerHTML: "<b>\n  x</b>" }, "Change the HTML inside p to “<b> x</b>”"],
    [{ target: "p", outerHTML: "<i>x</i>" }, "Replace p with “<i>x</i>”"],
    [{ target: "img", src: "/b.png" }, "Change the source of img to “/b.png”"],
    [{ target: "a", href: "/b", style: "color: red" }, "Change the link of a to “/b”, and also its style"],
    [{ target: "a", style: { fontSize: "2em", color: "red" } }, "Style a with “font-size: 2em; color: red;”"],
    [{ target: "a", class: "big" }, "Add the class “big” to a"],
    [{ target: "a", class: "-big -red" }, "Remove the classes “big red” from a"],
    [{ target: "a", class: "big -red" }, "Add the class “big” to a, and remove the class “red” from it"],
    [{ rm: ".banner" }, "Hide .banner"],
    [{ refEl: "h1", dir: "a", htmlBlock: "<p>" }, "Insert “<p>” after h1"],
    [{ oriEl: "#a", refEl: "#b", dir: "p" }, "Move #a to the end of #b"],
    [
      { url: "https://b.example/", relay_param: false },
      "Redirect to https://b.example/, without the page’s parameters",
    ],
    [{ rm: ".a", pageUrl: "https://b.example/", sitewide: false }, "Hide .a, only on https://b.example/"],
    [{ rm: ".a", pageUrl: "https://b.example/", sitewide: true }, "Hide .a"],
    [{ other: 1 }, 'Unknown change: {"other":1}'],
  ];
  assert.deepEqual(
    cases.map(([change]) => sentenceOf(change)),
    cases.map(([, sentence]) => sentence),
  );
  assert.equal(sentenceOf({ rm: "x".repeat(100) }), `Hide ${"x".repeat(59)}…`);
});

test("kinds are those of the server, and code is never taken for something else", () => {
  const cases: [Change, string, boolean][] = [
    [{ target: "h1", innerText: "Hi", note: {} }, "content", false],
    [{ target: "h1", innerHTML: "<b>" }, "content", true],
    [{ target: "a", href: "/pricing" }, "content", false],
    [{ target: "a", href: " java\tscript:alert(1)" }, "content", true],
    [{ target: "nav > a.cta[title=x], area", href: "/pricing" }, "content", true],
    [{ target: "nav > a.cta", href: "/pricing" }, "content", false],
    [{ target: "#cta", href: "/pricing" }, "content", true],
    [{ target: "a use", href: "#x" }, "content", true],
    [{ target: "img", src: "/b.png" }, "content", true],
    [{ target: "h1", style: { color: "red", width: "calc(1px + 2px)" } }, "content", false],
    [{ target: "h1", style: "background: URL(/x.png)" }, "content", true],
    [{ target: "h1", style: { background: "u\\72l(/x)" } }, "content", true],
    [{ target: "h1" }, "unknown", false],
    [{ rm: ".banner" }, "hide", false],
    [{ refEl: "#a", dir: "b", htmlBlock: "<p>" }, "insert", true],
    [{ oriEl: "#a", refEl: "#b", dir: "p" }, "move", false],
    [{ url: "https://example.com/b" }, "redirect", false],
    [{}, "unknown", false],
  ];
  for (const [change, kind, code] of cases) {
    assert.equal(kindOf(change), kind, JSON.stringify(change));
    assert.equal(needsCode(change), code, JSON.stringify(change));
  }
  assert.deepEqual(furtherKeys({ target: "a", href: "/", note: 1, pageUrl: "x" }), ["note"]);
  assert.equal(styleText("color: red"), "color: red");
});
