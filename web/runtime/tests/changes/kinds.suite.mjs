// Each kind of change: applied to what is there, to what comes later, and undone.

import assert from "node:assert/strict";
import { settled } from "./harness.mjs";

const body = `<main><h1 id="t" class="big old" style="margin-left: 4px;">Title</h1><p id="p">One <b>two</b> three</p>
<img id="i" src="/a.png" srcset="/a2.png 2x"><a id="l" href="/old">link</a><ul id="u"><li id="x">x</li><li id="y">y</li></ul></main>
<table><tbody id="tb"><tr id="r"><td>1</td></tr></tbody></table><svg id="s"><g id="g"></g></svg>`;

/** Items, what is read of the page, and what that gives when they are applied. */
const kinds = {
  innerText: [[{ target: "#t", innerText: "New" }], () => document.querySelector("#t").innerHTML, "New"],
  "innerText with lines": [[{ target: "#t", innerText: "a\nb" }], () => document.querySelector("#t").innerHTML, "a<br>b<!---->"],
  textContent: [[{ target: "#p", textContent: "<i>" }], () => document.querySelector("#p").textContent, "<i>"],
  innerHTML: [
    [{ target: "#p", innerHTML: "<i>New</i>" }],
    () => document.querySelector("#p").firstChild.outerHTML + document.querySelector("#p").textContent,
    "<i>New</i>New",
  ],
  "innerHTML of a table": [
    [{ target: "#tb", innerHTML: "<tr><td>2</td></tr>" }],
    () => document.querySelector("#tb").firstElementChild.outerHTML,
    "<tr><td>2</td></tr>",
  ],
  "innerHTML of a drawing": [
    [{ target: "#g", innerHTML: "<path></path>" }],
    () => document.querySelector("#g").firstChild?.namespaceURI,
    "http://www.w3.org/2000/svg",
  ],
  outerHTML: [
    [{ target: "#t", outerHTML: "<h2>New</h2>" }],
    () => [getComputedStyle(document.querySelector("#t")).display, document.querySelector("#t").nextSibling.outerHTML],
    ["none", "<h2>New</h2>"],
  ],
  src: [[{ target: "#i", src: "/b.png" }], () => document.querySelector("#i").outerHTML, '<img id="i" src="/b.png">'],
  href: [[{ target: "#l", href: "/new" }], () => document.querySelector("#l").getAttribute("href"), "/new"],
  style: [
    [{ target: "#t", style: "color: red; margin: 1px 2px !important; background: url(\"data:a;b\")" }],
    () => document.querySelector("#t").style.cssText,
    'margin: 1px 2px !important; color: red !important; background: url("data:a;b") !important;',
  ],
  "style with a variable": [
    [{ target: "#t", style: "border: 1px solid var(--c, red); --d: 2px" }],
    () => document.querySelector("#t").style.cssText,
    "margin-left: 4px; border: 1px solid var(--c, red) !important; --d: 2px !important;",
  ],
  class: [[{ target: "#t", class: "a -old  b" }], () => document.querySelector("#t").className, "big a b"],
  rm: [[{ rm: "#t" }], () => getComputedStyle(document.querySelector("#t")).display, "none"],
  before: [[{ refEl: "#t", dir: "b", htmlBlock: "<i>n</i>" }], () => document.querySelector("#t").previousElementSibling?.outerHTML, "<i>n</i>"],
  after: [[{ refEl: "#t", dir: "a", htmlBlock: "<i>n</i>" }], () => document.querySelector("#t").nextElementSibling.outerHTML, "<i>n</i>"],
  inside: [[{ refEl: "#u", dir: "p", htmlBlock: "<li>n</li>" }], () => document.querySelector("#u").lastElementChild.outerHTML, "<li>n</li>"],
  "move before": [[{ oriEl: "#y", refEl: "#x", dir: "b" }], () => [...document.querySelectorAll("li")].map((e) => e.id).join(""), "yx"],
  "move after": [[{ oriEl: "#x", refEl: "#y", dir: "a" }], () => [...document.querySelectorAll("li")].map((e) => e.id).join(""), "yx"],
  "move inside": [[{ oriEl: "#t", refEl: "#u", dir: "p" }], () => document.querySelector("#u").lastElementChild.id, "t"],
};

const cases = [];
for (const [name, [items, read, expected]] of Object.entries(kinds)) {
  const whole = () => document.body.innerHTML;
  cases.push([
    `${name}: applied to what is there, and undone`,
    async (page, server) => {
      await page.goto(server.url(body));
      const before = await page.evaluate(whole);
      await page.evaluate((items) => (window.applied = M.change(items)), items);
      assert.deepEqual(await page.evaluate(read), expected);
      await settled(page);
      assert.deepEqual(await page.evaluate(read), expected);
      assert.deepEqual(await page.evaluate(() => applied.missing()), []);
      assert.deepEqual(await page.evaluate(() => said), []);
      await page.evaluate(() => (applied.undo(), applied.undo()));
      assert.equal(await page.evaluate(whole), before);
      await settled(page);
      assert.equal(await page.evaluate(whole), before);
      const own = () => [...document.querySelectorAll("*")].flatMap((e) => Object.keys(e));
      assert.deepEqual(await page.evaluate(own), []);
    },
  ]);
  cases.push([
    `${name}: applied before anything is there, and undone`,
    async (page, server) => {
      await page.goto(server.url(body, { head: `applied = M.change(${JSON.stringify(items)})` }));
      assert.deepEqual(await page.evaluate(read), expected);
      await page.evaluate(() => applied.undo());
      const after = await page.evaluate(whole);
      await page.goto(server.url(body));
      assert.equal(after, await page.evaluate(whole));
    },
  ]);
  cases.push([
    `${name}: applied to what a page makes anew`,
    async (page, server) => {
      await page.goto(server.url(body));
      await page.evaluate((items) => (window.applied = M.change(items)), items);
      for (let round = 0; round < 3; round++) {
        await page.evaluate((body) => (document.body.innerHTML = body), body);
        assert.deepEqual(await page.evaluate(read), expected);
      }
      await page.evaluate((body) => {
        applied.undo();
        window.undone = document.body.innerHTML;
        document.body.innerHTML = body;
        window.plain = document.body.innerHTML;
      }, body);
      assert.equal(await page.evaluate(() => undone), await page.evaluate(() => plain));
    },
  ]);
}

cases.push(
  [
    "what has none of the known keys is left out, and a redirect too",
    async (page, server) => {
      await page.goto(server.url(body));
      const before = await page.evaluate(() => document.body.innerHTML);
      await page.evaluate(() => M.change([{ url: "/elsewhere" }, { pageUrl: "/", sitewide: false }, {}]));
      assert.equal(await page.evaluate(() => document.body.innerHTML), before);
    },
  ],
  [
    "selectors that are none are told once and throw nothing; those without a match are missing",
    async (page, server) => {
      await page.goto(server.url(body));
      const missing = await page.evaluate(() =>
        M.change([
          { target: "h1[", innerText: "a" },
          { target: "h1[", innerText: "b" },
          { rm: "::" },
          { refEl: "<", dir: "a", htmlBlock: "" },
          { oriEl: "#x", refEl: ":nope()", dir: "a" },
          { target: "main >>> ]", innerText: "c" },
          { target: "#gone", innerText: "d" },
          { rm: "#gone2" },
          { oriEl: "#x", refEl: "#gone3", dir: "a" },
          { target: "#t", innerText: "fine" },
        ]).missing(),
      );
      assert.deepEqual(missing, ["#gone", "#gone2", "#gone3"]);
      assert.deepEqual(await page.evaluate(() => said), ["selector:h1[", "selector:::", "selector:<", "selector::nope()", "selector:main >>> ]"]);
      assert.equal(await page.evaluate(() => document.querySelector("#t").textContent), "fine");
    },
  ],
  [
    "an element is not moved into itself",
    async (page, server) => {
      await page.goto(server.url(body));
      const before = await page.evaluate(() => document.body.innerHTML);
      await page.evaluate(() => M.change([{ oriEl: "main", refEl: "#t", dir: "p" }]));
      assert.equal(await page.evaluate(() => document.body.innerHTML), before);
      assert.deepEqual(await page.evaluate(() => said), ["change:main"]);
    },
  ],
  [
    "open shadow roots, at once and late",
    async (page, server) => {
      await page.goto(server.url(`<x-a id="a"></x-a><x-a id="b"></x-a>`));
      await page.evaluate(() => {
        const fill = (id) => {
          document.querySelector(id).attachShadow({ mode: "open" }).innerHTML = "<p>Old</p><i>Hidden</i>";
        };
        fill("#a");
        window.applied = M.change([{ target: "x-a >>> p", textContent: "New" }, { rm: "x-a >>> i" }]);
        fill("#b");
        document.querySelector("#a").shadowRoot.append(Object.assign(document.createElement("p"), { textContent: "late" }));
        document.body.append("x", document.createElement("b"));
      });
      await settled(page);
      const read = () =>
        ["#a", "#b"].map((id) => [...document.querySelector(id).shadowRoot.children].map((e) => e.textContent + e.checkVisibility()));
      assert.deepEqual(await page.evaluate(read), [
        ["Newtrue", "Hiddenfalse", "Newtrue"],
        ["Newtrue", "Hiddenfalse"],
      ]);
      await page.evaluate(() => applied.undo());
      assert.deepEqual(await page.evaluate(read), [
        ["Oldtrue", "Hiddentrue", "latetrue"],
        ["Oldtrue", "Hiddentrue"],
      ]);
    },
  ],
  [
    "scripts in html do not run, and elements are made but once",
    async (page, server) => {
      await page.goto(server.url(body));
      await page.evaluate(() => {
        window.made = 0;
        customElements.define("x-made", class extends HTMLElement { constructor() { super(); made++; } });
        M.change([{ refEl: "#t", dir: "a", htmlBlock: "<script>window.ran=1</" + "script><x-made></x-made>" }]);
      });
      await settled(page);
      assert.deepEqual(await page.evaluate(() => [window.ran, made]), [undefined, 1]);
    },
  ],
  [
    "style sheets leave those of the page",
    async (page, server) => {
      await page.goto(server.url(body));
      const seen = await page.evaluate(() => {
        const theirs = new CSSStyleSheet();
        document.adoptedStyleSheets = [theirs];
        const first = M.applyCss("#t{color:rgb(1,2,3)}");
        const second = M.applyCss("#t{margin:7px!important}");
        const style = getComputedStyle(document.querySelector("#t"));
        const out = [style.color, style.marginTop];
        first(), first();
        out.push(style.color, style.marginTop);
        second();
        out.push(style.marginTop === "7px", document.adoptedStyleSheets.length, document.adoptedStyleSheets[0] === theirs);
        window.CSSStyleSheet = undefined;
        const third = M.applyCss("#t{color:rgb(4,5,6)}");
        out.push(style.color);
        third();
        out.push(style.color, document.querySelectorAll("style").length);
        return out;
      });
      assert.deepEqual(seen, ["rgb(1, 2, 3)", "7px", "rgb(0, 0, 0)", "7px", false, 1, true, "rgb(4, 5, 6)", "rgb(0, 0, 0)", 0]);
    },
  ],
);

export default cases;
