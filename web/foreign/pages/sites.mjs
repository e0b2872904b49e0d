// Sites whose pages are rendered by a server or a build: the response is HTML, and a library or a framework continues.

import { execFile } from "node:child_process";
import { closeSync, cpSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { goods, markup } from "../apps/shop.mjs";
import { freePort, start as run, stop } from "../../tests/children.mjs";
import { until } from "../../tests/engines/page.mjs";
import { at } from "../../tests/visit.mjs";
import { arms, PICTURES, shows } from "./apps.mjs";

const HERE = new URL("../", import.meta.url);
const MODULES = new URL("node_modules/", HERE);
const library = (path) => readFileSync(new URL(path, MODULES), "utf8");

const start = { isReversed: false, isShort: false, count: 0, view: "list" };
const page = (head, body) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Garden</title><link rel="icon" href="data:,">${head}</head><body>${body}</body></html>`;

const sorted = [
  { name: "sorted", act: { click: "#sort" }, until: shows("", "edcba") },
  { name: "sorted back", act: { click: "#sort" }, until: shows("", "abcde") },
  { name: "another page", act: { click: "#go" }, until: () => document.querySelector("#about") },
  { name: "back", act: { back: true }, until: shows("", "abcde") },
];

const ADDED = {
  name: "one more in the basket",
  act: { click: "#add" },
  until: () => document.querySelector("#count").textContent.endsWith(" 1"),
};

/** A condition for the page: React has hydrated the shop. */
const HYDRATED = `Object.keys(document.querySelector("#sort") ?? {}).some((key) => key.startsWith("__reactProps"))`;

/** The state that a request's address asks for. */
const asked = ({ path, query }) => ({
  ...start,
  isReversed: query.includes("reversed"),
  count: query.includes("added") ? 1 : 0,
  view: path === "/about" ? "about" : "list",
});

/** Turbo loads whole pages: a link replaces the body, and a link in the frame replaces the frame's content. */
const turbo = (came) => {
  const state = asked(came);
  const tools = `<a id="sort" href="${state.isReversed ? "/" : "/?reversed"}">Sort</a> <a id="go" href="/about">About</a>`;
  const basket = `<turbo-frame id="basket"><p id="basket-count">${state.count} in the basket</p><a id="add" href="/?added">Add</a></turbo-frame>`;
  return page(
    '<script src="/npm/@hotwired/turbo/dist/turbo.es2017-umd.js"></script>',
    `${markup(state, tools)}${state.view === "list" ? basket : ""}`,
  );
};

/**
 * htmx inserts the selected part of a response at its target, and requests the whole page when the visitor goes back.
 */
const htmx = (came) => {
  const state = asked(came);
  const tools = `<button id="sort" hx-get="/?reversed" hx-target="#list" hx-select="#list" hx-swap="outerHTML">Sort</button>
    <button id="resort" hx-get="/" hx-target="#list" hx-select="#list" hx-swap="outerHTML">Sort back</button>
    <button id="add" hx-get="/?added" hx-target="#count" hx-select="#count" hx-swap="outerHTML">Add</button>
    <a id="go" href="/about" hx-get="/about" hx-target="#shop" hx-select="#shop" hx-swap="outerHTML" hx-push-url="true">About</a>`;
  return page('<script src="/npm/htmx.org/dist/htmx.min.js"></script>', `<div id="shop">${markup(state, tools)}</div>`);
};

const swiper = () =>
  page(
    '<link rel="stylesheet" href="/swiper.css"><style>.swiper { height: 120px } .swiper-slide { padding: 10px; box-sizing: border-box }</style>',
    `<h1>Tools for the garden</h1><div class="swiper"><div class="swiper-wrapper">${goods(start)
      .map(
        ({ sku, name, price }) =>
          `<div class="swiper-slide" data-sku="${sku}"><img src="/img/${sku}.svg" alt="" width="40" height="40"> <span class="name">${name}</span> <b class="price">${price} EUR</b> <button class="buy">Buy</button></div>`,
      )
      .join("")}</div><button class="next">Next</button></div><script src="/swiper.js"></script>
     <script>window.slides = new Swiper(".swiper", { loop: true, slidesPerView: 2, navigation: { nextEl: ".next" } })</script>`,
  );

const adminlte = () =>
  page(
    '<link rel="stylesheet" href="/npm/admin-lte/dist/css/adminlte.min.css">',
    `<div class="app-wrapper"><nav class="app-header navbar navbar-expand bg-body"><ul class="navbar-nav"><li class="nav-item"><a class="nav-link" data-lte-toggle="sidebar" href="#" role="button">Menu</a></li></ul></nav>
     <aside class="app-sidebar bg-body-secondary"><div class="sidebar-brand"><span class="brand-text">Garden</span></div></aside>
     <main class="app-main"><div class="app-content-header"><h3>Dashboard</h3></div><div class="app-content"><div class="row">
     <div class="col-6"><div class="small-box text-bg-primary" id="orders"><div class="inner"><h3>150</h3><p>Orders</p></div></div></div>
     <div class="col-6"><div class="small-box text-bg-success" id="sales"><div class="inner"><h3>3,200 EUR</h3><p>Sales</p></div></div></div></div>
     <div class="card"><div class="card-header"><h3 class="card-title">Stock</h3><div class="card-tools"><button type="button" class="btn" data-lte-toggle="card-collapse">Fold</button></div></div><div class="card-body"><p>Five tools are left.</p></div></div></div></main></div>
     <script src="/npm/bootstrap/dist/js/bootstrap.bundle.min.js"></script><script src="/npm/admin-lte/dist/js/adminlte.min.js"></script>`,
  );

/**
 * Copies an application and its `shared` files to its build folder, runs its build program, and returns the folder of
 * its pages.
 */
async function built(name, program, pages, shared = []) {
  const to = new URL(`build/${name}/`, HERE);
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  cpSync(new URL(`apps/${name}/`, HERE), to, { recursive: true });
  for (const file of shared) cpSync(new URL(`apps/${file}`, HERE), new URL(file, to));
  const bin = fileURLToPath(new URL(program, MODULES));
  const env = { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" };
  await promisify(execFile)(process.execPath, [bin, "build"], { cwd: fileURLToPath(to), env, maxBuffer: 1 << 26 });
  return `../build/${name}/${pages}`;
}

/** A condition for the page: what the server sent last is shown, not only in the hidden container where it arrives. */
const DELIVERED = `document.querySelector("#delivery")?.checkVisibility()`;

/**
 * An application in which React renders the whole document and a router of its own. It is built, and its own server,
 * which `command` returns for a port, streams its pages.
 */
const ownsDocument = (name, folder, program, command) => ({
  name,
  hydrates: true,
  arms: {
    ...arms("", ".buy"),
    html: { data: [{ target: "#lead", innerHTML: "Five tools, <b>all of them sharp</b>" }] },
    // The server sends this element after the rest of the page.
    late: { data: [{ target: "#delivery", innerText: "Delivered tomorrow" }] },
    // Outside of all Suspense boundaries. The bar comes first in the body, and React skips new elements there only if
    // their tag is another one than it expects. It moves nothing.
    bar: {
      data: [
        { refEl: "#top", dir: "b", htmlBlock: '<div style="position: fixed; right: 0; bottom: 0">Until Sunday</div>' },
        { target: "#top", innerHTML: "The garden shop, <b>since spring</b>" },
      ],
    },
  },
  async made() {
    await built(folder, program, "", ["Garden.jsx"]);
    const port = await freePort();
    const [server, ...args] = command(port);
    const log = openSync(new URL(`build/${folder}/server.log`, HERE), "w");
    const child = run(process.execPath, [fileURLToPath(new URL(server, MODULES)), ...args], {
      cwd: fileURLToPath(new URL(`build/${folder}/`, HERE)),
      env: { ...process.env, NODE_ENV: "production", HOST: "127.0.0.1", PORT: String(port) },
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    const close = () => stop(child);
    // The first response also loads the application's code.
    await until(`${name} answers`, async () => (await (await fetch(`http://127.0.0.1:${port}/`)).text()) !== "").catch(
      async (error) => {
        await close();
        throw error;
      },
    );
    return { port, files: PICTURES, close };
  },
  ready: `${HYDRATED} && ${DELIVERED} && document.readyState === "complete"`,
  steps: [...sorted.slice(0, 2), ADDED, sorted[2], { ...sorted[3], until: `${sorted[3].until} && ${DELIVERED}` }],
});

export const pages = [
  {
    name: "Turbo 8",
    arms: arms(""),
    files: { ...PICTURES, "/": turbo, "/about": turbo },
    ready: () => window.Turbo && document.readyState === "complete",
    steps: [
      sorted[0],
      sorted[1],
      {
        name: "one more in the basket",
        act: { click: "#add" },
        until: () => document.querySelector("#basket-count").textContent.startsWith("1 "),
      },
      sorted[2],
      sorted[3],
    ],
  },
  {
    name: "htmx 4",
    arms: arms(""),
    files: { ...PICTURES, "/": htmx, "/about": htmx },
    ready: () => window.htmx && document.readyState === "complete",
    steps: [
      sorted[0],
      { name: "sorted back", act: { click: "#resort" }, until: shows("", "abcde") },
      ADDED,
      sorted[2],
      sorted[3],
    ],
  },
  {
    name: "Swiper 14, in a loop",
    arms: {
      words: { data: [{ target: "h1", innerText: "Tools that outlive the garden" }] },
      price: { data: [{ target: "[data-sku=b] .price", innerText: "19 EUR" }] },
      picture: { data: [{ target: "[data-sku=a] img", src: "/img/new.svg" }] },
      block: { data: [{ refEl: "[data-sku=c] .price", dir: "a", htmlBlock: "<em>With a free bell</em>" }] },
    },
    made: () => ({
      files: {
        ...PICTURES,
        "/": swiper(),
        "/swiper.js": library("swiper/swiper-bundle.min.js"),
        "/swiper.css": library("swiper/swiper-bundle.min.css"),
      },
    }),
    ready: () => document.querySelector(".swiper-slide-active"),
    steps: [1, 2, 3, 4, 5].map((count) => ({
      name: `slide ${count}`,
      act: { click: ".next" },
      until: `slides.realIndex === ${count % 5} && !slides.animating`,
    })),
  },
  {
    name: "AdminLTE 4, Bootstrap 5",
    arms: {
      words: { data: [{ target: ".app-content-header h3", innerText: "How the shop is doing" }] },
      price: { data: [{ target: "#sales h3", innerText: "4,800 EUR" }] },
      look: { data: [{ target: ".card-title", style: "letter-spacing: 1px" }] },
      block: { data: [{ refEl: ".card-body p", dir: "a", htmlBlock: "<em>Order more soon.</em>" }] },
    },
    made: () => ({ files: { "/": adminlte() } }),
    ready: () => document.readyState === "complete",
    steps: [
      {
        name: "the side bar is closed",
        act: { click: "[data-lte-toggle=sidebar]" },
        until: () =>
          document.body.classList.contains("sidebar-collapse") || document.body.classList.contains("sidebar-open"),
      },
      {
        name: "the card is folded",
        act: { click: "[data-lte-toggle=card-collapse]" },
        until: () => document.querySelector(".card.collapsed-card"),
      },
      {
        name: "and unfolded",
        act: { click: "[data-lte-toggle=card-collapse]" },
        until: () =>
          document.querySelector(".card:not(.collapsed-card):not(.expanding-card) .card-body p")?.checkVisibility() &&
          !document.querySelector(".card .card-body").style.height,
      },
    ],
  },
  {
    name: "VitePress 1.6 (Vue, from a build)",
    hydrates: true,
    arms: {
      words: {
        data: [{ target: ".vp-doc h1", innerText: "Tools that outlive the garden", view: "#first" }],
        fields: { targeting: at("/") },
      },
      html: { data: [{ target: "#first", innerHTML: "Five tools, <b>all of them sharp</b>" }] },
      look: { data: [{ target: ".vp-doc table td", style: "letter-spacing: 1px" }] },
    },
    made: async () => ({
      folder: await built("vitepress", "vitepress/bin/vitepress.js", ".vitepress/dist"),
      files: {},
    }),
    ready: () =>
      document.querySelector("#app").__vue_app__ &&
      document.querySelector("#first") &&
      document.readyState === "complete",
    steps: [
      {
        name: "another page",
        act: { click: ".vp-doc a[href*=sharpen]" },
        until: () => document.querySelector("#sharpen"),
      },
      { name: "back", act: { back: true }, until: () => document.querySelector("#first") },
    ],
  },
  {
    name: "Next 16 (React 19, from a build)",
    hydrates: true,
    arms: arms("", ".buy"),
    made: async () => ({ folder: await built("next", "next/dist/bin/next", "out"), files: PICTURES }),
    ready: `${HYDRATED} && document.readyState === "complete"`,
    steps: [...sorted.slice(0, 2), ADDED, ...sorted.slice(2)],
  },
  ownsDocument("React Router 7 (React 19, from its server)", "react-router", "@react-router/dev/bin.js", () => [
    "@react-router/serve/bin.js",
    "build/server/index.js",
  ]),
  ownsDocument("TanStack Start 1 (React 19, from its server)", "tanstack", "vite/bin/vite.js", (port) => [
    "srvx/bin/srvx.mjs",
    ...["serve", "--prod", "--host", "127.0.0.1", "--port", `${port}`],
    ...["--static", "../client", "--entry", "dist/server/server.js"],
  ]),
  ownsDocument("waku 1 (React 19, from its server)", "waku", "waku/dist/cli.js", (port) => [
    "waku/dist/cli.js",
    ...["start", "--host", "127.0.0.1", "--port", `${port}`],
  ]),
];
