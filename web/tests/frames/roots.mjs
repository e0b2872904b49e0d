// Shadow roots that are attached when the element is defined, by a module, after the page has been parsed.

import { equal, turn } from "./world.mjs";

const INNER = `<h1>Old</h1><p class="hint">Hint</p>`;

/** Ways in which a class attaches its root and fills it. */
const WAYS = {
  "in the constructor": `constructor() { super(); this.attachShadow({ mode: "open" }).innerHTML = INNER; }`,
  "when it is connected": `connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = INNER; }`,
  "by the prototype's method": `constructor() { super(); super.attachShadow({ mode: "open" }).innerHTML = INNER; }`,
  "and fills it in a microtask": `constructor() { super(); const root = this.attachShadow({ mode: "open" }); Promise.resolve().then(() => (root.innerHTML = INNER)); }`,
  "and fills it in a task": `connectedCallback() { const root = this.attachShadow({ mode: "open" }); setTimeout(() => (root.innerHTML = INNER)); }`,
  "in a task": `connectedCallback() { setTimeout(() => (this.attachShadow({ mode: "open" }).innerHTML = INNER)); }`,
};

const ITEMS = [{ target: "x-card >>> h1", innerText: "New" }, { rm: "x-card >>> .hint" }];

const define = ({ win }, name, body, inner = INNER) =>
  win.eval(
    `{ const INNER = ${JSON.stringify(inner)}; customElements.define("${name}", class extends HTMLElement { ${body} }); }`,
  );

/** The visible texts in the roots of the hosts. */
const seen = ({ $$ }) =>
  $$("x-card").map(({ shadowRoot }) =>
    [...(shadowRoot?.children ?? [])]
      .filter((each) => each.checkVisibility())
      .map((each) => each.textContent)
      .join(),
  );

/** The texts that each frame shows, until they are all `New`, and of three further frames. */
async function frames(page) {
  const all = [];
  for (let left = 3; left > 0; ) {
    await new Promise((done) => page.win.requestAnimationFrame(done));
    all.push(...seen(page).filter(Boolean));
    if (seen(page).every((each) => each === "New")) left -= 1;
  }
  return [...new Set(all)];
}

export const cases = {};
for (const [way, body] of Object.entries(WAYS)) {
  cases[`a root that is attached ${way}, of elements that were there before`] = async ({ open }) => {
    const page = await open(`<x-card></x-card><p></p><x-card></x-card>`);
    const { undo, missing } = page.M.change(ITEMS);
    await turn();
    define(page, "x-card", body);
    equal(await frames(page), ["New"], "frames");
    page.$("p").append(page.win.document.createElement("x-card"));
    equal(await frames(page), ["New"], "frames of one more");
    equal([missing(), page.M.said], [[], []], "missing and said");
    undo();
    await turn();
    equal(seen(page), ["Old,Hint", "Old,Hint", "Old,Hint"], "undone");
    equal(
      page.$$("*").flatMap((each) => Object.keys(each)),
      [],
      "left behind",
    );
  };
  cases[`a root that is attached ${way}, while the page comes`] = async ({ open }) => {
    const page = await open([`<x-card></x-card><p>`, `</p><x-card></x-card>`, `<i></i>`], {
      before: ({ M }) => M.change(ITEMS),
    });
    define(page, "x-card", body);
    equal(await frames(page), ["New"], "frames");
  };
}

for (const names of [
  ["x-outer", "x-card"],
  ["x-card", "x-outer"],
]) {
  cases[`roots within roots, of which ${names[0]} is defined first`] = async ({ open }) => {
    const page = await open(`<x-outer></x-outer>`);
    const { undo } = page.M.change([{ target: "x-outer >>> x-card >>> h1", innerText: "New" }]);
    const bodies = { "x-outer": "<x-card></x-card>", "x-card": "<h1>Old</h1>" };
    for (const name of names) {
      await turn();
      define(page, name, WAYS["in the constructor"], bodies[name]);
    }
    const read = () =>
      [...page.$("x-outer").shadowRoot.children].map(({ shadowRoot }) => shadowRoot.textContent).join();
    await null;
    equal(read(), "New");
    page.$("x-outer").shadowRoot.append(page.win.document.createElement("x-card"));
    await null;
    equal(read(), "New,New", "one more within");
    undo();
    equal(read(), "Old,Old", "undone");
  };
}

Object.assign(cases, {
  async "a root that the parser attaches last"({ open }) {
    const page = await open([`<x-card>`, `<template shadowrootmode="open">`, INNER, `</template></x-card>`], {
      before: ({ M }) => M.change(ITEMS),
    });
    await turn();
    // In some engines, documents that are written by scripts have no declarative shadow roots.
    if (page.$("x-card").shadowRoot) equal(seen(page), ["New"]);
  },

  async "a closed root stays closed, and what is never defined is left as it was"({ open }) {
    const page = await open(`<x-card></x-card><x-never></x-never><div></div>`);
    const { undo } = page.M.change([...ITEMS, { target: "x-never >>> h1, div >>> h1", innerText: "New" }]);
    define(
      page,
      "x-card",
      `constructor() { super(); this.root = this.attachShadow({ mode: "closed" }); this.root.innerHTML = INNER; }`,
    );
    await turn();
    const { root } = page.$("x-card");
    equal([root.textContent, page.$("x-card").shadowRoot], ["OldHint", null]);
    page.$("div").attachShadow({ mode: "open" }).innerHTML = INNER;
    await null;
    undo();
    equal(
      page.$$("x-never, div").flatMap((each) => Object.keys(each)),
      [],
    );
  },

  async "a page that refuses a root hears so"({ open }) {
    const page = await open(`<x-card></x-card>`);
    page.M.change(ITEMS);
    let error;
    try {
      page.$("x-card").attachShadow({});
    } catch (thrown) {
      error = thrown;
    }
    equal(error instanceof page.win.TypeError, true);
    page.$("x-card").attachShadow({ mode: "open" }).innerHTML = INNER;
    await null;
    equal(seen(page), ["New"]);
  },
});
