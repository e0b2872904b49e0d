// Properties of pages: late elements, shadow roots, many elements, invalid selectors, style sheets.

import { equal, turn } from "./world.mjs";

const BODY = `<main><h1 id="t">Title</h1><p id="p">One <b>two</b></p><ul><li id="x">x</li></ul></main>`;

/** Fills a host with an open shadow root. */
const fill = (host) => (host.attachShadow({ mode: "open" }).innerHTML = "<p>Old</p><i>Hidden</i>");

const inside = ({ $$ }) =>
  $$("x-a").map(({ shadowRoot }) => [...shadowRoot.children].map((each) => each.textContent + each.checkVisibility()));

const added = ({ win }, tag, textContent = "Late") =>
  win.document.body.appendChild(Object.assign(win.document.createElement(tag), { textContent }));

export const cases = {
  async "what has none of the known keys is left out, and a redirect too"({ open }) {
    const page = await open(BODY);
    const plain = page.html();
    page.M.change([{ url: "/elsewhere" }, { pageUrl: "/", sitewide: false }, {}]);
    equal([page.html(), page.M.said], [plain, []]);
  },

  async "selectors that are none are told once and throw nothing; those without a match are missing"({ open }) {
    const page = await open(BODY);
    const { missing } = page.M.change([
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
    ]);
    equal(missing(), ["#gone", "#gone2", "#gone3"], "missing");
    equal(
      page.M.said,
      ["h1[", "::", "<", ":nope()", "main >>> ]"].map((selector) => "selector:" + selector),
      "said",
    );
    equal(page.$("#t").textContent, "fine");
  },

  async "an element is not moved into itself"({ open }) {
    const page = await open(BODY);
    const plain = page.html();
    page.M.change([{ oriEl: "main", refEl: "#t", dir: "p" }]);
    equal([page.html(), page.M.said], [plain, ["change:main"]]);
  },

  async "open shadow roots, at once and late"({ open }) {
    const page = await open("<x-a></x-a><x-a></x-a>");
    const [first, second] = page.$$("x-a");
    fill(first);
    const { undo } = page.M.change([{ target: "x-a >>> p", textContent: "New" }, { rm: "x-a >>> i" }]);
    fill(second);
    first.shadowRoot.append(Object.assign(page.win.document.createElement("p"), { textContent: "Late" }));
    // A mutation in the page's own tree makes the engine find roots that were attached unnoticed.
    added(page, "b");
    await null;
    equal(inside(page), [
      ["Newtrue", "Hiddenfalse", "Newtrue"],
      ["Newtrue", "Hiddenfalse"],
    ]);
    second.shadowRoot.querySelector("p").textContent = "Page";
    await null;
    equal(inside(page)[1], ["Newtrue", "Hiddenfalse"], "kept");
    undo();
    equal(
      inside(page),
      [
        ["Oldtrue", "Hiddentrue", "Latetrue"],
        ["Pagetrue", "Hiddentrue"],
      ],
      "undone",
    );
  },

  async "shadow roots in shadow roots"({ open }) {
    const page = await open("<x-a></x-a>");
    const outer = page.$("x-a").attachShadow({ mode: "open" });
    const { undo } = page.M.change([{ target: "x-a >>> x-b >>> p", innerText: "New" }]);
    outer.innerHTML = "<x-b></x-b>";
    fill(outer.firstChild);
    added(page, "b");
    await null;
    const read = () => outer.firstChild.shadowRoot.querySelector("p").textContent;
    equal(read(), "New");
    undo();
    equal(read(), "Old", "undone");
  },

  async "scripts in html do not run, and elements are made but once"({ open }) {
    const page = await open(BODY);
    page.win.eval(
      `made = 0; customElements.define("x-made", class extends HTMLElement { constructor() { super(); made++; } });`,
    );
    page.M.change([{ refEl: "#t", dir: "a", htmlBlock: "<script>ran = 1</" + "script><x-made></x-made>" }]);
    page.M.change([{ target: "#p", innerHTML: "<script>ran = 2</" + "script>" }]);
    await turn();
    equal([page.win.ran, page.win.made], [undefined, 1]);
  },

  async "style sheets leave those of the page"({ open }) {
    const page = await open(BODY);
    const { document: doc } = page.win;
    const theirs = new page.win.CSSStyleSheet();
    doc.adoptedStyleSheets = [theirs];
    const read = () => [page.css("#t").color, page.css("#t").marginTop];
    const [color] = read();
    const first = page.M.applyCss("#t{color:rgb(1,2,3)}");
    const second = page.M.applyCss("#t{margin:7px!important}");
    equal(read(), ["rgb(1, 2, 3)", "7px"]);
    first();
    first();
    equal(read(), [color, "7px"], "the first undone");
    second();
    equal(
      [read()[1] === "7px", doc.adoptedStyleSheets.length, doc.adoptedStyleSheets[0] === theirs],
      [false, 1, true],
      "both undone",
    );
    // Sheets with imports, and browsers without constructed sheets, get a style element.
    const importing = page.M.applyCss(`@import "data:text/css,"; #t{color:rgb(1,2,3)}`);
    equal(page.$$("style").length, 1, "with an import");
    importing();
    page.win.CSSStyleSheet = undefined;
    const third = page.M.applyCss("#t{color:rgb(4,5,6)}");
    equal(read()[0], "rgb(4, 5, 6)", "as an element");
    third();
    equal([read()[0], page.$$("style").length], [color, 0], "the element undone");
  },

  async "styles that cannot be parsed spoil nothing but themselves"({ open }) {
    const page = await open(BODY);
    page.M.applyCss("} #t { color: ; ] rgb( } h1 {{");
    const undo = page.M.applyCss("#t{color:rgb(1,2,3)}");
    page.M.change([{ target: "#t", style: "color: ; margin-top: 3px; ]; :::" }]);
    equal([page.css("#t").color, page.css("#t").marginTop], ["rgb(1, 2, 3)", "3px"]);
    undo();
  },

  async "a style of many elements is one rule, over what the page declares, and by our own order"({ open }) {
    const page = await open(
      `<style>#u#u li#x { color: green !important; margin-left: 1px }</style><ul id="u"><li id="x" style="color: blue !important;">x</li>${"<li>y</li>".repeat(2_500)}</ul>`,
    );
    const plain = page.html();
    let writes = 0;
    const { prototype } = page.win.CSSStyleDeclaration;
    const { setProperty } = prototype;
    const first = page.M.change([{ target: "#u li", style: { color: "red", marginLeft: "7px" } }]);
    prototype.setProperty = function (...given) {
      writes += 1;
      return setProperty.apply(this, given);
    };
    const second = page.M.change([{ target: "li", style: "color: rgb(1, 2, 3)" }]);
    const read = () => ["#x", "li:last-child"].map((each) => `${page.css(each).color} ${page.css(each).marginLeft}`);
    equal(read(), ["rgb(1, 2, 3) 7px", "rgb(1, 2, 3) 7px"], "the later one wins");
    equal(page.html().replace(/ style=".*?"/, ""), plain.replace(/ style=".*?"/, ""), "the elements are as they were");
    equal(writes < 99, true, `${writes} declarations`);
    page.$("ul").append(page.make("li", "late"));
    equal(read()[1], "rgb(1, 2, 3) 7px", "late");
    page.$("ul").lastChild.remove();
    second.undo();
    equal(read(), ["rgb(255, 0, 0) 7px", "rgb(255, 0, 0) 7px"], "one is left");
    first.undo();
    equal([page.html(), page.css("#x").color, page.css("#x").marginLeft], [plain, "rgb(0, 0, 255)", "1px"], "undone");
    const odd = page.M.change([{ target: "li[id=x", style: "color: rgb(4, 5, 6)" }]);
    equal([page.css("#x").color, page.M.said], ["rgb(4, 5, 6)", []], "closed by its end");
    odd.undo();
    equal(page.html(), plain, "undone, too");
  },

  async "late elements are changed, once where changes are made once"({ open }) {
    const page = await open("<h1>Old</h1>");
    page.M.change([{ target: "h1", innerText: "New" }], false);
    added(page, "h1");
    await null;
    const read = () => page.$$("h1").map((each) => each.textContent);
    equal(read(), ["New", "New"]);
    for (const each of page.$$("h1")) each.textContent = "Page";
    await turn();
    equal(read(), ["Page", "Page"], "rewritten");
  },

  async "the end of a text that comes with the end of the page is the page's own, also where changes are made once"({
    open,
  }) {
    let applied;
    const before = ({ M }) => (applied = M.change([{ target: "h1", innerText: "New" }], false));
    const page = await open(["<h1>Orig", "inal title</h1><p>end</p>"], { before });
    equal(page.$("h1").textContent, "New");
    page.$("h1").textContent = "Page";
    await turn();
    equal(page.$("h1").textContent, "Page", "rewritten");
    page.$("h1").textContent = "New";
    applied.undo();
    const again = await open(["<h1>Orig", "inal title</h1>"], { before });
    applied.undo();
    equal(again.$("h1").outerHTML, "<h1>Original title</h1>", "undone");
  },

  async "what it moves to may come later than the element"({ open }) {
    const page = await open("<b>b</b>");
    const { undo, missing } = page.M.change([{ oriEl: "b", refEl: "aside", dir: "p" }]);
    equal([missing(), page.html()], [["aside"], "<b>b</b>"], "waiting");
    added(page, "aside", "");
    await null;
    equal(page.$("aside").innerHTML, "<b>b</b>");
    undo();
    equal(page.html(), "<b>b</b><aside></aside>", "undone");
  },

  async "an element that is taken out and put back is changed still"({ open }) {
    const page = await open("<h1>Old</h1><p>Some <b>words</b></p>");
    page.M.change([
      { target: "h1", innerText: "New" },
      { target: "p", innerHTML: "<i>New</i>" },
      { refEl: "p", dir: "b", htmlBlock: "<u>block</u>" },
    ]);
    const kept = page.$$("h1,p");
    for (const each of kept) each.remove();
    await null;
    equal([kept.map((each) => each.innerHTML), page.$$("u").length], [["Old", "Some <b>words</b>"], 0], "out");
    page.win.document.body.append(...kept);
    await null;
    equal(page.text(), "New block New", "back");
  },

  async "a great many elements at once"({ open }) {
    const page = await open("<div></div>");
    page.M.change([
      { target: ".card h2", innerText: "New" },
      { target: ".tenth p", style: "color: rgb(1, 2, 3)", class: "x" },
      { refEl: ".fiftieth", dir: "a", htmlBlock: "<i>n</i>" },
      { target: ".none", innerHTML: "x" },
      { oriEl: ".none", refEl: "div", dir: "p" },
    ]);
    const card = (at) => {
      const more = `${at % 10 ? "" : "tenth"} ${at % 50 ? "" : "fiftieth"}`;
      return `<div class="card ${more}"><h2>Old</h2><p>text <b>x</b></p></div>`;
    };
    page.$("div").innerHTML = Array.from({ length: 500 }, (_, at) => card(at)).join("");
    await null;
    const changed = page.$$("h2").filter((each) => each.textContent === "New").length;
    equal([changed, page.$$("p.x").length, page.$$("i").length, page.M.said], [500, 50, 10, []]);
  },
};
