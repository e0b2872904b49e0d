// Elements that come late, pages that change back what was changed, experiments that meet on an element.

import assert from "node:assert/strict";
import { settled } from "./harness.mjs";

/** Keeps what each frame shows, and asks for the next part of the page once a few frames were painted. */
const sampler = (selector) => `
  frames = []; parts = 0; shown = 0;
  const sample = () => {
    frames.push([...document.querySelectorAll(${JSON.stringify(selector)})].filter((e) => e.checkVisibility()).map((e) => e.innerText.trim()).join("|"));
    if (++shown % 3 === 0 && document.readyState === "loading") fetch("/next/" + id);
    requestAnimationFrame(sample);
  };
  requestAnimationFrame(sample);`;

const streams = {
  "a text in two parts": [
    ["<p>first</p>", "<h1>Orig", "inal title</h1>", "<p>end</p>"],
    [{ target: "h1", innerText: "New" }],
    "h1",
    ["", "New"],
    "<h1>Original title</h1>",
  ],
  "a text whose element comes first": [
    ["<p>first</p>", "<h1>", "Original", " title</h1>", "<p>end</p>"],
    [{ target: "h1", innerText: "New" }],
    "h1",
    ["", "New"],
    "<h1>Original title</h1>",
  ],
  "content in many parts": [
    ["<p>first</p>", "<div>Orig", "inal <b>wo", "rds</b> and ", "more<p>of ", "them</p></div>", "<p>end</p>"],
    [{ target: "div", textContent: "New" }],
    "div",
    ["", "New"],
    "<div>Original <b>words</b> and more<p>of them</p></div>",
  ],
  "html in many parts": [
    ["<p>first</p>", "<div>Orig", "inal <b>wo", "rds</b> and ", "more</div>", "<p>end</p>"],
    [{ target: "div", innerHTML: "<i>New</i> tail" }],
    "div",
    ["", "New tail"],
    "<div>Original <b>words</b> and more</div>",
  ],
  "an element replaced": [
    ["<p>first</p>", "<div>Orig", "inal <b>wo", "rds</b></div> text", " after", "<p>end</p>"],
    [{ target: "div", outerHTML: "<u>New</u> tail" }],
    "div,u",
    ["", "New"],
    "<div>Original <b>words</b></div> text after",
  ],
  "an element hidden": [
    ["<p>first</p>", "<div>Orig", "inal</div>", "<p>end</p>"],
    [{ rm: "div" }],
    "div",
    [""],
    "<div>Original</div>",
  ],
  "more children than may be fought about": [
    ["<ul>", ...Array.from({ length: 15 }, (_, i) => `<li>${i}</li>`), "</ul>"],
    [{ refEl: "ul", dir: "p", htmlBlock: "<i>last</i>" }],
    "ul>:last-child",
    ["last"],
    `<ul>${Array.from({ length: 15 }, (_, i) => `<li>${i}</li>`).join("")}</ul>`,
  ],
  "an element moved, what it moves to after it": [
    ["<p>first</p>", "<main><b>x</b><i>y</i></main>", "<aside>", "z</aside>", "<p>end</p>"],
    [{ oriEl: "b", refEl: "aside", dir: "p" }],
    "aside",
    ["", "x", "zx"],
    "<main><b>x</b><i>y</i></main><aside>z</aside>",
  ],
};

const cases = [];
for (const [name, [parts, items, selector, allowed, original]] of Object.entries(streams)) {
  for (const keep of [true, false]) {
    cases.push([
      `no frame shows the original: ${name}${keep ? "" : ", once only"}`,
      async (page, server) => {
        const head = `applied = M.change(${JSON.stringify(items)}, ${keep});` + sampler(selector);
        await page.goto(server.url(parts, { head }), { waitUntil: "load" });
        await settled(page);
        const frames = await page.evaluate(() => frames);
        assert.ok(frames.length >= 3 * (parts.length - 1), `${frames.length} frames`);
        assert.deepEqual(frames.filter((shown) => !allowed.includes(shown)), []);
        assert.equal(frames.at(-1), allowed.at(-1));
        assert.deepEqual(await page.evaluate(() => [said, applied.missing()]), [[], []]);
        await page.evaluate(() => applied.undo());
        const after = await page.evaluate(() => document.body.innerHTML);
        assert.ok(after.replace(/<\/?p>| style=""/g, "").includes(original.replace(/<\/?p>/g, "")), after);
      },
    ]);
  }
}

/** A page's rewrite of what a change has changed, and what is seen with and without `keep`, and after undoing. */
const rewrites = {
  "a text by its data": [{ target: "h1", innerText: "New" }, () => (h1.firstChild.data = "Page"), () => h1.textContent, "New", "Page"],
  "a text replaced": [{ target: "h1", innerText: "New" }, () => (h1.textContent = "Page"), () => h1.textContent, "New", "Page"],
  "a text by html": [{ target: "h1", innerText: "New" }, () => (h1.innerHTML = "<b>Pa</b>ge"), () => h1.textContent, "New", "Page"],
  "html by text": [{ target: "h1", innerHTML: "<i>New</i>" }, () => (h1.textContent = "Page"), () => h1.textContent, "New", "Page"],
  attribute: [{ target: "a", href: "/new" }, () => (a.href = "/page"), () => a.getAttribute("href"), "/new", "/page"],
  "attribute gone": [{ target: "a", href: "/new" }, () => a.removeAttribute("href"), () => a.getAttribute("href"), "/new", null],
  "a class gone": [{ target: "a", class: "n" }, () => (a.className = "page"), () => a.className, "page n", "page"],
  "a class back": [{ target: "a", class: "-old" }, () => (a.className = "page old"), () => a.className, "page", "page old"],
  "a declaration": [
    { target: "a", style: "color: red" },
    () => (a.style.color = "blue"),
    () => a.style.cssText,
    "color: red !important;",
    "color: blue;",
  ],
  "the style whole": [
    { target: "a", style: "color: red" },
    () => a.setAttribute("style", "margin: 1px"),
    () => a.style.cssText,
    "margin: 1px; color: red !important;",
    "margin: 1px;",
  ],
  "a block thrown out": [
    { refEl: "h1", dir: "a", htmlBlock: "<i>n</i>" },
    () => h1.nextSibling.remove(),
    () => h1.nextSibling.nodeName,
    "I",
    "A",
    true,
  ],
  "neighbours in between": [
    { refEl: "h1", dir: "b", htmlBlock: "<i>n</i>" },
    () => h1.before(document.createElement("u")),
    () => [...document.querySelector("main").children].map((e) => e.tagName).join(),
    "U,I,H1,A",
    "U,H1,A",
    true,
  ],
  "an element that is moved back": [
    { oriEl: "a", refEl: "h1", dir: "b" },
    () => document.querySelector("main").parentNode.append(a),
    () => document.querySelector("main").firstElementChild.tagName,
    "A",
    "H1",
  ],
};
for (const [name, [item, rewrite, read, kept, own, gone]] of Object.entries(rewrites)) {
  for (const keep of [true, false]) {
    cases.push([
      `the page rewrites ${name}; ${keep ? "kept" : "once only"}, and undone`,
      async (page, server) => {
        await page.goto(server.url(`<main><h1>Old</h1><a href="/old" class="old">l</a></main>`));
        await page.evaluate(
          ([item, keep]) => {
            window.h1 = document.querySelector("h1");
            window.a = document.querySelector("a");
            window.applied = M.change([item], keep);
          },
          [item, keep],
        );
        if (keep) {
          await page.evaluate(rewrite);
          assert.deepEqual(await page.evaluate(read), kept);
          if (!gone) await page.evaluate(rewrite);
          await page.evaluate(() => applied.undo());
        } else {
          await page.evaluate(`(${rewrite})(); now = (${read})(); applied.undo()`);
          if (!/moved|between|thrown/.test(name)) assert.deepEqual(await page.evaluate(() => now), own === "blue" ? "blue" : await page.evaluate(read));
        }
        assert.deepEqual(await page.evaluate(read), own);
        assert.deepEqual(await page.evaluate(() => [said, Object.keys(h1), Object.keys(a)]), [[], [], []]);
      },
    ]);
  }
}

const page1 = `<h1 class="c" style="margin-left: 4px;">Old</h1><p>Some <b>words</b></p>`;
const pairs = {
  texts: [{ target: "h1", innerText: "A" }, { target: "h1", innerText: "B" }],
  "text and html": [{ target: "h1", innerText: "A" }, { target: "h1", innerHTML: "<i>B</i>" }],
  "html and text": [{ target: "p", innerHTML: "<i>A</i>" }, { target: "p", textContent: "B" }],
  "replaced twice": [{ target: "h1", outerHTML: "<i>A</i>" }, { target: "h1", outerHTML: "<i>B</i>" }],
  styles: [{ target: "h1", style: "margin: 1px; color: red" }, { target: "h1", style: "margin-left: 2px; color: blue" }],
  classes: [{ target: "h1", class: "a -c" }, { target: "h1", class: "c a b" }],
  blocks: [{ refEl: "h1", dir: "a", htmlBlock: "A" }, { refEl: "h1", dir: "a", htmlBlock: "<i>B</i>" }],
  moves: [{ oriEl: "h1", refEl: "p", dir: "a" }, { oriEl: "h1", refEl: "b", dir: "p" }],
  "hidden and changed": [{ rm: "h1" }, { target: "h1", style: "display: block", innerText: "B" }],
  "content of which a part is moved": [{ oriEl: "b", refEl: "h1", dir: "a" }, { target: "p", innerHTML: "<i>B</i>" }],
  "content of which a part in the middle is moved": [{ oriEl: "p", refEl: "h1", dir: "b" }, { target: "body", innerHTML: "<i>B</i>" }],
  "a part of content moved elsewhere": [{ target: "p", innerHTML: "<i>B</i>" }, { oriEl: "i", refEl: "h1", dir: "a" }],
};
for (const [name, [first, second]] of Object.entries(pairs)) {
  cases.push([
    `two on one element, undone in any order: ${name}`,
    async (page, server) => {
      await page.goto(server.url(page1));
      const seen = await page.evaluate(
        async ([first, second]) => {
          const look = () => document.body.innerHTML.replaceAll("<!---->", "").replace(/ class="(.*?)"/g, (_, names) => names.split(" ").sort().map((name) => "." + name).join(""));
          const settle = () => new Promise((done) => requestAnimationFrame(() => done()));
          const out = [];
          for (const order of [[0, 1], [1, 0]]) {
            const alone = [];
            const undos = [];
            const plain = look();
            for (const item of [first, second]) {
              const { undo } = M.change([item]);
              alone.push(look());
              undo();
            }
            for (const item of [first, second]) undos.push(M.change([item]).undo);
            await settle();
            const both = look();
            await settle();
            const stays = both === look();
            undos[order[0]]();
            const left = look() === alone[order[1]];
            await settle();
            undos[order[1]]();
            out.push([stays, left, look() === plain || look() + " <- " + plain]);
            await settle();
          }
          return [...out, said];
        },
        [first, second],
      );
      // What is inside the content of another experiment goes with it.
      const parts = name.includes("part");
      for (const [stays, left, plain] of seen.slice(0, 2)) assert.deepEqual([stays, parts || left, plain], [true, true, true]);
      assert.deepEqual(seen[2], []);
    },
  ]);
}

cases.push(
  [
    "a page that fights has its way after ten rounds in a second, and we say so once",
    async (page, server) => {
      await page.goto(server.url("<h1>Old</h1>"));
      const seen = await page.evaluate(async () => {
        const h1 = document.querySelector("h1");
        let rounds = 0;
        new MutationObserver(() => {
          if (h1.textContent !== "Old" && rounds++ < 1000) h1.textContent = "Old";
        }).observe(h1, { childList: true, characterData: true, subtree: true });
        const { undo } = M.change([{ target: "h1", innerText: "New", class: "x" }]);
        for (let i = 0; i < 5; i++) await new Promise((done) => requestAnimationFrame(() => done()));
        const out = [h1.outerHTML, rounds < 50, said.slice()];
        undo();
        return [...out, h1.outerHTML];
      });
      assert.deepEqual(seen.slice(1, 3), [true, ["fight:h1"]]);
      assert.match(seen[0], /^<h1( class="")?>Old<\/h1>$/);
      assert.match(seen[3], /^<h1( class="")?>Old<\/h1>$/);
    },
  ],
  [
    "a page that changes back now and then has its way after fifty rounds",
    async (page, server) => {
      await page.clock.install();
      await page.goto(server.url("<h1>Old</h1>"));
      await page.evaluate(() => (window.applied = M.change([{ target: "h1", innerText: "New" }])));
      for (let round = 1; round <= 52; round++) {
        await page.evaluate((round) => (document.querySelector("h1").textContent = `Old ${round}`), round);
        await page.clock.runFor(1000);
        assert.equal(await page.evaluate(() => document.querySelector("h1").textContent), round <= 50 ? "New" : `Old ${round}`);
      }
      assert.deepEqual(await page.evaluate(() => said), ["fight:h1"]);
    },
  ],
  [
    "once only: late elements are changed, once",
    async (page, server) => {
      await page.goto(server.url("<h1>Old</h1>"));
      await page.evaluate(() => {
        window.applied = M.change([{ target: "h1", innerText: "New" }], false);
        document.body.append(Object.assign(document.createElement("h1"), { textContent: "Late" }));
      });
      const read = () => [...document.querySelectorAll("h1")].map((e) => e.textContent).join();
      assert.equal(await page.evaluate(read), "New,New");
      await page.evaluate(() => document.querySelectorAll("h1").forEach((e) => (e.textContent = "Page")));
      await settled(page);
      assert.equal(await page.evaluate(read), "Page,Page");
    },
  ],
  [
    "nothing keeps elements that the page has let go",
    async (page, server) => {
      await page.goto(server.url("<div></div>"));
      await page.evaluate(() => {
        window.refs = [];
        M.change([
          { target: "h1", innerText: "New", style: "color: red", class: "x" },
          { target: "p", innerHTML: "<i>New</i>" },
          { refEl: "h1", dir: "a", htmlBlock: "block" },
          { target: "p", outerHTML: "<u>u</u>" },
          { oriEl: "b", refEl: "h1", dir: "p" },
        ]);
      });
      for (let round = 0; round < 5; round++) {
        await page.evaluate(() => {
          const div = document.querySelector("div");
          div.innerHTML = "<h1>Old</h1><p>Some words</p><em>a <b>words</b></em>";
          div.querySelectorAll("*").forEach((e) => refs.push(new WeakRef(e)));
        });
        await settled(page);
      }
      assert.equal(await page.evaluate(() => document.querySelector("h1").textContent), "Newwords");
      await page.evaluate(() => (document.querySelector("div").innerHTML = ""));
      await settled(page);
      const session = await page.context().newCDPSession(page);
      await session.send("HeapProfiler.collectGarbage");
      assert.equal(await page.evaluate(() => refs.filter((ref) => ref.deref()).length), 0);
      assert.deepEqual(await page.evaluate(() => said), []);
    },
  ],
  [
    "an element that is taken out and put back is changed still",
    async (page, server) => {
      await page.goto(server.url("<h1>Old</h1><p>Some <b>words</b></p>"));
      await page.evaluate(() => {
        M.change([
          { target: "h1", innerText: "New" },
          { target: "p", innerHTML: "<i>New</i>" },
          { refEl: "p", dir: "b", htmlBlock: "<u>block</u>" },
        ]);
        window.kept = [...document.querySelectorAll("h1,p")];
        kept.forEach((e) => e.remove());
      });
      assert.equal(await page.evaluate(() => kept.map((e) => e.innerHTML).join() + document.querySelectorAll("u").length), "Old,Some <b>words</b>0");
      await page.evaluate(() => document.body.append(...kept));
      assert.equal(await page.evaluate(() => document.body.innerText.replace(/\s+/g, " ")), "New block New");
    },
  ],
  [
    "ten thousand nodes: no long task of ours",
    async (page, server) => {
      await page.goto(server.url("<div></div>"));
      const ms = await page.evaluate(async () => {
        M.change([
          { target: ".card h2", innerText: "New" },
          { target: ".card:nth-child(10n) p", style: "color: red; border: 1px solid blue", class: "x" },
          { refEl: ".card:nth-child(50n)", dir: "a", htmlBlock: "<i>n</i>" },
          { target: ".none", innerHTML: "x" },
          { oriEl: ".none", refEl: "div", dir: "p" },
        ]);
        const div = document.querySelector("div");
        const html = `<div class="card"><h2>Old</h2><p>text <b>x</b></p></div>`.repeat(2500);
        const t = performance.now();
        div.innerHTML = html;
        await null;
        const first = performance.now() - t;
        const t2 = performance.now();
        for (let i = 0; i < 100; i++) {
          div.append(document.createElement("u"));
          await null;
        }
        return [first, (performance.now() - t2) / 100, document.querySelectorAll("h2").length, said.length];
      });
      console.log(`# 10,000 nodes: ${ms[0].toFixed(1)} ms with parsing, ${ms[1].toFixed(2)} ms for each later mutation`);
      assert.equal(ms[2], 2500);
      assert.equal(ms[3], 0);
    },
  ],
);

export default cases;
