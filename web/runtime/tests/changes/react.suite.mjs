// Pages that React 19 owns: each kind of change before and after it takes the page over, then what it does to elements that we have changed.

import assert from "node:assert/strict";
import { settled } from "./harness.mjs";

/** The page as the server has rendered it. */
const served =
  `<div id="root"><main id="m"><h1 id="t" class="big" style="color:black">Title <!-- -->0</h1><p id="p">One <b id="b">two</b></p>` +
  `<h2 id="w">Words</h2><ul id="u"><li id="x">x</li><li id="y">y</li><li id="z">z</li></ul><a id="l" href="/old">link</a>` +
  `<aside id="a">aside</aside></main><footer id="f">foot</footer></div>`;

const app = `
  const e = React.createElement;
  caught = [];
  function Guard() {}
  function App() {
    const [state, set] = React.useState({ n: 0, order: "xyz" });
    window.update = (next) => Dom.flushSync(() => set((old) => ({ ...old, ...next })));
    const { n, order, gone = "", main = true, words = "Words" } = state;
    const unless = (id, node) => (gone.includes(id) ? null : node);
    return e(React.Fragment, null,
      main && e("main", { id: "m" },
        unless("t", e("h1", { id: "t", className: "big" + (n || ""), style: { color: n ? "green" : "black" } }, "Title ", n)),
        unless("p", e("p", { id: "p" }, "One ", unless("b", e("b", { id: "b" }, "two", n ? n : null)))),
        unless("w", e("h2", { id: "w" }, words)),
        unless("u", e("ul", { id: "u" }, [...order].map((id) => e("li", { id, key: id }, id)))),
        unless("l", e("a", { id: "l", href: n ? "/n" + n : "/old" }, "link")),
        unless("a", e("aside", { id: "a" }, "aside"))),
      e("footer", { id: "f" }, "foot", n || null));
  }
  start = () => Dom.flushSync(() => {
    root = Client.hydrateRoot(document.querySelector("#root"), e(App), {
      onUncaughtError: (error) => caught.push(String(error)),
      onRecoverableError: (error) => recovered.push(String(error)),
    });
  });
  recovered = [];`;

/** Items, what shows that they are applied (where their elements are), and the id of what they change. */
const kinds = {
  text: [[{ target: "#w", innerText: "New" }], () => document.querySelector("#w").textContent === "New", "w"],
  "text of parts": [[{ target: "#t", textContent: "New" }], () => document.querySelector("#t").textContent === "New", "t"],
  html: [[{ target: "#p", innerHTML: "<i>New</i>" }], () => document.querySelector("#p").textContent === "New", "p"],
  "html of a list": [[{ target: "#u", innerHTML: "<li>New</li>" }], () => document.querySelector("#u").textContent === "New", "u"],
  "html of the whole": [[{ target: "#m", innerHTML: "<i>New</i>" }], () => document.querySelector("#m").textContent === "New", "m"],
  outer: [
    [{ target: "#w", outerHTML: "<h3>New</h3>" }],
    () => !document.querySelector("#w").checkVisibility() && document.querySelector("#w").nextSibling.textContent === "New",
    "w",
  ],
  href: [[{ target: "#l", href: "/new" }], () => document.querySelector("#l").getAttribute("href") === "/new", "l"],
  style: [[{ target: "#t", style: "color: red; margin: 1px" }], () => document.querySelector("#t").style.color === "red", "t"],
  class: [[{ target: "#t", class: "new -big" }], () => /new/.test(document.querySelector("#t").className), "t"],
  hidden: [[{ rm: "#p" }], () => !document.querySelector("#p").checkVisibility(), "p"],
  "block before": [
    [{ refEl: "#u", dir: "b", htmlBlock: "<i>New</i>" }],
    () => document.querySelector("#u").previousElementSibling?.textContent === "New",
    "u",
  ],
  "block after": [
    [{ refEl: "#x", dir: "a", htmlBlock: "<i>New</i>" }],
    () => document.querySelector("#x").nextElementSibling?.textContent === "New",
    "x",
  ],
  "block inside": [
    [{ refEl: "#u", dir: "p", htmlBlock: "<li>New</li>" }],
    () => document.querySelector("#u").lastElementChild.textContent === "New",
    "u",
  ],
  "moved within": [[{ oriEl: "#z", refEl: "#x", dir: "b" }], () => document.querySelector("#x").previousElementSibling?.id === "z", "z"],
  "moved elsewhere": [[{ oriEl: "#l", refEl: "#f", dir: "a" }], () => document.querySelector("#f").nextElementSibling?.id === "l", "l"],
  "moved inside": [[{ oriEl: "#b", refEl: "#a", dir: "p" }], () => document.querySelector("#a").lastElementChild?.id === "b", "b"],
  "moved to what is hidden later": [[{ oriEl: "#w", refEl: "#p", dir: "a" }], () => document.querySelector("#p").nextElementSibling?.id === "w", "w"],
  many: [
    [
      { oriEl: "#b", refEl: "#u", dir: "b" },
      { target: "#p", innerHTML: "<i>New</i>" },
      { oriEl: "#y", refEl: "#x", dir: "b" },
      { refEl: "#y", dir: "a", htmlBlock: "<li>New</li>" },
      { rm: "#a" },
      { target: "#w", innerText: "New" },
    ],
    () =>
      document.querySelector("#p").textContent === "New" &&
      document.querySelector("#u").previousElementSibling?.id === "b" &&
      document.querySelector("#y").nextElementSibling?.textContent === "New" &&
      document.querySelector("#w").textContent === "New",
    "p",
  ],
};

/** What React does, step by step; whether each leaves the changed elements in the page is seen from their ids. */
const steps = [
  { n: 1 },
  { words: "Other" },
  { order: "zyx" },
  { order: "xz" },
  { order: "yxz" },
  { gone: "b" },
  { gone: "" },
  { gone: "p" },
  { gone: "tu" },
  { gone: "" },
  { gone: "wla" },
  { gone: "t", n: 2 },
  { main: false },
  { main: true, gone: "" },
  { order: "", words: "" },
  { order: "zxy", words: "Again" },
  { n: 0, gone: "x" },
  { gone: "" },
];

/** What React shows without us, after each step. */
const text = () => document.querySelector("#root").innerText;

const cases = [];
for (const [name, [items, shows, id]] of Object.entries(kinds)) {
  for (const when of ["before", "after"]) {
    for (const script of ["/react.js", "/react-dev.js"]) {
      cases.push([
        `${name}, ${when} React takes over${script === "/react.js" ? "" : ", in development"}`,
        async (page, server) => {
          const errors = [];
          page.on("pageerror", (error) => errors.push(String(error)));
          await page.goto(server.url(served, { head: app, scripts: [script] }));
          const apply = () => page.evaluate((items) => (window.applied = M.change(items)), items);
          if (when === "before") await apply();
          await page.evaluate(() => start());
          await settled(page);
          if (when === "after") {
            assert.deepEqual(await page.evaluate(() => recovered), []);
            await apply();
          }
          await settled(page);
          const check = async (step) => {
            await settled(page);
            const there = await page.evaluate((id) => !!document.getElementById(id), id);
            if (there || step === "start") {
              const ok = await page.evaluate(shows).catch(() => "missing");
              // What an experiment builds on may be gone.
              if (ok !== true) {
                const whole = await page.evaluate(() => ["x", "f", "a", "u", "p", "w", "y", "b"].every((id) => document.getElementById(id)));
                assert.ok(!whole, `${step}: ${ok} ${await page.evaluate(() => document.querySelector("#root").innerHTML)}`);
              }
            }
            assert.deepEqual(await page.evaluate(() => [caught, said.filter((what) => !what.startsWith("fight"))]), [[], []], step);
            assert.ok((await page.evaluate(text)).includes("foot"), step);
          };
          await check("start");
          for (const step of steps) {
            await page.evaluate((step) => update(step), step);
            await check(JSON.stringify(step));
          }
          assert.equal(await page.evaluate(shows), true, await page.evaluate(() => document.querySelector("#root").innerHTML));
          // And without us it is React's page again, which goes on.
          await page.evaluate(() => applied.undo());
          await page.evaluate(() => update({ n: 3, order: "yx", words: "End" }));
          await settled(page);
          assert.equal((await page.evaluate(text)).replace(/\s+/g, " "), "Title 3 One two3 End y x link aside foot3");
          await page.evaluate(() => Dom.flushSync(() => root.unmount()));
          assert.deepEqual(await page.evaluate(() => [caught, document.querySelector("#root").innerHTML]), [[], ""]);
          assert.deepEqual(errors, []);
          assert.deepEqual(await page.evaluate(() => said), []);
        },
      ]);
    }
  }
}

cases.push([
  "undone while React works on: in the middle of each step",
  async (page, server) => {
    await page.goto(server.url(served, { head: app, scripts: ["/react.js"] }));
    await page.evaluate(() => start());
    for (const [items] of Object.values(kinds)) {
      for (const step of steps) {
        await page.evaluate(
          ([items, step]) => {
            const { undo } = M.change(items);
            update(step);
            undo();
          },
          [items, step],
        );
      }
    }
    await page.evaluate(() => update({ n: 3, order: "yx", words: "End", gone: "" }));
    assert.equal((await page.evaluate(text)).replace(/\s+/g, " "), "Title 3 One two3 End y x link aside foot3");
    assert.deepEqual(await page.evaluate(() => [caught, said]), [[], []]);
  },
]);

export default cases;
