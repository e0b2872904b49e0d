// Pages that revert changes, and experiments that change the same element.

import { equal, turn } from "./world.mjs";

const BODY = `<main><h1>Old</h1><a href="/old" class="old">l</a></main><input type="submit" value="Old" placeholder="Old">`;

const [h1, a] = [({ $ }) => $("h1"), ({ $ }) => $("a")];
const tags = ({ $ }) => [...$("main").children].map((each) => each.tagName).join();

/**
 * A page's rewrite of a change by an item, and the results of `read` after it: while the change is `kept`, and after it
 * is `undone`.
 */
const REWRITES = {
  "a text by its data": {
    item: { target: "h1", innerText: "New" },
    rewrite: (page) => (h1(page).firstChild.data = "Page"),
    read: (page) => h1(page).textContent,
    kept: "New",
    undone: "Page",
  },
  "a text replaced": {
    item: { target: "h1", innerText: "New" },
    rewrite: (page) => (h1(page).textContent = "Page"),
    read: (page) => h1(page).textContent,
    kept: "New",
    undone: "Page",
  },
  "a text by html": {
    item: { target: "h1", innerText: "New" },
    rewrite: (page) => (h1(page).innerHTML = "<b>Pa</b>ge"),
    read: (page) => h1(page).innerHTML.replace("<!---->", ""),
    kept: "New",
    undone: "<b>Pa</b>ge",
  },
  "html by text": {
    item: { target: "h1", innerHTML: "<i>New</i>" },
    rewrite: (page) => (h1(page).textContent = "Page"),
    read: (page) => h1(page).innerHTML.replace("<!---->", ""),
    kept: "<i>New</i>",
    undone: "Page",
  },
  "an attribute": {
    item: { target: "a", href: "/new" },
    rewrite: (page) => (a(page).href = "/page"),
    read: (page) => a(page).getAttribute("href"),
    kept: "/new",
    undone: "/page",
  },
  "an attribute away": {
    item: { target: "a", href: "/new" },
    rewrite: (page) => a(page).removeAttribute("href"),
    read: (page) => a(page).getAttribute("href"),
    kept: "/new",
    undone: null,
  },
  "another placeholder": {
    item: { target: "input", attributes: { placeholder: "New" } },
    rewrite: ({ $ }) => ($("input").placeholder = "Page"),
    read: ({ $ }) => $("input").getAttribute("placeholder"),
    kept: "New",
    undone: "Page",
  },
  "another label on a button": {
    item: { target: "input", innerText: "New" },
    rewrite: ({ $ }) => ($("input").value = "Page"),
    read: ({ $ }) => $("input").getAttribute("value"),
    kept: "New",
    undone: "Page",
  },
  "a class away": {
    item: { target: "a", class: "n" },
    rewrite: (page) => (a(page).className = "page"),
    read: (page) => a(page).className,
    kept: "page n",
    undone: "page",
  },
  "a class back": {
    item: { target: "a", class: "-old" },
    rewrite: (page) => (a(page).className = "page old"),
    read: (page) => a(page).className,
    kept: "page",
    undone: "page old",
  },
  "a declaration": {
    item: { target: "a", style: "color: red" },
    rewrite: (page) => (a(page).style.color = "blue"),
    read: (page) => page.css("a").color,
    kept: "rgb(255, 0, 0)",
    undone: "rgb(0, 0, 255)",
  },
  "an important declaration": {
    item: { target: "a", style: "color: red" },
    rewrite: (page) => a(page).style.setProperty("color", "blue", "important"),
    read: (page) => page.css("a").color,
    kept: "rgb(255, 0, 0)",
    undone: "rgb(0, 0, 255)",
  },
  "all of the style": {
    item: { target: "a", style: "color: red" },
    rewrite: (page) => a(page).setAttribute("style", "margin: 1px"),
    read: (page) => a(page).style.cssText + (page.css("a").color === "rgb(255, 0, 0)"),
    kept: "margin: 1px;true",
    undone: "margin: 1px;false",
  },
  "a block out": {
    item: { refEl: "h1", dir: "a", htmlBlock: "<i>n</i>" },
    rewrite: (page) => page.$("i")?.remove(),
    read: tags,
    kept: "H1,I,A",
    undone: "H1,A",
  },
  "a neighbour in between": {
    item: { refEl: "h1", dir: "b", htmlBlock: "<i>n</i>" },
    rewrite: (page) => page.$("u") ?? h1(page).before(page.win.document.createElement("u")),
    read: tags,
    kept: "U,I,H1,A",
    undone: "U,H1,A",
  },
  "an element away from where it was moved": {
    item: { oriEl: "a", refEl: "h1", dir: "b" },
    rewrite: (page) => page.$("body").append(a(page)),
    read: tags,
    kept: "A,H1",
    // The link is where the page has put it.
    undone: "H1",
  },
};

export const cases = {};
for (const [name, { item, rewrite, read, kept, undone }] of Object.entries(REWRITES)) {
  cases[`the page puts ${name}, and it is kept`] = async ({ open }) => {
    const page = await open(BODY);
    const { undo } = page.M.change([item]);
    for (const round of [1, 2]) {
      rewrite(page);
      await null;
      equal(read(page), kept, `round ${round}`);
    }
    // The change is undone after a last rewrite, before the engine has processed it.
    rewrite(page);
    undo();
    equal([read(page), page.M.said], [undone, []], "undone");
    await turn();
    equal([read(page), Object.keys(h1(page)), Object.keys(a(page))], [undone, [], []], "undone, later");
  };
  cases[`the page puts ${name}, and has its way where changes are made once`] = async ({ open }) => {
    const page = await open(BODY);
    const { undo } = page.M.change([item], false);
    equal(read(page) === undone, false, "changed at first");
    rewrite(page);
    const bare = () => page.html().replaceAll("<!---->", "");
    const theirs = bare();
    await turn();
    equal(bare(), theirs);
    undo();
    equal([read(page), page.M.said], [undone, []], "undone");
  };
}

const TWO = `<h1 class="c" style="margin-left: 4px;">Old</h1><p>Some <b>words</b></p>`;

/** Items of two experiments. */
const PAIRS = {
  texts: [
    { target: "h1", innerText: "A" },
    { target: "h1", innerText: "B" },
  ],
  "text and html": [
    { target: "h1", innerText: "A" },
    { target: "h1", innerHTML: "<i>B</i>" },
  ],
  "html and text": [
    { target: "p", innerHTML: "<i>A</i>" },
    { target: "p", textContent: "B" },
  ],
  "replaced twice": [
    { target: "h1", outerHTML: "<i>A</i>" },
    { target: "h1", outerHTML: "<i>B</i>" },
  ],
  attributes: [
    { target: "h1", attributes: { title: "a" } },
    { target: "h1", attributes: { title: "b" } },
  ],
  styles: [
    { target: "h1", style: "margin: 1px; color: red" },
    { target: "h1", style: "margin-left: 2px; color: blue" },
  ],
  classes: [
    { target: "h1", class: "a -c" },
    { target: "h1", class: "c a b" },
  ],
  blocks: [
    { refEl: "h1", dir: "a", htmlBlock: "A" },
    { refEl: "h1", dir: "a", htmlBlock: "<i>B</i>" },
  ],
  moves: [
    { oriEl: "h1", refEl: "p", dir: "a" },
    { oriEl: "h1", refEl: "b", dir: "p" },
  ],
  "hidden and changed": [{ rm: "h1" }, { target: "h1", style: "display: block", innerText: "B" }],
};

/**
 * Pairs in which one item changes an element inside content that the other removes: the state after undoing only one of them is not
 * checked.
 */
const NESTED = {
  "content of which a part is moved": [
    { oriEl: "b", refEl: "h1", dir: "a" },
    { target: "p", innerHTML: "<i>B</i>" },
  ],
  "content of which the middle is moved": [
    { oriEl: "p", refEl: "h1", dir: "b" },
    { target: "body", innerHTML: "<i>B</i>" },
  ],
  "a part of new content moved": [
    { target: "p", innerHTML: "<i>B</i>" },
    { oriEl: "i", refEl: "h1", dir: "a" },
  ],
};

/** The HTML of the page without our comments and with sorted classes, and its visible state. */
const look = (page) => {
  const sorted = (_, names) => ` class="${names.split(" ").sort().join(" ")}"`;
  return [
    page
      .html()
      .replaceAll("<!---->", "")
      .replace(/ class="(.*?)"/g, sorted),
    page.text(),
    ...["color", "marginLeft", "display"].map((name) => h1(page) && page.css("h1")[name]),
  ].join();
};

for (const [name, pair] of Object.entries({ ...PAIRS, ...NESTED })) {
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    cases[`two on one element, the ${["first", "second"][order[0]]} undone first: ${name}`] = async ({ open }) => {
      const page = await open(TWO);
      const plain = look(page);
      const alone = pair.map((item) => {
        const { undo } = page.M.change([item]);
        const seen = look(page);
        undo();
        return seen;
      });
      const undos = pair.map((item) => page.M.change([item]).undo);
      await turn();
      const both = look(page);
      equal(both === plain, false, "both change nothing");
      await turn();
      equal(look(page), both, "both stay");
      undos[order[0]]();
      if (!NESTED[name]) equal(look(page), alone[order[1]], "one is left");
      await turn();
      undos[order[1]]();
      equal(look(page), plain, "undone");
      await turn();
      equal([look(page), page.M.said], [plain, []], "undone, later");
    };
  }
}

for (const order of ["012", "021", "102", "120", "201", "210"]) {
  cases[`of three on one element the last that is left is seen, undone in the order ${order}`] = async ({ open }) => {
    const page = await open(BODY);
    const words = ["A", "B", "C"];
    const undos = words.map((innerText) => page.M.change([{ target: "h1", innerText, class: innerText }]).undo);
    const left = new Set(words);
    for (const at of order) {
      equal([h1(page).textContent, h1(page).className], [[...left].at(-1), [...left].join(" ")], "before");
      left.delete(words[at]);
      undos[at]();
    }
    await turn();
    equal([h1(page).textContent, h1(page).className, page.M.said], ["Old", "", []], "undone");
  };
}

cases["a page that fights has its way after ten rounds in a second, and that is told once"] = async ({ open }) => {
  const page = await open("<h1>Old</h1>", { clock: () => 5_000 });
  let rounds = 0;
  const observer = new page.win.MutationObserver(() => {
    if (h1(page).textContent !== "Old" && (rounds += 1) < 1000) h1(page).textContent = "Old";
  });
  observer.observe(h1(page), { childList: true, characterData: true, subtree: true });
  const { undo } = page.M.change([{ target: "h1", innerText: "New", class: "x" }]);
  await turn();
  equal([h1(page).textContent, h1(page).className, page.M.said], ["Old", "", ["fight:h1"]]);
  equal(rounds, 11, "rounds");
  undo();
  equal(h1(page).textContent, "Old");
};

cases["a page that changes back now and then has its way after fifty rounds"] = async ({ open }) => {
  let now = 5_000;
  const page = await open("<h1>Old</h1>", { clock: () => now });
  page.M.change([{ target: "h1", innerText: "New" }]);
  for (let round = 1; round <= 52; round++) {
    h1(page).textContent = `Old ${round}`;
    await null;
    equal(h1(page).textContent, round <= 50 ? "New" : `Old ${round}`, `round ${round}`);
    now += 1_000;
  }
  equal(page.M.said, ["fight:h1"]);
};

cases["another element is changed while the page fights about one"] = async ({ open }) => {
  const page = await open("<h1>Old</h1><h1>Old</h1>", { clock: () => 5_000 });
  page.M.change([{ target: "h1", innerText: "New" }]);
  for (let round = 0; round < 20; round++) {
    h1(page).textContent = "Page";
    await null;
  }
  const [first, second] = page.$$("h1");
  second.textContent = "Page";
  await null;
  equal([first.textContent, second.textContent, page.M.said], ["Page", "New", ["fight:h1"]]);
};
