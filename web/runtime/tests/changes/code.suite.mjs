// Customers' code.

import assert from "node:assert/strict";
import { settled } from "./harness.mjs";

/** Runs code in an empty page and gives what it left in `window.out`, and what was told. */
const run = (page, source, more = "") =>
  page.evaluate(
    ([source, more]) => {
      window.out ??= [];
      window.failed ??= [];
      window.noise ??= [];
      window.addEventListener("error", (e) => noise.push(e.message));
      window.undo = M.runCode(source, "muriel-1", { key: "k" }, (m) => failed.push(m));
      return eval(more) ?? [out, failed];
    },
    [source, more],
  ).then((seen) => JSON.parse(JSON.stringify(seen).replaceAll("Failed to execute 'append' on 'Element': ", "")));

const simple = {
  "sees the experiment and the window": ["out.push(experiment.key, this === window)", [["k", true], []]],
  "may call things experiment itself": ["const experiment = 3; let __muriel_turn = 1; out.push(experiment)", [[3], []]],
  "may be strict": ["'use strict'; out.push((function () { return this })() === undefined)", [[true], []]],
  "may end with a comment": ["out.push(1) // done", [[1], []]],
  "throws": ["throw new TypeError('oh')", [[], ["TypeError: oh"]]],
  "throws nothing that is an error": ["throw null", [[], ["null"]]],
  "is not JavaScript": ["out.push(1); if (", [[], ["Uncaught SyntaxError: Unexpected token '}'"]]],
  "leaves no globals": [
    "var a = 1; function b() {} out.push('a' in window, 'b' in window, document.querySelectorAll('script').length === 3)",
    [[false, false, false], []],
  ],
  "has no end, but turns": ["while (true) __muriel_turn()", [[], ["Error: loop"]]],
};

const cases = Object.entries(simple).map(([name, [source, expected]]) => [
  name,
  async (page, server) => {
    await page.goto(server.url("<p>x</p>"));
    const before = await page.evaluate(() => [Object.keys(window).length, document.querySelectorAll("script").length]);
    assert.deepEqual(await run(page, source), expected);
    const after = await page.evaluate(() => [Object.keys(window).length, document.querySelectorAll("script").length]);
    assert.deepEqual([after[0] - before[0], after[1] - before[1]], [4, 0]);
  },
]);

cases.push(
  [
    "one that fails stops no other",
    async (page, server) => {
      await page.goto(server.url(""));
      await run(page, "throw 1");
      await run(page, "if (");
      assert.deepEqual(await run(page, "out.push(1)"), [[1], ["1", "Uncaught SyntaxError: Unexpected token '}'"]]);
    },
  ],
  [
    "later errors are told under the name of whose they are, five of them",
    async (page, server) => {
      await page.goto(server.url(""));
      const failed = await page.evaluate(async () => {
        const failed = { a: [], b: [] };
        M.runCode("setTimeout(() => { throw Error('t') }); Promise.reject(Error('r'))", "m-1", {}, (m) => failed.a.push(m));
        M.runCode("setTimeout(() => { throw Error('t2') }); for (let i = 0; i < 9; i++) Promise.reject(Error('r' + i))", "m-11", {}, (m) => failed.b.push(m));
        setTimeout(() => { throw Error("page"); });
        Promise.reject(Error("page"));
        Promise.reject();
        await new Promise((done) => setTimeout(done, 50));
        failed.a.sort();
        return failed;
      });
      assert.deepEqual(failed, { a: ["Error: r", "Uncaught Error: t"], b: ["Uncaught Error: t2", "Error: r0", "Error: r1"] });
    },
  ],
  [
    "an error of the page while code runs is not the code's",
    async (page, server) => {
      await page.goto(server.url(""));
      await page.evaluate(() => addEventListener("ping", () => { throw Error("page"); }));
      assert.deepEqual(await run(page, "dispatchEvent(new Event('ping')); out.push(1)"), [[1], []]);
    },
  ],
  [
    "errors stay visible to the page",
    async (page, server) => {
      await page.goto(server.url(""));
      assert.deepEqual(await run(page, "if (", "noise"), ["Uncaught SyntaxError: Unexpected token '}'"]);
    },
  ],
  [
    "waits for elements, once, and cleans up",
    async (page, server) => {
      await page.goto(server.url("<p>x</p>"));
      const seen = await page.evaluate(async () => {
        window.out = [];
        const failed = [];
        const undo = M.runCode(
          `experiment.waitFor("p", (p) => out.push(p.textContent));
           experiment.waitFor("h1", (h1) => out.push(h1.textContent));
           experiment.waitFor("h2", () => { throw Error("h2") });
           experiment.waitFor("h3", () => out.push("never"));
           experiment.waitFor("h4[", () => out.push("never"));
           experiment.onCleanup(() => out.push("first"));
           experiment.onCleanup(() => { throw Error("bad") });
           experiment.onCleanup(() => out.push("last"));`,
          "a", {}, (m) => failed.push(m));
        for (const tag of ["h1", "h1", "h2", "p"]) document.body.append(Object.assign(document.createElement(tag), { textContent: tag }));
        await null;
        undo();
        undo();
        document.body.append(document.createElement("h3"));
        await new Promise((done) => setTimeout(done));
        return [out, failed];
      });
      assert.deepEqual(seen, [["x", "h1", "last", "first"], ["Error: h2", "Error: bad"]]);
    },
  ],
  [
    "redefines what pages have, and we go on",
    async (page, server) => {
      await page.goto(server.url("<h1>Old</h1>"));
      await page.evaluate(
        (source) => M.runCode(source, "a", {}, (what) => said.push(what)) && 0,
        `window.MutationObserver = undefined;
         window.performance = {}; Date.now = () => { throw 1 }; JSON.parse = null; Object.assign = null;
         Element.prototype.appendChild = () => { throw 1 }; Array.prototype.extra = 1; Object.prototype.other = 2;
         window.setTimeout = () => 1; window.trustedTypes = 3;`,
      );
      await page.evaluate(() => {
        window.h1 = document.getElementsByTagName("h1")[0];
        M.change([{ target: "h1", innerText: "New", class: "x", style: "color: red" }, { refEl: "h1", dir: "a", htmlBlock: "<i>b</i>" }]);
        h1.textContent = "Page";
      });
      assert.equal(await page.evaluate(() => document.body.innerText.replace(/\s+/g, " ")), "New b");
      assert.deepEqual(await page.evaluate(() => (M.runCode("window.ran = 2", "b", {}, () => {}), [window.ran, said])), [2, []]);
    },
  ],
  [
    "loops in other tasks have time of their own, also when the page was busy",
    async (page, server) => {
      await page.goto(server.url(""));
      const seen = await page.evaluate(async () => {
        window.out = [];
        const failed = [];
        M.runCode("window.work = (n) => { for (let i = 0; i < n; i++) __muriel_turn(); out.push(n) }", "a", {}, (m) => failed.push(m));
        for (let round = 0; round < 4; round++) {
          work(1000);
          const until = performance.now() + 300;
          while (performance.now() < until);
          await new Promise((done) => setTimeout(done));
        }
        return [out, failed];
      });
      assert.deepEqual(seen, [[1000, 1000, 1000, 1000], []]);
    },
  ],
  [
    "in a document that has no head yet",
    async (page, server) => {
      await page.goto(server.url(""));
      await page.evaluate(() => document.head.remove());
      assert.deepEqual(await run(page, "out.push(1)"), [[1], []]);
    },
  ],
);

export default cases;
