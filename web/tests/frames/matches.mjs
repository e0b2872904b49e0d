// Elements that stop or start to match: an element that the page reuses for something else must not keep its change.

import { equal, turn } from "./world.mjs";

const A = { sku: "A", price: 10 };
const B = { sku: "B", price: 20 };
const C = { sku: "C", price: 30, sold: true };
const FIRST = [[A, B, C]];

/** The states that the page renders, in order. */
const STATES = [
  [[C, B, A]],
  [[B, A]],
  [[B, C]],
  [[{ ...A, price: 11 }, C, B], { tab: "New" }],
  [[B, { ...A, sold: true }]],
  [[]],
  [[C, A, B, { ...B, sku: "D" }]],
  FIRST,
];

/** Changes of one product, or of the content of one tab. */
/** @type {Record<string, any>} */
const KINDS = {
  words: { target: "[data-sku=A] b", innerText: "A now 5" },
  "words, by id": { target: "#p-A b", innerText: "A now 5" },
  "words of a list": { target: ".sold b", innerText: "gone" },
  "words of what is beside": { target: "[data-sku=A] b + p", innerText: "Beside" },
  "words of the next": { target: ".sold + .row b", innerText: "after a sold one" },
  "words of a place": { target: "li:nth-child(2) b", innerText: "second" },
  "words of the last": { target: "li:last-child b", innerText: "last" },
  "words of a tab": { target: "#All h1", textContent: "Everything" },
  "words of what has": { target: "section:has(.sold) h1", innerText: "Some are sold" },
  html: { target: "[data-sku=A] p", innerHTML: "<em>New</em> words" },
  "html of the whole": { target: "[data-sku=A]", innerHTML: "<em>New</em> words" },
  outerHTML: { target: "[data-sku=A] p", outerHTML: "<p>Other</p>" },
  href: { target: "[data-sku=A] a", href: "/new" },
  "href, by itself": { target: "a[href='/A']", href: "/new" },
  src: { target: "[data-sku=A] img", src: "data:,new" },
  "src, by itself": { target: "img[src$=A]", src: "data:,new" },
  class: { target: "[data-sku=A]", class: "hot -row" },
  "class, by itself": { target: ".row.sold", class: "-sold gone" },
  style: { target: "[data-sku=A]", style: "color: rgb(1, 2, 3)" },
  insert: { refEl: "[data-sku=A] b", dir: "a", htmlBlock: "<u>new</u>" },
  "insert inside": { refEl: "[data-sku=A]", dir: "p", htmlBlock: "<u>new</u>" },
  move: { oriEl: "[data-sku=A] a", refEl: "[data-sku=A] b", dir: "b" },
};

const look = (page) =>
  page
    .$("#root")
    .innerHTML.replaceAll("<!---->", "")
    .replace(/ style=""/g, "")
    .replace(/ class="(.*?)"/g, (_, names) => ` class="${names.split(" ").sort().join(" ")}"`);

let bundle;
async function framework(page, name) {
  bundle ??= (await fetch("/lists.js")).text();
  page.win.eval(await bundle);
  return page.win.Lists.frameworks[name];
}

const ROOT = `<div id="root"></div>`;

export const cases = {};
for (const name of ["vue", "react"]) {
  for (const [kind, item] of Object.entries(KINDS)) {
    cases[`${name} uses elements for other products: ${kind}`] = async ({ open }) => {
      const page = await open(ROOT);
      const other = await open(ROOT);
      const [draw, end] = await (await framework(page, name))(page.$("#root"), ...FIRST);
      const begin = await framework(other, name);
      const { undo } = page.M.change([item]);
      for (const state of STATES) {
        // The same state, rendered from scratch and then changed.
        const [, stop] = await begin(other.$("#root"), ...state);
        const plain = look(other);
        const fresh = other.M.change([item]);
        const expected = look(other);
        fresh.undo();
        equal(look(other), plain, "undone at once");
        stop();
        await draw(...state);
        await null;
        equal(look(page), expected, JSON.stringify(state));
        await turn();
        equal(look(page), expected, `${JSON.stringify(state)}, later`);
      }
      undo();
      const [, stop] = await begin(other.$("#root"), ...FIRST);
      equal([look(page), page.M.said], [look(other), []], "undone");
      stop();
      end();
      equal(page.$("#root").textContent, "", "ended");
    };
  }
}

const read = ({ $$ }, selector) => $$(selector).map((each) => each.textContent);

Object.assign(cases, {
  async "an element that is another one has its own words back at once, and one that comes to match is changed"({
    open,
  }) {
    const page = await open(`<p id="basic">Basic 9</p><p id="pro">Pro 99</p>`);
    const { undo } = page.M.change([{ target: "#basic", innerText: "Basic now 5", class: "hot" }]);
    const [first, second] = page.$$("p");
    first.id = "pro";
    first.textContent = "Pro 99";
    second.id = "basic";
    second.textContent = "Basic 9";
    await null;
    equal([first.outerHTML, second.outerHTML], [`<p id="pro">Pro 99</p>`, `<p id="basic" class="hot">Basic now 5</p>`]);
    undo();
    equal([read(page, "p"), page.M.said], [["Pro 99", "Basic 9"], []], "undone");
  },

  async "what an ancestor is counts, and its class alone"({ open }) {
    const page = await open(`<main class="open a"><h1>Old</h1></main><aside class="a"><h1>Old</h1></aside>`);
    page.M.change([{ target: ".open h1", innerText: "New" }]);
    const [main, aside] = page.$$(".a");
    main.className = "a b open";
    await null;
    equal(read(page, "h1"), ["New", "Old"], "another class");
    main.classList.remove("open");
    aside.classList.add("open");
    await null;
    equal(read(page, "h1"), ["Old", "New"]);
  },

  async "names with escapes, of any letters and in any case"({ open }) {
    const page = await open(`<p>Old</p>`);
    const selectors = [
      ".md\\:x",
      "#\\31 2",
      ".größe",
      "[DATA-Sku]",
      "p:not([hidden])",
      ":is(a, [data-b~='c'])",
      "p:enabled, p[lang|=de]",
    ];
    const element = page.$("p");
    element.hidden = true;
    page.M.change(selectors.map((target, at) => ({ target, class: `c${at}` })));
    const seen = () =>
      [...element.classList]
        .filter((each) => /^c\d/.test(each))
        .sort()
        .join();
    /** @type {[() => unknown, string][]} */
    const steps = [
      [() => element.classList.add("md:x"), "c0"],
      [() => (element.id = "12"), "c0,c1"],
      [() => element.classList.add("größe"), "c0,c1,c2"],
      [() => (element.dataset.sku = "1"), "c0,c1,c2,c3"],
      [() => (element.hidden = false), "c0,c1,c2,c3,c4"],
      [() => (element.dataset.b = "a c"), "c0,c1,c2,c3,c4,c5"],
      [() => (element.lang = "de-AT"), "c0,c1,c2,c3,c4,c5,c6"],
      [() => element.classList.remove("md:x"), "c1,c2,c3,c4,c5,c6"],
      [() => element.removeAttribute("id"), "c2,c3,c4,c5,c6"],
      [() => (element.hidden = true), "c2,c3,c5,c6"],
    ];
    for (const [act, expected] of steps) {
      act();
      await null;
      equal(seen(), expected, String(act));
    }
  },

  async "in shadow roots, too, and through their hosts"({ open }) {
    const page = await open(`<x-a class="open"></x-a><x-a></x-a>`);
    for (const host of page.$$("x-a"))
      host.attachShadow({ mode: "open" }).innerHTML = `<p class="on">Old</p><p>Old</p>`;
    page.M.change([
      { target: "x-a.open >>> p.on", innerText: "New" },
      { target: "p", innerText: "Outside" },
    ]);
    const seen = () =>
      page
        .$$("x-a")
        .map((host) => [...host.shadowRoot.children].map((each) => each.textContent).join())
        .join(" ");
    const [first, second] = page.$$("x-a");
    equal(seen(), "New,Old Old,Old");
    first.shadowRoot.children[0].className = "";
    first.shadowRoot.children[1].className = "on";
    await null;
    equal(seen(), "Old,New Old,Old", "within");
    first.className = "";
    second.className = "open";
    await null;
    equal(seen(), "Old,Old New,Old", "by the hosts");
    second.shadowRoot.append(page.make("p", "Old"));
    await null;
    equal(seen(), "Old,Old New,Old,Old", "what is for the page is not for its shadow roots");
  },

  async "an element that moves to where it is no match"({ open }) {
    const page = await open(`<main><h1>Old</h1></main><aside></aside>`);
    page.M.change([{ target: "main h1", innerText: "New" }]);
    page.$("aside").append(page.$("h1"));
    await null;
    equal(read(page, "h1"), ["Old"], "out");
    page.$("main").append(page.$("h1"));
    await null;
    equal(read(page, "h1"), ["New"], "back");
  },

  async "what our own changes end stays"({ open }) {
    const page = await open(
      `<main class="old"><h1 class="old">Old</h1><p>One</p><a href="/old" class="x">l</a></main><ul><li>1</li><li>2</li><li>3</li></ul><aside></aside>`,
    );
    const plain = page.html();
    const { undo } = page.M.change([
      { target: "main.old h1.old", innerText: "New", class: "-old new" },
      { target: "h1 + p", innerText: "Two" },
      { refEl: "h1", dir: "a", htmlBlock: "<i>between</i>" },
      { target: "a[href='/old']", href: "/new", textContent: "n" },
      { target: "li:nth-child(2)", innerText: "second" },
      { refEl: "li:first-child", dir: "b", htmlBlock: "<li>ours</li>" },
      { target: "main .x", innerText: "moved" },
      { oriEl: "main .x", refEl: "aside", dir: "p" },
      { target: "main.old", class: "-old" },
    ]);
    const changed = page.html();
    await turn();
    equal(page.html(), changed, "at once");
    // Mutations that concern names in their selectors, but no match.
    const { body } = page.win.document;
    for (const step of [
      () => body.classList.add("x", "old"),
      () => body.append(page.make("i")),
      () => body.lastChild.remove(),
      () => body.removeAttribute("class"),
    ]) {
      step();
      await turn();
      equal([page.html().replace("<i></i>", ""), page.M.said], [changed, []], String(step));
    }
    undo();
    equal(page.html(), plain, "undone");
  },

  async "a change of itself ends when the page says so"({ open }) {
    const page = await open(`<a href="/old" class="blue">l</a>`);
    page.M.change([
      { target: "a[href='/old']", href: "/new" },
      { target: ".blue", class: "-blue green" },
    ]);
    const link = page.$("a");
    equal(link.outerHTML, `<a href="/new" class="green">l</a>`);
    link.href = "/page";
    await null;
    equal(link.getAttribute("href"), "/page", "another link");
    link.href = "/old";
    await null;
    equal(link.getAttribute("href"), "/new", "the link again");
  },

  async "changes that are made once end, too"({ open }) {
    const page = await open(`<p id="a">Old</p>`);
    page.M.change([{ target: "#a", innerText: "New" }], false);
    page.$("p").id = "b";
    await null;
    equal(read(page, "p"), ["Old"]);
  },

  async "what a change makes is no match of its own, and of another but once"({ open }) {
    const page = await open(`<h1>Old</h1><ul><li>1</li></ul><div>d</div>`);
    const plain = page.html();
    const [first, second] = ["A", "B"].map((word) =>
      page.M.change([
        { target: "h1", outerHTML: `<h1>${word}</h1>` },
        { refEl: "li", dir: "b", htmlBlock: `<li>${word}</li>` },
        { target: "div", innerHTML: `<div>${word}</div>` },
      ]),
    );
    await turn();
    equal(read(page, "li"), ["B", "A", "A", "B", "1"]);
    first.undo();
    await turn();
    equal([read(page, "li"), page.text()], [["B", "1"], "B B 1 B"], "one is left");
    second.undo();
    equal([page.html().replace(` style=""`, ""), page.M.said], [plain, []], "undone");
  },

  async "code that waits is called when an element comes to match"({ open }) {
    const page = await open(`<p>Old</p>`);
    page.M.runCode(
      `experiment.waitFor(".open", (found) => { found.textContent = "seen"; found.dataset.sku = "A"; })`,
      "t-1-1",
      {},
      () => {},
    );
    page.M.change([{ target: "[data-sku=A]", class: "hot" }]);
    page.$("p").className = "open";
    await turn();
    equal(page.$("p").outerHTML, `<p class="open hot" data-sku="A">seen</p>`);
  },

  async "a page that answers each change by its contrary has its way"({ open }) {
    const page = await open(`<p class="y">Old</p>`, { clock: () => 5_000 });
    const element = page.$("p");
    let rounds = 0;
    new page.win.MutationObserver(() => {
      rounds += 1;
      const wanted = element.textContent === "Old" ? "y" : "";
      if (rounds < 2_000 && element.className !== wanted) element.className = wanted;
    }).observe(element, { characterData: true, childList: true, subtree: true });
    page.M.change([{ target: ".y", innerText: "New" }]);
    await turn();
    equal([element.outerHTML, page.M.said], [`<p class="y">Old</p>`, ["fight:.y"]]);
    equal(rounds < 300, true, `${rounds} rounds`);
  },

  async "a mutation asks about what it may concern, however many changes there are"({ open }) {
    const page = await open(`<ul>${`<li class="row"><b>Old</b></li>`.repeat(500)}</ul><p></p>`);
    page.M.change([{ target: ".row b", innerText: "New" }]);
    let asked = 0;
    const { prototype } = page.win.Element;
    const { matches } = prototype;
    prototype.matches = function (selector) {
      asked += 1;
      return matches.call(this, selector);
    };
    // Mutations of names that are in no selector; then a mutation of one row.
    for (const each of page.$$("li, p")) each.classList.add("hover");
    page.$("p").title = "x";
    await turn();
    equal(asked, 0, "of no concern");
    page.$("li").className = "";
    await turn();
    equal([asked < 5, read(page, "b").filter((text) => text === "Old").length], [true, 1], `${asked} questions`);
  },
});
