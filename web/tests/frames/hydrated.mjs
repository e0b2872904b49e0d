// Pages that React owns: each kind of change before and after hydration, and React's later updates of changed elements.

import { equal, turn, until } from "./world.mjs";

const CODE = `
  experiment.waitFor("#w", (w) => {
    const badge = document.createElement("em");
    badge.textContent = "Code";
    w.after(badge);
    w.dataset.seen = "yes";
    experiment.onCleanup(() => { badge.remove(); delete w.dataset.seen; });
  });
  document.documentElement.dataset.code = experiment.variant;
  experiment.onCleanup(() => delete document.documentElement.dataset.code);`;

/** The arm, a function that returns whether it is shown, and the ids of the elements that it needs, one letter each. */
/** @type {Record<string, any[]>} */
export const KINDS = {
  text: [{ data: [{ target: "#w", innerText: "New" }] }, ({ $ }) => $("#w").textContent === "New", "w"],
  "text of parts": [{ data: [{ target: "#t", textContent: "New" }] }, ({ $ }) => $("#t").textContent === "New", "t"],
  html: [{ data: [{ target: "#p", innerHTML: "<i>New</i>" }] }, ({ $ }) => $("#p").textContent === "New", "p"],
  "html of a list": [
    { data: [{ target: "#u", innerHTML: "<li>New</li>" }] },
    ({ $ }) => $("#u").textContent === "New",
    "u",
  ],
  "html of all": [{ data: [{ target: "#m", innerHTML: "<i>New</i>" }] }, ({ $ }) => $("#m").textContent === "New", "m"],
  outerHTML: [
    { data: [{ target: "#w", outerHTML: "<h3>New</h3>" }] },
    ({ $ }) => !$("#w").checkVisibility() && $("#w").nextSibling.textContent === "New",
    "w",
  ],
  "the href of a link": [
    { data: [{ target: "#l", href: "/new" }] },
    ({ $ }) => $("#l").getAttribute("href") === "/new",
    "l",
  ],
  "the src of a picture": [
    { data: [{ target: "#i", src: "data:,new" }] },
    ({ $ }) => $("#i").getAttribute("src") === "data:,new" && !$("#i").hasAttribute("srcset"),
    "i",
  ],
  style: [
    { data: [{ target: "#t", style: "color: red; margin: 1px" }] },
    ({ css }) => css("#t").color === "rgb(255, 0, 0)",
    "t",
  ],
  class: [{ data: [{ target: "#t", class: "new -big" }] }, ({ $ }) => /\bnew\b/.test($("#t").className), "t"],
  remove: [{ data: [{ rm: "#p" }] }, ({ $ }) => !$("#p").checkVisibility(), "p"],
  "insert before": [
    { data: [{ refEl: "#u", dir: "b", htmlBlock: "<i>New</i>" }] },
    ({ $ }) => $("#u").previousElementSibling?.textContent === "New",
    "u",
  ],
  "insert after": [
    { data: [{ refEl: "#x", dir: "a", htmlBlock: "<li>New</li>" }] },
    ({ $ }) => $("#x").nextElementSibling?.textContent === "New",
    "x",
  ],
  "insert inside": [
    { data: [{ refEl: "#u", dir: "p", htmlBlock: "<li>New</li>" }] },
    ({ $ }) => $("#u").lastElementChild.textContent === "New",
    "u",
  ],
  "move before": [
    { data: [{ oriEl: "#z", refEl: "#x", dir: "b" }] },
    ({ $ }) => $("#x").previousElementSibling?.id === "z",
    "zx",
  ],
  "move after, elsewhere": [
    { data: [{ oriEl: "#l", refEl: "#f", dir: "a" }] },
    ({ $ }) => $("#f").nextElementSibling?.id === "l",
    "lf",
  ],
  "move inside": [
    { data: [{ oriEl: "#b", refEl: "#a", dir: "p" }] },
    ({ $ }) => $("#a").lastElementChild?.id === "b",
    "ba", // typos: ignore
  ],
  "move to what goes": [
    { data: [{ oriEl: "#w", refEl: "#p", dir: "a" }] },
    ({ $ }) => $("#p").nextElementSibling?.id === "w",
    "wp",
  ],
  many: [
    {
      data: [
        { oriEl: "#b", refEl: "#u", dir: "b" },
        { target: "#p", innerHTML: "<i>New</i>" },
        { oriEl: "#y", refEl: "#x", dir: "b" },
        { refEl: "#y", dir: "a", htmlBlock: "<li>New</li>" },
        { rm: "#a" },
        { target: "#w", innerText: "New" },
      ],
      customCSS: "#t { letter-spacing: 3px }",
      customJS: CODE,
    },
    ({ $, css }) =>
      $("#p").textContent === "New" &&
      $("#u").previousElementSibling?.id === "b" &&
      $("#y").nextElementSibling?.textContent === "New" &&
      $("#w").textContent === "New" &&
      css("#t").letterSpacing === "3px",
    "bpuyxwt",
  ],
  customJS: [{ customJS: CODE }, ({ $ }) => $("html").dataset.code === "Variant 1", ""],
  customCSS: [{ customCSS: "#w { letter-spacing: 3px }" }, ({ css }) => css("#w").letterSpacing === "3px", "w"],
};

/** React's updates, step by step. */
const STEPS = [
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
  { gone: "wlai" },
  { gone: "t", n: 2 },
  { main: false },
  { main: true, gone: "" },
  { order: "", words: "" },
  { order: "zxy", words: "Again" },
  { n: 0, gone: "x" },
  { gone: "" },
];

const END = { n: 3, order: "yx", words: "End" };
const END_TEXT = "Title 3 One two3 End y x link aside foot3";

/**
 * Opens a page with an arm that is shown `before` or `after` hydration, or with text and nodes `waiting` for it
 * (`when`). `build` is the build of React.
 */
const opened = async ({ load }, at, when, build) => {
  const page = await load(`/${build}/${when}/${at}`);
  const { App } = page.win;
  await until("React has taken over", () => App.update);
  return { page, App };
};

/** Checks that neither React nor the script has reported an error. */
const fine = ({ win }, step) =>
  equal([win.App.caught, win.told.filter((what) => !what.startsWith("fight"))], [[], []], step);

const leave = ({ win }) => win.history.replaceState({}, "", "/elsewhere");

async function lives(frames, at, when, build) {
  const [, shows, ids] = Object.values(KINDS)[at];
  const { page, App } = await opened(frames, at, when, build);
  const seen = (step) => {
    if ([...ids].every((id) => page.$(`#${id}`)))
      equal(shows(page), true, `${step}: ${page.$("#root").innerHTML}: shown`);
  };
  // Styles alone do not change elements.
  const [{ data = [], customJS }] = Object.values(KINDS)[at];
  // Changes of text and nodes wait for React; changes of attributes do not.
  const early = {
    before: ({ rm, style }) => !rm && !style,
    waiting: ({ href, src, class: name }) => href ?? src ?? name,
    after: () => false,
  };
  equal(
    page.win.isChanged,
    when !== "after" && (!!customJS || data.some((item) => !!early[when](item))),
    "React found a changed page",
  );
  if (when === "after" || (when === "waiting" && !customJS)) equal(App.recovered, [], "React found the page as it was");
  await until("the change is shown", () => shows(page));
  fine(page, "hydrated");
  for (const step of STEPS) {
    App.update(step);
    await turn();
    seen(JSON.stringify(step));
    fine(page, JSON.stringify(step));
    equal(page.text().includes("foot"), true, `${JSON.stringify(step)}: footer`);
  }
  equal(shows(page), true, `at last: ${page.$("#root").innerHTML}`);
  App.unmount();
  await turn();
  fine(page, "unmounted");
  equal(page.$("#root").innerHTML, "", "unmounted");
  App.render();
  await until("React has begun anew", () => App.update);
  await turn();
  seen("anew");
  // After the arm is removed, React's page continues to work.
  leave(page);
  App.update(END);
  // Without a sign of another view, an arm is removed after a second.
  await until("undone", () => page.text() === END_TEXT);
  App.unmount();
  equal([App.caught, page.$("#root").innerHTML, page.win.told], [[], "", []], "undone and unmounted");
}

async function undone(frames, at, when, build) {
  const { page, App } = await opened(frames, at, when, build);
  const { muriel } = page.win;
  const shows = Object.values(KINDS)[at][1];
  for (const step of STEPS) {
    muriel.push(["identify", null, { audiences: ["chosen"] }]);
    if (step === STEPS[0]) await until("the change is shown", () => shows(page));
    App.update(step);
    // Before mutation observers are called.
    muriel.push(["identify", null, { audiences: [] }]);
    fine(page, JSON.stringify(step));
  }
  App.update({ ...END, gone: "", main: true });
  equal(page.text(), END_TEXT);
  App.unmount();
  equal([App.caught, page.$("#root").innerHTML, page.win.told], [[], "", []], "unmounted");
}

/** The groups of cases: the procedure, when the arm is shown, and the build of React. */
/** @type {Record<string, any[]>} */
export const GROUPS = {
  before: [lives, "before", "production"],
  after: [lives, "after", "production"],
  waiting: [lives, "waiting", "production"],
  watched: [lives, "waiting", "development"],
  development: [lives, "before", "development"],
  chosen: [undone, "chosen", "production"],
};

export const cases = {};
for (const [group, [act, when, build]] of Object.entries(GROUPS)) {
  for (const [at, name] of Object.keys(KINDS).entries()) {
    cases[`${group}: ${name}`] = (frames) => act(frames, at, when, build);
  }
}
