// One small shop, built with each of several frameworks and libraries.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { bundle } from "../../tests/bundle.mjs";
import { at } from "../../tests/visit.mjs";

const picture = (colour) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="${colour}"/></svg>`;
export const PICTURES = Object.fromEntries(
  [..."abcde", "new"].map((name, at) => [`/img/${name}.svg`, picture(`hsl(${at * 60} 60% 50%)`)]),
);

/**
 * The arms. `host` selects the element whose shadow root contains the shop, and ends with `>>>`. The block is inserted
 * after `near`. Pages that a framework hydrates get it after the first paint, so `near` has to be where it moves
 * nothing.
 */
export function arms(host, near = ".price") {
  const list = `${host}#list`;
  return {
    // For the first view only.
    heading: {
      data: [{ target: `${host}h1`, innerText: "Tools that outlive the garden", view: list }],
      fields: { targeting: at("/") },
    },
    price: { data: [{ target: `${host}[data-sku=b] .price`, innerText: "19 EUR" }] },
    picture: { data: [{ target: `${host}[data-sku=c] img`, src: "/img/new.svg" }] },
    look: {
      data: [
        { target: `${host}[data-sku=d] .buy`, style: "color: rgb(1, 120, 2)" },
        { target: `${host}[data-sku=a] .name`, class: "chosen" },
      ],
    },
    block: { data: [{ refEl: `${host}[data-sku=a] ${near}`, dir: "a", htmlBlock: "<em>With a free whetstone</em>" }] },
  };
}

/** A condition for the page: the visible products are in this order. */
export const shows = (host, order) =>
  `watched.all(${JSON.stringify(`${host}[data-sku]`)}).filter((each) => each.checkVisibility()).map((each) => each.dataset.sku).join("") === "${order}"`;

/** A shop whose script is `code`, a module of `apps/`. `body` is the page's HTML before the script runs. */
const app = (name, code, { host = "", near, body = '<div id="app"></div>', prepare, ...more } = {}) => ({
  name,
  arms: arms(host, near),
  async made() {
    const inside = (await prepare?.()) ?? "";
    const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Garden</title><link rel="icon" href="data:,"></head><body>${body.replace("INSIDE", inside)}<script type="module" src="/app.js"></script></body></html>`;
    const script = await bundle(`web/foreign/apps/${code}`, "Page", { minify: true });
    return { files: { ...PICTURES, "/": html, "/app.js": script } };
  },
  ready: shows(host, "abcde"),
  steps: [
    { name: "sorted", act: { click: `${host}#sort` }, until: shows(host, "edcba") },
    { name: "filtered", act: { click: `${host}#filter` }, until: shows(host, "dba") },
    { name: "sorted back", act: { click: `${host}#sort` }, until: shows(host, "abd") }, // typos: ignore
    { name: "all again", act: { click: `${host}#filter` }, until: shows(host, "abcde") },
    {
      name: "one more in the basket",
      act: { click: `${host}#add` },
      until: `watched.all("${host}#count")[0].textContent.endsWith(" 1")`,
    },
    { name: "another view", act: { click: `${host}#go` }, until: `watched.all("${host}#about").length === 1` },
    { name: "back", act: { back: true }, until: shows(host, "abcde") },
  ],
  ...more,
});

/** Compiles the Svelte component for browsers and for the server. */
async function svelte() {
  const { compile } = await import("svelte/compiler");
  const from = new URL("../apps/Shop.svelte", import.meta.url);
  const to = new URL("../build/", import.meta.url);
  mkdirSync(to, { recursive: true });
  for (const generate of ["client", "server"]) {
    const { js } = compile(readFileSync(from, "utf8"), { generate, filename: "Shop.svelte" });
    writeFileSync(new URL(`Shop.${generate}.js`, to), js.code);
  }
}

async function svelteServed() {
  await svelte();
  const { render } = await import("svelte/server");
  const { default: Shop } = await import("../build/Shop.server.js");
  const state = { isReversed: false, isShort: false, count: 0, view: "list" };
  return (await render(Shop, { props: { store: { get: () => state, subscribe() {} } } })).body;
}

const ALPINE = `<div id="app" x-data="shop"><h1 x-text="title(state)"></h1>
  <template x-if="state.view === 'list'"><div>
    <p><button id="sort" @click="store.sort()">Sort</button> <button id="filter" @click="store.filter()">In stock</button>
      <button id="add" @click="store.add()">Add</button> <a id="go" href="/about" @click="store.go($event)">About</a></p>
    <p id="count" x-text="counted(state)"></p>
    <ul id="list"><template x-for="each in goods(state)"><li :data-sku="each.sku"><img :src="picture(each)" alt="" width="40" height="40">
      <span class="name" x-text="each.name"></span> <b class="price" x-text="cost(each)"></b> <button class="buy">Buy</button></li></template></ul>
  </div></template>
  <template x-if="state.view === 'about'"><p id="about">We have sold tools since spring.</p></template></div>`;

export const pages = [
  app("React 19, index keys", "react.jsx"),
  app("Redux, React 19", "redux.jsx"),
  app("Vue 3, no keys", "vue.mjs"),
  app("Svelte 5, no keys", "svelte.mjs", { prepare: async () => void (await svelte()) }),
  app("Svelte 5, from a server", "svelte.mjs", {
    prepare: svelteServed,
    body: '<div id="app">INSIDE</div>',
    near: ".buy",
    hydrates: true,
  }),
  app("Preact, no keys", "preact.jsx"),
  app("Solid, Index", "solid.mjs"),
  app("Angular 21, by index", "angular.mjs"),
  app("Ember 7, by index", "ember.mjs"),
  app("Backbone, jQuery 4", "backbone.mjs"),
  app("jQuery 4", "jquery.mjs"),
  // After parsing, the container is not empty, so the script has to assume that a framework may hydrate it.
  app("Alpine, no keys", "alpine.mjs", { body: ALPINE, near: ".buy", hydrates: true }),
  app("Lit 3, shadow root", "lit.mjs", { host: "garden-shop >>> ", near: ".buy", body: "<garden-shop></garden-shop>" }),
  app("Custom elements", "elements.mjs", { body: "<garden-shop></garden-shop>" }),
];
