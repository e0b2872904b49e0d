// An experiment that fails, between two that do not. The others, and the page, behave as if it were not there.

import { areNamed, equal, turn, until } from "./world.mjs";

const code = (customJS) => ({ customJS });
const changes = (...data) => ({ data });

/**
 * An arm that fails, the number of `errors` that are reported for it, and the errors that the page `sees`. `after` is
 * called with the page once the arm is shown. `experiment` has further fields. With `isOut`, no visitor is in the
 * experiment. With `isLast`, the arm removes functions that decisions need, so the arms that are shown stay.
 */
export const WRONG = {
  "code that throws": { arm: code("throw new Error('mine')"), errors: 1 },
  "code that throws nothing": { arm: code("throw undefined"), errors: 1 },
  "code that is none": { arm: code("this is no JavaScript"), errors: 1, sees: ["SyntaxError"] },
  "code that ends in the middle": { arm: code("if (true) { let a = `"), errors: 1, sees: ["SyntaxError"] },
  "code that ends what is around it": { arm: code("}); throw 1; (() => {"), errors: 1 },
  "code without an end": { arm: code("for (;;) __muriel_turn()"), errors: 1 },
  "code without an end, whenever an element comes": {
    arm: code("experiment.waitFor('u', () => { for (;;) __muriel_turn() })"),
    after: ({ $, make }) => $("body").append(make("u")),
    errors: 1,
  },
  "code that waits for what is not a selector": { arm: code("experiment.waitFor('h1[', () => {})") },
  "code that throws when an element comes": {
    arm: code("experiment.waitFor('u', () => { throw 1 })"),
    after: ({ $, make }) => $("body").append(make("u")),
    errors: 1,
  },
  "code that throws when it is taken away": { arm: code("experiment.onCleanup(() => { throw 1 })") },
  "code that throws to a listener of its own": {
    arm: code("addEventListener('ping', () => { throw Error('later') })"),
    sees: ["Error: later"],
    errors: ({ win }) => (areNamed(win) ? 1 : 0),
  },
  "code that takes our names": { arm: code("window.muriel = 1; delete window.muriel; window.experiment = null") },
  "code that takes what windows have": {
    arm: code(
      `for (const name of ["fetch", "MutationObserver", "setTimeout", "clearTimeout", "requestAnimationFrame",
         "requestIdleCallback", "Promise", "JSON", "Map", "Set", "WeakMap", "WeakSet", "Date", "Math", "URL", "RegExp",
         "CSSStyleSheet", "MessageChannel", "localStorage", "addEventListener", "performance", "crypto", "Blob", "Event",
         "CustomEvent", "trustedTypes"])
         try { Object.defineProperty(window, name, { value: null, configurable: true }) } catch {}`,
    ),
    isLast: true,
  },
  "code that takes what objects have": {
    arm: code(
      `navigator.sendBeacon = document.querySelectorAll = document.querySelector = document.createElement = null;
       Date.now = Math.floor = Math.random = JSON.parse = JSON.stringify = null;
       Object.assign = Object.entries = Object.keys = null;
       document.addEventListener = document.createComment = document.createDocumentFragment = null;`,
    ),
    isLast: true,
  },
  "code that gives all objects and lists more": {
    arm: code(`Object.prototype.more = 1; Array.prototype.more = () => {}; String.prototype.more = 1;`),
  },
  "code that takes the head out": { arm: code("document.head.remove()") },
  "changes that select nothing that can be": {
    arm: changes(
      { target: "h1[", innerText: "x" },
      { rm: "::" },
      { refEl: "<", dir: "a", htmlBlock: "x" },
      { oriEl: "p", refEl: "", dir: "b" },
      { target: "" },
    ),
    errors: 3,
  },
  "changes into themselves": { arm: changes({ oriEl: "body", refEl: "main", dir: "p" }), errors: 1 },
  "changes that are none": {
    arm: changes(
      { refEl: "main", dir: "sideways", htmlBlock: "" },
      { nothing: 1 },
      { target: "main", href: null, class: "  " },
    ),
  },
  "styles that are none": { arm: { customCSS: "} h1, { ;;; } @media (((" } },
  "styles that end in the middle": { arm: { customCSS: "@media print { h1 { color: red; content: '" } },
  "an element to wait for that cannot be": {
    arm: changes({ target: "h1", innerText: "x" }),
    experiment: { trigger_variant_change: "element:h1[" },
    isOut: true,
  },
  "a rule about pages that is none": {
    arm: changes({ target: "h1", innerText: "x" }),
    experiment: { targeting: { url_rule: [{ url: "((", rule: "regex", allowed: true }] } },
    isOut: true,
  },
  "a ruleset that lacks its arm": { arm: changes(), experiment: { ranges: [[10_000, 3]] }, isOut: true },
};

const plainly = (message) => message.replace(/^Uncaught /, "").replace(/^(SyntaxError):.*/, "$1");

/** The ids of a row's three experiments. */
export const idsOf = (at) => [3 * at + 1, 3 * at + 2, 3 * at + 3];

export const cases = {};
for (const [at, [name, { errors = 0, sees = [], after, isOut, isLast }]] of Object.entries(WRONG).entries()) {
  cases[name] = async ({ load }) => {
    const page = await load(`/errors/${at}`);
    const { win, $, $$, make } = page;
    const marks = () => Object.keys($("html").dataset).sort();
    await until("both others have run", () => marks().length === 2);
    const seen = () => [
      $("h1").textContent,
      page.css("h1").letterSpacing,
      $("p").textContent,
      page.css("p").letterSpacing,
    ];
    equal(seen(), ["One", "1px", "Three", "3px"], "the others");
    after?.(page);
    win.dispatchEvent(new Event("ping"));
    $("button").click();
    equal(win.own, ["ping", "click"], "the page's own code");
    $("body").append(make("h1", "Late"));
    $("p").textContent = "Page";
    await null;
    equal([$$("h1").at(-1).textContent, $("p").textContent], ["One", "Three"], "the others go on");
    equal(page.errors.splice(0).map(plainly), sees, "seen by the page");
    equal(
      win.told.filter(([key]) => key !== "two"),
      [],
      "told of others",
    );
    equal(win.told.length, typeof errors === "function" ? errors(page) : errors, `told: ${JSON.stringify(win.told)}`);
    if (isLast) return;
    // Makes the script send at once instead of within two seconds.
    win.dispatchEvent(new Event("online"));
    await fetch(`/exposed/${idsOf(at).filter((_, index) => index !== 1 || !isOut)}`).catch(() =>
      equal(false, true, "all are told as met"),
    );
    win.leave();
    await until("it is taken away", () => $("h1").textContent === "Old" && $("p").textContent === "Page");
    equal([...seen(), marks()], ["Old", "normal", "Page", "normal", []], "taken away");
    await turn();
    equal([$("h1").textContent, page.errors], ["Old", []], "later");
  };
}
