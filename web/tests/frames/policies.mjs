// Pages with strict policies: nonces and Trusted Types.

import { equal, painted, until } from "./world.mjs";

export const BODY = `<h1 id="t">Old</h1><p id="p">Some <b>words</b></p><i>gone</i>`;

const ITEMS = [
  { target: "#t", innerText: "New", style: "color: rgb(1, 2, 3)", class: "x", attributes: { title: "x" } },
  { target: "#p", innerHTML: "<u>New</u>" },
  { rm: "i" },
  { refEl: "#t", dir: "a", htmlBlock: "<em>block</em>" },
  { target: "em", outerHTML: "<s>other</s>" },
];
/** Items without HTML. */
const PLAIN = [ITEMS[0], ITEMS[2], { oriEl: "#p", refEl: "#t", dir: "b" }];

const CHANGED = { t: "New", color: "rgb(1, 2, 3)", p: "U", i: false, em: false, s: "other" };
const NO_HTML = { t: "New", color: "rgb(1, 2, 3)", p: "#text", i: false };

/**
 * The argument `trustedTypes` of `strict`, the items, the expected state of the page, the reported failures, and the result of code:
 * `ran`, `blocked` by the policy, or `refused` as text. `blocked` lists the violations that the browser reports.
 */
/** @type {Record<string, any>} */
export const POLICIES = {
  "all goes by nonce": { items: ITEMS, changed: CHANGED, code: "ran", blocked: [] },
  "code without a nonce is blocked, and that is told": {
    items: ITEMS,
    nonce: "",
    changed: CHANGED,
    code: "blocked",
    blocked: ["script-src-elem"],
  },
  "Trusted Types: all goes through the policy muriel": {
    trustedTypes: "muriel",
    items: ITEMS,
    changed: CHANGED,
    code: "ran",
    blocked: [],
  },
  "Trusted Types without the name: html and code are left out and told, the rest is done": {
    trustedTypes: "other",
    items: ITEMS,
    changed: NO_HTML,
    said: ["change:#p", "change:#t"],
    code: "refused",
    blocked: ["require-trusted-types-for", "trusted-types"],
  },
  "Trusted Types: pages without html need not allow the name": {
    trustedTypes: "",
    items: PLAIN,
    changed: { ...NO_HTML, first: "P" },
    blocked: [],
  },
};

/** A script for the head of such a page, which applies changes before there is a body. */
export const changing = ({ items }, nonce) => `M.setNonce("${nonce}"); applied = M.change(${JSON.stringify(items)});`;

const read = ({ $, css }) => ({
  t: $("#t").textContent,
  color: css("#t").color,
  p: $("#p").firstChild.nodeName,
  i: $("i").checkVisibility(),
  em: $("em")?.checkVisibility(),
  s: $("s")?.textContent,
});

export const cases = {};
for (const [at, [name, { changed, said = [], code, blocked }]] of Object.entries(POLICIES).entries()) {
  cases[name] = async ({ load }) => {
    const page = await load(`/policy/${at}`);
    const { win, M } = page;
    await painted(win);
    const { first, ...wanted } = changed;
    equal(
      Object.entries(read(page)).filter(([key, value]) => wanted[key] !== value),
      [],
      "changed",
    );
    if (first) equal(page.$("body").firstElementChild.nodeName, first, "moved");
    if (code) {
      const told = [];
      M.runCode("window.ran = experiment.n", "muriel-1", { n: 7 }, (message) => told.push(message));
      equal([win.ran, told.length], code === "ran" ? [7, 0] : [undefined, 1], "code");
      if (code === "blocked") equal(told, ["blocked"]);
    }
    M.applyCss("#t { margin-top: 3px }");
    equal(page.css("#t").marginTop, "3px", "a constructed sheet");
    win.CSSStyleSheet = undefined;
    M.applyCss("#t { padding-top: 5px }");
    equal(page.css("#t").paddingTop, blocked.includes("script-src-elem") ? "0px" : "5px", "an element with the nonce");
    // The order of elements depends on how the page arrives.
    equal(M.said.toSorted(), said, "said");
    // Browsers report violations in separate tasks, which a busy machine delays beyond the next frames.
    await until(`the browser reports ${blocked}`, () => blocked.every((each) => win.seen.blocked.includes(each)));
    await painted(win);
    equal(
      [...new Set(win.seen.blocked)].filter((each) => !/^style/.test(each)).toSorted(),
      blocked,
      "what the browser reports",
    );
    win.applied.undo();
    equal(
      [page.$("#t").outerHTML.replace(/ (style|class)=""/g, ""), page.text()],
      ['<h1 id="t">Old</h1>', "Old Some words gone"],
      "undone",
    );
  };
}
