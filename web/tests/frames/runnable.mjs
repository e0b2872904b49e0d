// Changes that could run code on the element: without the mark of the server they are refused, with it they are made.

import { equal, turn } from "./world.mjs";

const SVG = "http://www.w3.org/2000/svg";
const RUN = "window.ran = 1";
const ELSEWHERE = "data:text/javascript,window.ran=1";

/**
 * The page, and the change that could run code there. The change's target is `#a`, unless it has another.
 *
 * @type {Record<string, [string, any]>}
 */
const WAYS = {
  "the src of a script": [`<script id="a"></script>`, { src: ELSEWHERE }],
  "the src of a script with code of its own": [`<script id="a">window.own = 1</script>`, { src: ELSEWHERE }],
  "the src of a module": [`<script id="a" type="module"></script>`, { src: ELSEWHERE }],
  "the src of a script that waits for consent": [`<script id="a" type="text/plain"></script>`, { src: ELSEWHERE }],
  "the text of an empty script": [`<script id="a"></script>`, { textContent: RUN }],
  "the words of an empty script": [`<script id="a"></script>`, { innerText: RUN }],
  "the text of data for scripts": [`<script id="a" type="application/json">{}</script>`, { textContent: "{}" }],
  "the text of an import map": [`<script id="a" type="importmap">{}</script>`, { textContent: `{"imports":{}}` }],
  "the href of a base": [`<base id="a" href="/">`, { href: "https://elsewhere.example/" }],
  "the href of a style sheet": [`<link id="a" rel="stylesheet">`, { href: "data:text/css,p{}" }],
  "the href of a module that is fetched ahead": [`<link id="a" rel="modulepreload">`, { href: ELSEWHERE }],
  "the text of a style": [`<style id="a">p { color: red }</style>`, { textContent: "body { display: none }" }],
  "the src of a frame": [`<iframe id="a"></iframe>`, { src: "data:text/html,x" }],
  "the src of an embedded page": [`<embed id="a">`, { src: "data:text/html,x" }],
  "the text of an object": [`<object id="a"></object>`, { textContent: "x" }],
  "the text in an object": [`<object><b id="a">x</b></object>`, { textContent: "y" }],
  "the src of an element of the page's own": [
    `<html-include id="a"></html-include>`,
    { src: "https://elsewhere.example/" },
  ],
  "the href of an element of the page's own": [`<x-link id="a"></x-link>`, { href: "https://elsewhere.example/" }],
  "the href of a drawing's script": [`<svg><script id="a"></script></svg>`, { href: ELSEWHERE }],
  "the text of a drawing's script": [`<svg><script id="a"></script></svg>`, { textContent: RUN }],
  "the href of a drawing's use": [`<svg><use id="a"></use></svg>`, { href: "https://elsewhere.example/x.svg#a" }],
  "the href of an animation": [
    `<svg><a><animate id="a" attributeName="href" to="javascript:1"></animate></a></svg>`,
    { href: "#b" },
  ],
  "the text of a drawing's style": [`<svg><style id="a"></style></svg>`, { textContent: "p {}" }],
  "a link to a script": [`<a id="a" href="/">x</a>`, { href: " java\tscript:window.ran=1" }],
  "a link to a document of its own": [`<a id="a" href="/">x</a>`, { href: "data:text/html,x" }],
  "a drawing's link to a script": [`<svg><a id="a"></a></svg>`, { href: "JavaScript:window.ran=1" }],
  "an area's link to a script": [`<map><area id="a"></map>`, { href: "vbscript:x" }],
  "the src of a picture that is a script": [`<img id="a" alt="">`, { src: "javascript:window.ran=1" }],
  "words that a template language evaluates": [`<p id="a">x</p>`, { innerText: "{{constructor.constructor('x')()}}" }],
  "a class that a template language evaluates": [`<p id="a">x</p>`, { class: "ng-init:a=1;" }],
  "the style of a frame with an address": [
    `<iframe id="a"></iframe>`,
    { style: "background: url(https://elsewhere.example/)" },
  ],
  "the style of a frame with an address in disguise": [`<iframe id="a"></iframe>`, { style: { "--x": "u\\72l(/x)" } }],
  "an attribute of a script": [`<script id="a" type="text/plain"></script>`, { attributes: { "data-src": "/x.js" } }],
  "an attribute of a frame": [`<iframe id="a"></iframe>`, { attributes: { "data-src": "https://elsewhere.example/" } }],
  "an attribute with the code of an event": [`<p id="a">x</p>`, { attributes: { onclick: RUN } }],
  "an attribute with the code of an event, in capitals": [`<p id="a">x</p>`, { attributes: { ONCLICK: RUN } }],
  "an attribute with a document": [
    `<iframe id="a"></iframe>`,
    { attributes: { srcdoc: "<script>parent.ran = 1<" + "/script>" } },
  ],
  "an attribute with an address": [`<form id="a"></form>`, { attributes: { action: "javascript:1" } }],
  "an attribute that loads HTML": [`<p id="a">x</p>`, { attributes: { "data-hx-get": "https://elsewhere.example/" } }],
  "an attribute that a template language evaluates": [`<p id="a">x</p>`, { attributes: { "data-ng-init": "a=1" } }],
  "an attribute with HTML": [`<p id="a">x</p>`, { attributes: { title: "<img src=x onerror=window.ran=1>" } }],
  "an attribute of which HTML is made": [`<p id="a">x</p>`, { attributes: { "data-target": "#x" } }],
  "an attribute with a script": [`<p id="a">x</p>`, { attributes: { "data-to": "javascript:window.ran=1" } }],
  "a value that nobody sees": [`<input id="a" type="hidden" value="me">`, { attributes: { value: "you" } }],
  "a choice": [`<select><option id="a" value="me">x</option></select>`, { attributes: { value: "you" } }],
  "a script that moves": [
    `<script id="a" type="text/plain"></script><p>x</p>`,
    { target: undefined, oriEl: "#a", refEl: "p", dir: "a" },
  ],
  "words that move into a style": [
    `<style></style><p id="a">p {}</p>`,
    { target: undefined, oriEl: "#a", refEl: "style", dir: "p" },
  ],
  "words that move to where they are evaluated": [
    `<p id="a">{{ a }}</p><div></div>`,
    { target: undefined, oriEl: "#a", refEl: "div", dir: "p" },
  ],
};

/**
 * Changes of the same kinds that run nothing.
 *
 * @type {Record<string, [string, any]>}
 */
const HARMLESS = {
  "the src of a picture": [`<img id="a" alt="">`, { src: "data:,x" }],
  "the src of a picture's source": [`<picture><source id="a"><img alt=""></picture>`, { src: "data:,x" }],
  "the src of a film": [`<video id="a"></video>`, { src: "data:,x" }],
  "a link": [`<a id="a" href="/">x</a>`, { href: "https://elsewhere.example/" }],
  "a drawing's link": [`<svg><a id="a"></a></svg>`, { href: "/x" }],
  "a drawing's picture": [`<svg><image id="a"></image></svg>`, { href: "/x.png" }],
  "a picture in a style": [`<p id="a">x</p>`, { style: "background: url(data:,x)" }],
  "the size of a frame": [`<iframe id="a"></iframe>`, { style: "height: 10px" }],
  "the class of a frame": [`<iframe id="a"></iframe>`, { class: "x" }],
  "words with braces": [`<p id="a">x</p>`, { innerText: "{a} <b>" }],
  "the label of a button": [`<input id="a" type="submit" value="Old">`, { attributes: { value: "New" } }],
  "what an input suggests": [`<input id="a">`, { attributes: { placeholder: "5 < 6", "aria-label": "x", value: "y" } }],
  "data of an element": [`<p id="a">x</p>`, { attributes: { "data-kind": "x", title: "a & b" } }],
  "an element that moves": [`<p>x</p><b id="a">y</b>`, { target: undefined, oriEl: "#a", refEl: "p", dir: "b" }],
};

const CODE = { code: true };

const opened = async (open, [body, fields], mark) => {
  // Makes the parser put what follows into the body.
  const page = await open(`<main></main>${body}`);
  const { target, ...rest } = { target: "#a", ...fields };
  const items = [{ ...(target ? { target } : {}), ...rest, ...mark }];
  const before = page.html();
  const applied = page.M.change(items);
  await turn();
  return { page, before, items, applied };
};

export const cases = {};
for (const [name, way] of Object.entries(WAYS)) {
  cases[`${name} is refused`] = async ({ open }) => {
    const { page, before, items, applied } = await opened(open, way, {});
    equal([page.html(), page.win.ran], [before, undefined], "the page");
    equal([page.M.said, applied.found(items)], [["code:#a"], "0"], "said and found");
    equal(applied.missing().includes("#a"), true, "missing");
    // Elements that are added later are refused too, and the same problem is reported only once.
    page.win.document.body.append(...page.$$("body > *").map((each) => each.cloneNode(true)));
    await turn();
    equal([page.win.ran, page.M.said], [undefined, ["code:#a"]], "later");
    applied.undo();
  };
}
for (const [name, way] of Object.entries(HARMLESS)) {
  cases[`${name} is changed`] = async ({ open }) => {
    const { page, items, before, applied } = await opened(open, way, {});
    equal([page.M.said, applied.found(items), applied.missing()], [[], "1", []], "said, found and missing");
    applied.undo();
    equal(page.html().replace(/ (style|class)=""/g, ""), before, "undone");
  };
}

/** Changes that really run code when they are made. They show that the table is meaningful. */
for (const name of ["the src of a script", "the text of an empty script", "the text of a drawing's script"]) {
  cases[`${name} runs with the mark of the server`] = async ({ open }) => {
    const { page, items, applied } = await opened(open, WAYS[name], CODE);
    equal([page.M.said, applied.found(items)], [[], "1"], "said and found");
    for (let rounds = 0; !page.win.ran && rounds < 500; rounds++) await new Promise((done) => setTimeout(done, 10));
    equal(page.win.ran, 1);
  };
}

Object.assign(cases, {
  async "an element of any namespace and in any letters"({ open }) {
    const page = await open(`<div></div>`);
    const { document: doc } = page.win;
    const names = [
      ["http://www.w3.org/1999/xhtml", "SCRIPT"],
      [SVG, "script"],
      [SVG, "SCRIPT"],
      [SVG, "animateTransform"],
      ["http://www.w3.org/1998/Math/MathML", "style"],
      ["urn:x", "a"],
    ];
    for (const [space, name] of names) page.$("div").append(doc.createElementNS(space, name));
    const before = page.html();
    page.M.change([
      { target: "div > *", href: "https://elsewhere.example/" },
      { target: "div > :not(a)", textContent: RUN },
    ]);
    await turn();
    equal([page.html(), page.win.ran], [before, undefined]);
    equal(page.M.said, ["code:div > *", "code:div > :not(a)"]);
  },

  async "one element is refused, and another is changed"({ open }) {
    const page = await open(`<img class="a" alt=""><iframe class="a"></iframe>`);
    const items = [{ target: ".a", src: "data:,x" }];
    const { found, missing } = page.M.change(items);
    equal([page.$("img").getAttribute("src"), page.$("iframe").getAttribute("src")], ["data:,x", null]);
    equal([page.M.said, found(items), missing()], [["code:.a"], "1", []]);
  },

  async "HTML is marked by itself, as nobody else stores it"({ open }) {
    const page = await open(`<p>x</p>`);
    page.M.change([
      { target: "p", innerHTML: "<b>{{ a }}</b>" },
      { refEl: "p", dir: "a", htmlBlock: "<i>i</i>" },
    ]);
    equal([page.$("p").textContent, page.$("i")?.textContent, page.M.said], ["{{ a }}", "i", []]);
  },

  async "a mark that is not true is none"({ open }) {
    const page = await open(`<script id="a"></script>`);
    page.M.change([{ target: "#a", textContent: RUN, code: "yes" }]);
    await turn();
    equal([page.win.ran, page.M.said], [undefined, ["code:#a"]]);
  },
});
