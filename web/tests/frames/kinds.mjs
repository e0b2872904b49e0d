// Each kind of change: made to present elements, to elements that are parsed tag by tag, and to elements that the page
// replaces; and undone.

import { equal, turn } from "./world.mjs";

const BODY = `<main><h1 id="t" class="big old" style="margin-left: 4px;">Title</h1><p id="p">One <b>two</b> three</p>
<img id="i" src="data:," srcset="data:,2 2x"><a id="l" href="/old">link</a>
<ul id="u"><li id="x">x</li><li id="y">y</li></ul></main>
<picture><source id="o" srcset="data:,3"><img id="j" src="data:,"></picture>
<table><tbody id="tb"><tr id="r"><td>1</td></tr></tbody></table><svg id="s"><g id="g"></g></svg>
<div><input id="f" placeholder="Old"><input id="v" type="SUBMIT" value="Old"><input id="k" type="button"></div>`;

const order = ({ $$ }) =>
  $$("li")
    .map(({ id }) => id)
    .join("");
const declared =
  (...names) =>
  ({ css }) =>
    names.map((name) => css("#t").getPropertyValue(name).trim());

/** Items, a function that reads the page, and its result once they are applied. */
/** @type {Record<string, any[]>} */
const KINDS = {
  innerText: [[{ target: "#t", innerText: "New" }], ({ $ }) => $("#t").innerHTML, "New"],
  "innerText with lines": [[{ target: "#t", innerText: "a\nb" }], ({ $ }) => $("#t").innerHTML, "a<br>b<!---->"],
  textContent: [[{ target: "#p", textContent: "<i>" }], ({ $ }) => $("#p").textContent, "<i>"],
  innerHTML: [
    [{ target: "#p", innerHTML: "<i>New</i>" }],
    ({ $ }) => $("#p").firstChild.outerHTML + $("#p").textContent,
    "<i>New</i>New",
  ],
  "innerHTML of a table": [
    [{ target: "#tb", innerHTML: "<tr><td>2</td></tr>" }],
    ({ $ }) => $("#tb").firstElementChild.outerHTML,
    "<tr><td>2</td></tr>",
  ],
  "innerHTML of a drawing": [
    [{ target: "#g", innerHTML: "<path></path>" }],
    ({ $ }) => $("#g").firstChild?.namespaceURI,
    "http://www.w3.org/2000/svg",
  ],
  outerHTML: [
    [{ target: "#t", outerHTML: "<h2>New</h2>" }],
    ({ $, css }) => [css("#t").display, $("#t").nextSibling.outerHTML],
    ["none", "<h2>New</h2>"],
  ],
  src: [[{ target: "#i", src: "data:,b" }], ({ $ }) => $("#i").outerHTML, '<img id="i" src="data:,b">'],
  "src in a picture": [
    [{ target: "#j", src: "data:,b" }],
    ({ $ }) => [$("#j").getAttribute("src"), $("#o").hasAttribute("srcset")],
    ["data:,b", false],
  ],
  href: [[{ target: "#l", href: "/new" }], ({ $ }) => $("#l").getAttribute("href"), "/new"],
  attributes: [
    [{ target: "#i", attributes: { alt: "New", title: "a & b", "aria-label": "L", "data-kind": "1" } }],
    ({ $ }) => ["alt", "title", "aria-label", "data-kind", "id"].map((name) => $("#i").getAttribute(name)),
    ["New", "a & b", "L", "1", "i"],
  ],
  "attributes of an input": [
    [{ target: "#f", attributes: { placeholder: "New", value: "5" } }],
    ({ $ }) => [$("#f").placeholder, $("#f").value],
    ["New", "5"],
  ],
  "words of a button that shows its value": [
    [{ target: "#v", innerText: "New" }],
    ({ $ }) => [$("#v").value, $("#v").childNodes.length],
    ["New", 0],
  ],
  "words of a button without a value": [[{ target: "#k", textContent: "New" }], ({ $ }) => $("#k").value, "New"],
  style: [
    [{ target: "#t", style: 'color: red; margin: 1px 2px !important; background: url("data:a;b")' }],
    declared("margin-left", "margin-top", "color", "background-image"),
    ["2px", "1px", "rgb(255, 0, 0)", 'url("data:a;b")'],
  ],
  "style as an object": [
    [{ target: "#t", style: { color: "red", "margin-top": "1px", backgroundColor: "blue" } }],
    declared("color", "margin-top", "background-color"),
    ["rgb(255, 0, 0)", "1px", "rgb(0, 0, 255)"],
  ],
  "style with a variable": [
    [{ target: "#t", style: "border: 1px solid var(--c, red); --d: 2px" }],
    declared("margin-left", "border-top-color", "border-left-width", "--d"),
    ["4px", "rgb(255, 0, 0)", "1px", "2px"],
  ],
  class: [[{ target: "#t", class: "a -old  b" }], ({ $ }) => $("#t").className, "big a b"],
  rm: [[{ rm: "#t" }], ({ css }) => css("#t").display, "none"],
  before: [
    [{ refEl: "#t", dir: "b", htmlBlock: "<i>n</i>" }],
    ({ $ }) => $("#t").previousElementSibling?.outerHTML,
    "<i>n</i>",
  ],
  after: [
    [{ refEl: "#t", dir: "a", htmlBlock: "<i>n</i>" }],
    ({ $ }) => $("#t").nextElementSibling.outerHTML,
    "<i>n</i>",
  ],
  inside: [
    [{ refEl: "#u", dir: "p", htmlBlock: "<li>n</li>" }],
    ({ $ }) => $("#u").lastElementChild.outerHTML,
    "<li>n</li>",
  ],
  "move before": [[{ oriEl: "#y", refEl: "#x", dir: "b" }], order, "yx"],
  "move after": [[{ oriEl: "#x", refEl: "#y", dir: "a" }], order, "yx"],
  "move inside": [[{ oriEl: "#t", refEl: "#u", dir: "p" }], ({ $ }) => $("#u").lastElementChild.id, "t"],
};

/** The properties that the script leaves on the page's objects. */
const traces = ({ $$ }) => $$("*").flatMap((element) => Object.keys(element));

export const cases = {};
for (const [name, [items, read, expected]] of Object.entries(KINDS)) {
  cases[`${name}, of what is there`] = async ({ open }) => {
    const page = await open(BODY);
    const plain = page.html();
    const { undo, missing } = page.M.change(items);
    equal(read(page), expected, "at once");
    await turn();
    equal(read(page), expected, "later");
    equal([missing(), page.M.said], [[], []], "missing and said");
    undo();
    undo();
    equal(page.html(), plain, "undone");
    await turn();
    equal([page.html(), traces(page)], [plain, []], "undone, later");
  };
  cases[`${name}, of what comes tag by tag`] = async ({ open }) => {
    const plain = (await open(BODY)).html();
    let applied;
    const page = await open(BODY.split(/(?=<)/), { before: ({ M }) => (applied = M.change(items)) });
    equal(read(page), expected);
    await turn();
    equal(read(page), expected, "later");
    equal([applied.missing(), page.M.said], [[], []], "missing and said");
    applied.undo();
    equal([page.html(), traces(page)], [plain, []], "undone");
  };
  cases[`${name}, of what is made anew`] = async ({ open }) => {
    const page = await open(BODY);
    const plain = page.html();
    const { undo } = page.M.change(items);
    for (const round of [1, 2, 3]) {
      page.win.document.body.innerHTML = BODY;
      await null;
      equal(read(page), expected, `round ${round}`);
    }
    undo();
    equal([page.html(), page.M.said], [plain, []], "undone");
  };
}
