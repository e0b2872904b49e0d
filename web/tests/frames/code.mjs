// The JavaScript of experiments: its arguments, its isolation, and the reporting of its errors.

import { areNamed, equal, turn, until } from "./world.mjs";

/** An error message in a form that is equal in all engines: without "Uncaught", and syntax errors by name only. */
const plainly = (message) => message.replace(/^Uncaught /, "").replace(/^(SyntaxError):.*/, "$1");

/** Runs code that writes to `out`. Returns `out`, the reported errors, and a function that ends the code. */
function ran(page, source, name = "muriel-1") {
  const failed = [];
  page.win.out ??= [];
  const undo = page.M.runCode(source, name, { key: "k" }, (message) => failed.push(plainly(message)));
  return { out: page.win.out, failed, undo };
}

/** Code, its result in `out`, the reported errors, and the errors that the page sees. */
const ALONE = {
  "sees the experiment and the window": ["out.push(experiment.key, this === window)", ["k", true]],
  "may call things experiment itself": ["const experiment = 3; let __muriel_turn = 1; out.push(experiment)", [3]],
  "may be strict": ["'use strict'; out.push((function () { return this })() === undefined)", [true]],
  "may end with a comment": ["out.push(1) // done", [1]],
  "may return": ["out.push(1); return; out.push(2)", [1]],
  throws: ["throw new TypeError('oh')", [], ["TypeError: oh"]],
  "throws nothing that is an error": ["throw null", [], ["null"]],
  "throws what has no text": ["out.push(1); throw { toString() { throw 1 } }", [1]],
  "is no JavaScript": ["out.push(1); if (", [], ["SyntaxError"], ["SyntaxError"]],
  "ends itself too early": ["})}); out.push(1); (function(){(function(){", [1]],
  "leaves no globals": ["var a = 1; function b() {} out.push('a' in window, 'b' in window)", [false, false]],
  "has no end, but turns": ["while (true) __muriel_turn()", [], ["Error: loop"]],
  "catches the end of its loop, and goes on": [
    "while (true) { try { while (true) __muriel_turn() } catch { out.push(1); break } }",
    [1],
  ],
};

export const cases = {};
for (const [name, [source, out, failed = [], seen = []]] of Object.entries(ALONE)) {
  cases[`alone: ${name}`] = async ({ open }) => {
    let now = 0;
    const page = await open("<p>x</p>", { clock: () => (now += 1) });
    page.win.out = [];
    const [globals, scripts] = [Object.keys(page.win).length, page.$$("script").length];
    const done = ran(page, source);
    equal([done.out, done.failed], [out, failed]);
    equal(page.errors.splice(0).map(plainly), seen, "seen by the page");
    equal([Object.keys(page.win).length - globals, page.$$("script").length - scripts], [0, 0], "globals and scripts");
    // Whatever the code was, other code runs.
    equal(ran(page, "out = [7]", "muriel-2").failed, [], "the next");
    equal(page.win.out, [7], "the next");
    done.undo();
    await turn();
  };
}

Object.assign(cases, {
  async "errors of later are told under the name of whose they are, five of them"({ open }) {
    const page = await open("");
    const told = { a: [], b: [] };
    const code = (key, name, source) => page.M.runCode(source, name, {}, (message) => told[key].push(plainly(message)));
    code("a", "m-1", "setTimeout(() => { throw Error('a') }); Promise.reject(Error('ar'))");
    await until("both of the first are seen", () => page.errors.length === 2);
    equal(told.a.toSorted(), areNamed(page.win) ? ["Error: a", "Error: ar"] : [], "the first");
    page.win.eval("setTimeout(() => { throw Error('page') }); Promise.reject(Error('page')); Promise.reject()");
    code("b", "m-11", "setTimeout(() => { throw Error('b') })");
    await until("the page's own are seen", () => page.errors.length === 6);
    code("b", "m-11", "for (let at = 0; at < 9; at++) Promise.reject(Error('b' + at))");
    await until("all are seen", () => page.errors.length === 15);
    equal(told.b, areNamed(page.win) ? ["Error: b", "Error: b0", "Error: b1"] : [], "the second");
    equal(told.a.length, areNamed(page.win) ? 2 : 0, "the first, later");
    page.errors.length = 0;
  },

  async "an error of the page while code runs is not the code's"({ open }) {
    const page = await open("");
    page.win.eval("addEventListener('ping', () => { throw Error('page') })");
    const { out, failed } = ran(page, "dispatchEvent(new Event('ping')); out.push(1)");
    equal([out, failed, page.errors.splice(0).map(plainly)], [[1], [], ["Error: page"]]);
  },

  async "waits for elements, once, and cleans up"({ open }) {
    const page = await open("<p>p</p>");
    const { out, failed, undo } = ran(
      page,
      `experiment.waitFor("p", (p) => out.push(p.textContent));
       experiment.waitFor("h1", (h1) => out.push(h1.textContent));
       experiment.waitFor("h2", () => { throw Error("h2") });
       experiment.waitFor("h3", () => out.push("never"));
       experiment.waitFor("h4[", () => out.push("never"));
       experiment.onCleanup(() => out.push("first"));
       experiment.onCleanup(() => { throw Error("bad") });
       experiment.onCleanup(() => out.push("last"));`,
    );
    const add = (tag) =>
      page.$("body").append(Object.assign(page.win.document.createElement(tag), { textContent: tag }));
    for (const tag of ["h1", "h1", "h2", "p"]) add(tag);
    await null;
    undo();
    undo();
    add("h3");
    await turn();
    equal(
      [out, failed],
      [
        ["p", "h1", "last", "first"],
        ["Error: h2", "Error: bad"],
      ],
    );
  },

  async "waits for elements in shadow roots"({ open }) {
    const page = await open("<x-a></x-a>");
    page.$("x-a").attachShadow({ mode: "open" });
    const { out } = ran(page, `experiment.waitFor("x-a >>> p", (p) => out.push(p.textContent))`);
    page.$("x-a").shadowRoot.innerHTML = "<p>late</p>";
    await null;
    equal(out, ["late"]);
  },

  async "redefines what pages have, and the others and we go on"({ open }) {
    const page = await open("<h1>Old</h1>");
    const redefining = `
      window.MutationObserver = undefined; window.performance = {}; Date.now = () => { throw 1 };
      JSON.parse = JSON.stringify = Object.assign = null; Array.prototype.extra = 1; Object.prototype.other = 2;
      window.setTimeout = () => 1; window.trustedTypes = 3;
      Element.prototype.appendChild = () => { throw 1 }; Element.prototype.insertBefore = () => { throw 1 };
      window.Promise = window.MessageChannel = null;
      document.write = history.pushState = console.log = null;`;
    equal(ran(page, redefining).failed, [], "told");
    page.M.change([
      { target: "h1", innerText: "New", class: "x", style: "color: rgb(1, 2, 3)" },
      { refEl: "h1", dir: "a", htmlBlock: "<i>b</i>" },
    ]);
    page.$("h1").textContent = "Page";
    await null;
    equal([page.text(), page.css("h1").color, page.M.said], ["New b", "rgb(1, 2, 3)", []]);
    equal(ran(page, "out.push(2)", "muriel-2"), { out: [2], failed: [] }, "the next");
  },

  async "loops in other tasks have time of their own, also when the page was busy"({ open }) {
    let now = 0;
    const page = await open("", { clock: () => now });
    ran(page, "window.work = () => { for (let at = 0; at < 1000; at++) __muriel_turn() }");
    const works = () => {
      try {
        page.win.work();
        return true;
      } catch {
        return false;
      }
    };
    for (const round of [1, 2, 3]) {
      equal(works(), true, `round ${round}`);
      now += 600;
      equal(works(), false, `round ${round}, in the same task`);
      await until("a task of its own", works);
    }
  },

  async "in a document that has no head yet"({ open }) {
    const page = await open("");
    page.win.document.head.remove();
    equal(ran(page, "out.push(1)"), { out: [1], failed: [] });
  },
});
