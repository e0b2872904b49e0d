// Pages whose own code continues to modify content that an arm has changed: by fragments, by emptying and filling, and
// by wrapping text.

import { equal, turn } from "./world.mjs";
import { untranslated, WRAPPERS, wrapping } from "./wrapping.mjs";

const LIST = `<ul id="l"><li id="a">a</li><li id="b">b</li><li id="c">c</li><li id="d">d</li></ul><aside><i>x</i></aside>`;

const order = ({ $ }) => [...$("#l").children].map((each) => each.textContent).join("");
const bare = ({ html }) => html().replaceAll("<!---->", "");

/** Ways in which a page moves the last item of a list to its start, or reorders the whole list. */
const MOVES = {
  "prepend, as jQuery does": ({ $, win }) => {
    const fragment = win.document.createDocumentFragment();
    fragment.appendChild($("#d"));
    $("#l").insertBefore(fragment.firstChild, $("#l").firstChild);
  },
  "a fragment with one": ({ $, win }) => {
    const fragment = win.document.createDocumentFragment();
    fragment.append($("#d"));
    $("#l").insertBefore(fragment, $("#l").firstElementChild);
  },
  "a fragment with all": ({ $, win }) => {
    const fragment = win.document.createDocumentFragment();
    for (const id of "dabc") fragment.appendChild($(`#${id}`));
    $("#l").appendChild(fragment);
  },
  "one after the other, by appendChild": ({ $ }) => {
    for (const id of "dabc") $("#l").appendChild($(`#${id}`));
  },
  "one after the other, by append": ({ $ }) => {
    for (const id of "dabc") $("#l").append($(`#${id}`));
  },
  "append, of all": ({ $ }) => $("#l").append($("#d"), $("#a"), $("#b"), $("#c")),
  prepend: ({ $ }) => $("#l").prepend($("#d")),
  insertBefore: ({ $ }) => $("#l").insertBefore($("#d"), $("#a")),
  "before another": ({ $ }) => $("#a").before($("#d")),
  "others after it": ({ $ }) => $("#d").after($("#a"), $("#b"), $("#c")),
  "others before it, and it before them": ({ $ }) => {
    $("#d").before($("#c"), $("#b"), $("#a"));
    $("#l").prepend($("#d"));
    $("#l").append($("#a"), $("#b"), $("#c"));
  },
  replaceChildren: ({ $ }) => $("#l").replaceChildren($("#d"), $("#a"), $("#b"), $("#c")),
  "Range.insertNode": ({ $, win }) => {
    const [range, element] = [win.document.createRange(), $("#d")];
    range.setStartBefore($("#a"));
    range.insertNode(element);
  },
  "out and in again": ({ $ }) => {
    const element = $("#d");
    element.remove();
    $("#l").prepend(element);
  },
  "out and in again, by the list": ({ $ }) => {
    const element = $("#d");
    $("#l").removeChild(element);
    $("#l").insertBefore(element, $("#a"));
  },
  moveBefore: ({ $ }) => ($("#l").moveBefore ? $("#l").moveBefore($("#d"), $("#a")) : $("#l").prepend($("#d"))),
};

/**
 * Positions to which an arm moves the element, and the resulting order of the list.
 *
 * @type {Record<string, [any, string]>}
 */
const PLACES = {
  "last in its own list": [{ refEl: "#l", dir: "p" }, "abcd"],
  "before another": [{ refEl: "#b", dir: "b" }, "adbc"],
  "after another": [{ refEl: "#a", dir: "a" }, "adbc"],
  "into another element": [{ refEl: "aside", dir: "p" }, "abc"],
};

export const cases = {};
for (const [place, [item, expected]] of Object.entries(PLACES)) {
  for (const [way, move] of Object.entries(MOVES)) {
    cases[`an element that an arm has moved ${place} is moved by the page: ${way}`] = async ({ open }) => {
      const page = await open(LIST);
      const { undo } = page.M.change([{ oriEl: "#d", ...item }]);
      equal(order(page), expected, "before");
      move(page);
      await turn();
      equal([order(page), page.$$("#d").length], [expected, 1], "shown");
      move(page);
      undo();
      equal([order(page), page.$("aside").innerHTML, page.M.said], ["dabc", "<i>x</i>", []], "undone");
      await turn();
      equal([order(page), page.$$("*").flatMap((each) => Object.keys(each))], ["dabc", []], "undone, later");
    };
  }
}

/**
 * Actions of a page on an element that an arm has moved, and the content of the list and of the `aside` without the
 * arm.
 *
 * @type {Record<string, [(page: any) => unknown, string, string]>}
 */
const LOSSES = {
  "takes it out": [({ $ }) => $("#d").remove(), "abc", "<i>x</i>"],
  "takes it out of where it is": [({ $ }) => $("#d").parentNode.removeChild($("#d")), "abc", "<i>x</i>"],
  "puts another in its place": [({ $, make }) => $("#d").replaceWith(make("li", "e")), "abce", "<i>x</i>"],
  "puts another in its place, by the list": [
    ({ $, make }) => $("#l").replaceChild(make("li", "e"), $("#d")),
    "abce",
    "<i>x</i>",
  ],
  "puts it elsewhere": [({ $ }) => $("body").append($("#d")), "abc", "<i>x</i>"],
  "empties its list": [({ $ }) => ($("#l").textContent = ""), "", "<i>x</i>"],
  "fills its list anew": [({ $ }) => ($("#l").innerHTML = "<li>e</li>"), "e", "<i>x</i>"],
  "empties what an arm has put it in": [({ $ }) => ($("aside").innerHTML = "<i>y</i>"), "abcd", "<i>y</i>"],
  "adds before it": [({ $, make }) => $("#d").before(make("li", "e")), "abced", "<i>x</i>"],
  "adds after it": [({ $, make }) => $("#d").after("", make("li", "e")), "abcde", "<i>x</i>"],
};
for (const [what, [act, list, aside]] of Object.entries(LOSSES)) {
  for (const keep of [true, false]) {
    cases[`an element that an arm has moved: the page ${what}, ${keep ? "kept" : "once"}`] = async ({ open }) => {
      const page = await open(LIST);
      const { undo } = page.M.change([{ oriEl: "#d", refEl: "aside", dir: "p" }], keep);
      equal(bare(page).includes('<i>x</i><li id="d">'), true, "moved");
      act(page);
      await turn();
      equal(page.$$("#d").length < 2, true, "at most once");
      undo();
      await turn();
      equal([order(page), page.$("aside").innerHTML, page.M.said], [list, aside, []], "undone");
    };
  }
}

/**
 * Changes that a page makes to the content of an element in one task, and the resulting content without an arm.
 *
 * @type {Record<string, [(page: any) => unknown, string]>}
 */
const FILLS = {
  "emptied and filled by appendChild": [
    ({ $, make }) => {
      $("p").textContent = "";
      $("p").appendChild(make("b", "odd"));
    },
    "<b>odd</b>",
  ],
  "emptied and filled twice": [
    ({ $, make }) => {
      for (const text of ["one", "two"]) {
        $("p").innerHTML = "";
        $("p").appendChild(make("b", text));
      }
    },
    "<b>two</b>",
  ],
  "replaceChildren, then more": [
    ({ $, make }) => {
      $("p").replaceChildren(make("b", "odd"));
      $("p").insertBefore(make("i", "first"), $("b"));
      $("p").append(make("u", "last"));
    },
    "<i>first</i><b>odd</b><u>last</u>",
  ],
  "emptied child by child, and filled": [
    ({ $, make }) => {
      while ($("p").firstChild) $("p").removeChild($("p").firstChild);
      $("p").appendChild(make("b", "odd"));
    },
    "<b>odd</b>",
  ],
  "added at both ends": [
    ({ $, make }) => {
      $("p").prepend(make("i", "first"));
      $("p").append(make("u", "last"));
      $("p").appendChild(make("s", "end"));
    },
    "<i>first</i>even<u>last</u><s>end</s>",
  ],
  "written again, with more": [({ $ }) => ($("p").innerHTML += "<u>more</u>"), "even<u>more</u>"],
  "HTML added at both ends": [
    ({ $ }) => {
      $("p").insertAdjacentHTML("beforeend", "<u>last</u>");
      $("p").insertAdjacentHTML("afterbegin", "<i>first</i>");
    },
    "<i>first</i>even<u>last</u>",
  ],
  "wrapped as a whole": [
    ({ $, make }) => {
      const wrapper = make("span");
      wrapper.append(...$("p").childNodes);
      $("p").append(wrapper);
    },
    "<span>even</span>",
  ],
  "moved to another element": [({ $ }) => $("aside").append(...$("p").childNodes), ""],
};
for (const [way, [act, expected]] of Object.entries(FILLS)) {
  for (const item of [
    { innerHTML: "<s>ours</s>" },
    { innerHTML: "ours" },
    { innerText: "ours" },
    { innerText: "ours\nours" },
  ]) {
    // Text alone stays in the page's own text node, which moves as it does without an arm.
    const [[kind, value]] = Object.entries(item);
    cases[`content with ${kind} ${JSON.stringify(value)}: ${way}`] = async ({ open }) => {
      const [page, twin] = [await open("<p>even</p><aside></aside>"), await open("<p>even</p><aside></aside>")];
      const { undo } = page.M.change([{ target: "p", ...item }]);
      const theirs = page.$("p");
      act(page);
      act(twin);
      equal(twin.$("p").innerHTML, expected, "without an arm");
      await turn();
      equal(theirs.textContent.startsWith("ours") && !theirs.textContent.includes("e"), true, theirs.innerHTML);
      undo();
      equal([bare(page), page.M.said], [bare(twin), []], "undone");
      await turn();
      equal(bare(page), bare(twin), "undone, later");
    };
  }
}

cases["what the page fills anew where changes are made once is the page's"] = async ({ open }) => {
  const page = await open("<p>even</p>");
  const { undo } = page.M.change([{ target: "p", innerHTML: "<s>ours</s>" }], false);
  page.$("p").textContent = "";
  page.$("p").appendChild(page.make("b", "odd"));
  equal(bare(page), "<p><b>odd</b></p>");
  await turn();
  equal(bare(page), "<p><b>odd</b></p>", "later");
  undo();
  equal([bare(page), Object.keys(page.$("p"))], ["<p><b>odd</b></p>", []], "undone");
};

const words = (page) => untranslated(page.$("body").textContent).replaceAll("<!---->", "");

const WRAPPED = `<h1>one headline</h1><p>more <b>words</b> here</p><div>last</div>`;
const ARMS = {
  words: [{ target: "h1", innerText: "our words" }, "our wordsmore words herelast"],
  "HTML of words": [{ target: "h1", innerHTML: "our words" }, "our wordsmore words herelast"],
  HTML: [{ target: "p", innerHTML: "<i>our</i> words" }, "one headlineour wordslast"],
  "words of parts": [{ target: "p", innerText: "our words" }, "one headlineour wordslast"],
  "a block": [{ refEl: "p", dir: "b", htmlBlock: "<em>our words</em>" }, "one headlineour wordsmore words herelast"],
  "a block of words": [{ refEl: "p", dir: "b", htmlBlock: "our words" }, "one headlineour wordsmore words herelast"],
  "an element in place of another": [
    { target: "p", outerHTML: "our words" },
    "one headlinemore words hereour wordslast",
  ],
};
for (const [way, wrap] of Object.entries(WRAPPERS)) {
  for (const [kind, [item, expected]] of Object.entries(ARMS)) {
    for (const isFirst of [true, false]) {
      cases[`${way} finds ${kind} ${isFirst ? "of an arm that comes later" : "of an arm"}: once`] = async ({
        open,
      }) => {
        const page = await open(WRAPPED, { clock: () => 5_000 });
        const twin = await open(WRAPPED);
        const begin = (each) => wrapping(each, wrap);
        if (isFirst) begin(page);
        const { undo } = page.M.change([item]);
        if (!isFirst) begin(page);
        begin(twin);
        for (const _ of [1, 2, 3]) await turn();
        equal([words(page), page.M.said], [expected, []], "shown");
        undo();
        await turn();
        equal(words(page), words(twin), "undone");
        equal(page.$("body").textContent.includes("our"), false, "nothing of ours");
      };
    }
  }
}

Object.assign(cases, {
  async "a page that Chrome has translated shows what the translator has made of it"({ open }) {
    const page = await open(WRAPPED, { clock: () => 5_000 });
    page.win.document.documentElement.className = "translated-ltr";
    const { undo } = page.M.change([{ target: "h1", innerText: "our words" }]);
    page.$("h1").firstChild.replaceWith(page.make("font", "translated"));
    await turn();
    equal([page.$("h1").textContent, page.M.said], ["translated", []]);
    undo();
    equal(page.$("h1").textContent, "one headline", "undone");
  },

  async "on a translated page, what the page itself writes is the page's"({ open }) {
    const page = await open(WRAPPED, { clock: () => 5_000 });
    page.win.document.documentElement.className = "translated-ltr";
    const { undo } = page.M.change([{ target: "h1", innerText: "our words" }]);
    page.$("h1").firstChild.replaceWith(page.make("span", "another headline"));
    await turn();
    equal([page.$("h1").textContent, page.M.said], ["our words", []]);
    undo();
    equal(page.$("h1").innerHTML, "<span>another headline</span>", "undone");
  },

  async "what a page adds whenever it is gone is there once when the fight is given up"({ open }) {
    const page = await open(`<p>Old <b>words</b></p>`, { clock: () => 5_000 });
    const add = () => page.$("p > em") ?? page.$("p").append(page.make("em", "!"));
    new page.win.MutationObserver(add).observe(page.$("p"), { childList: true });
    const { undo } = page.M.change([{ target: "p", innerHTML: "<s>New</s>" }]);
    await turn();
    equal([bare(page), page.M.said], ["<p>Old <b>words</b><em>!</em></p>", ["fight:p"]]);
    undo();
    equal(bare(page), "<p>Old <b>words</b><em>!</em></p>", "undone");
  },

  async "a page that puts its words back again and again has them once"({ open }) {
    const page = await open(`<p>Old <b>words</b></p>`, { clock: () => 5_000 });
    let rounds = 0;
    new page.win.MutationObserver(() => {
      if (!page.$("p > b") && (rounds += 1) < 1000) page.$("p").innerHTML = "Old <b>words</b>";
    }).observe(page.$("p"), { childList: true });
    page.M.change([{ target: "p", innerHTML: "<s>New</s>" }]);
    await turn();
    equal([bare(page), page.M.said, rounds], ["<p>Old <b>words</b></p>", ["fight:p"], 11]);
  },

  async "a page that moves an element back again and again has it where it wants it"({ open }) {
    const page = await open(LIST, { clock: () => 5_000 });
    let rounds = 0;
    new page.win.MutationObserver(() => {
      if (page.$("#l").firstElementChild.id !== "d" && (rounds += 1) < 1000) page.$("#l").prepend(page.$("#d"));
    }).observe(page.$("#l"), { childList: true });
    page.M.change([{ oriEl: "#d", refEl: "#c", dir: "b" }]);
    await turn();
    equal([order(page), page.M.said, rounds < 20], ["dabc", ["fight:#d"], true], `${rounds} rounds`);
  },

  async "a block beside an element that the page writes again is there once"({ open }) {
    const page = await open(LIST);
    const { undo } = page.M.change([
      { refEl: "#b", dir: "a", htmlBlock: "<li>A</li>" },
      { refEl: "#b", dir: "b", htmlBlock: "<li>B</li>" },
      { refEl: "#l", dir: "p", htmlBlock: "<li>P</li>" },
    ]);
    equal(order(page), "aBbAcdP");
    for (const text of "ef") {
      page.$("#l").innerHTML += `<li>${text}</li>`;
      await turn();
    }
    equal(order(page), "aBbAcdefP");
    undo();
    equal(order(page), "abcdef", "undone");
  },

  async "methods of a list of choices that an arm has moved"({ open }) {
    const page = await open(`<p>x</p><select id="d"><option>1</option><option>2</option></select>`);
    const { undo } = page.M.change([{ oriEl: "#d", refEl: "p", dir: "b" }]);
    page.$("#d").remove(0);
    equal(page.$$("option").length, 1);
    undo();
    equal(bare(page), `<p>x</p><select id="d"><option>2</option></select>`, "undone");
  },
});
