// Server-rendered pages that a framework hydrates, with arms that change text and nodes: the framework finds the page
// as it was rendered, and no frame shows the original.

import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { createElement, use } from "react";
import { renderToPipeableStream, renderToString as renderReact } from "react-dom/server";
import { renderToString } from "vue/server-renderer";
import { App, Part } from "../hydration/react-app.mjs";
import { Document } from "../hydration/react-document-app.mjs";
import { app as vueApp } from "../hydration/vue-app.mjs";
import { inFrames } from "../frames.mjs";
import { html } from "../html.mjs";
import { changing, serve } from "../script.mjs";
import { gate } from "../server.mjs";
import { at, tag } from "../visit.mjs";

export const name = "hydration";
export const isShared = true;

/** Every kind of change that causes a hydration error, of elements in the first part of the page. */
const CHANGES = [
  { target: "#h", innerText: "New", style: "color: rgb(255, 0, 0)" },
  { target: "#p", innerHTML: "New <i>words</i>" },
  { refEl: "#x", dir: "a", htmlBlock: '<li id="n">New</li>' },
  { target: "#y", outerHTML: '<li id="z">New</li>' },
];

/** Changes of elements in React's delayed part. */
const LATER = [
  { target: "#l", innerText: "New" },
  { target: "#r", textContent: "New" },
];

/**
 * Records in `frames_` the state of the changed elements in each frame, by id: the text, `(hidden)`, or nothing.
 * Records in `errors_` the errors on the console.
 */
const RECORD_FRAMES = `<script>
  const frames = (window.frames_ = []);
  const errors = (window.errors_ = []);
  console.error = (...given) => errors.push(given.join(" "));
  requestAnimationFrame(async function look() {
    // A frame paints what mutation observers leave.
    await null;
    const shown = {};
    for (const id of ["h", "p", "x", "n", "y", "z", "l", "r"]) {
      const element = document.getElementById(id);
      if (!element || !element.getClientRects()[0]) continue;
      // The parser may yield between a tag and its text.
      if (!element.textContent && document.readyState === "loading") continue;
      shown[id] = getComputedStyle(element).visibility === "hidden" ? "(hidden)" : element.textContent;
    }
    const heading = document.getElementById("h");
    if (heading) shown.color = getComputedStyle(heading).color;
    frames.push(shown);
    requestAnimationFrame(look);
  });
</script>`;

/** Gives the test control over the timeouts of hiding. Each part of the page that is parsed separately has its own. */
const MANUAL_TIMEOUT = `<script>
  const wait = setTimeout;
  const limits = [];
  window.setTimeout = (call, ms, ...more) => (ms === 1000 ? (limits.push(call), 0) : wait(call, ms, ...more));
  window.expire = () => limits.splice(0).forEach((call) => call());
</script>`;

/** Serves a bundle of a framework, whose response the test releases by `late.open()`. */
async function framework({ server, bundle }, file, build = "production") {
  const code = await bundle(`web/tests/hydration/${file}.mjs`, "Page", { minify: build === "production" });
  const late = gate();
  const src = server.route(`/${file}.js`, async () => (await late, { type: "text/javascript", body: code }));
  return { src, late };
}

/** The successive states of an element in the frames. */
const seen = (frames, id) =>
  frames.map((each) => each[id]).filter((each, at, all) => each !== undefined && each !== all[at - 1]);

/** Waits until a frame shows all of these texts. */
const shows = (page, wanted) =>
  page.waitFor(
    (wanted) =>
      frames_.length > 2 && Object.entries(wanted).every(([id, text]) => (frames_.at(-1)[id] ?? null) === text),
    { args: [wanted] },
  );

const HIDDEN = { h: "(hidden)", p: "(hidden)", y: "(hidden)", n: null, color: "rgb(255, 0, 0)" };
const CHANGED = { h: "New", p: "New words", n: "New", z: "New", y: null, color: "rgb(255, 0, 0)" };

/** Checks that the framework reported no error, and that no frame showed the original. */
async function fine(page, ids = ["h", "p", "y"], { color: wanted } = CHANGED) {
  const {
    frames,
    errors,
    complaints,
    seen: other,
  } = await page.evaluate(() => ({
    frames: frames_,
    errors: errors_,
    complaints: window.Page?.complaints ?? [],
    seen: window.seen,
  }));
  assert.deepEqual([errors, complaints, other], [[], [], { errors: [], rejections: [], blocked: [] }]);
  for (const id of ids) assert.ok(!seen(frames, id).some((text) => /Old/.test(text)), `${id}: ${seen(frames, id)}`);
  for (const { color = wanted } of frames) assert.equal(color, wanted);
}

/** Checks that the framework still updates the page. */
async function alive(page) {
  await page.click("button");
  await page.waitFor(() => document.querySelector("button").textContent === "1");
}

const experiment = (fields) => [changing([...CHANGES, ...LATER], fields)];

/** Changes without styles, as React in development compares attributes, too. */
const unstyled = () => [changing([...CHANGES, ...LATER].map(({ style, ...item }) => item))];
const BLACK = { color: "rgb(0, 0, 0)" };

/** The chunks that React's server sends: the page without the delayed part, then that part. */
async function streamed(late) {
  const Late = () => (use(late), createElement(Part));
  const chunks = [];
  let finished;
  const rest = new Promise((done) => (finished = done));
  const sink = new Writable({
    write(chunk, _, done) {
      chunks.push(chunk.toString());
      done();
    },
    final(done) {
      finished(chunks.splice(0).join(""));
      done();
    },
  });
  await new Promise((done, failed) => {
    const { pipe } = renderToPipeableStream(createElement(App, { Late }), {
      onShellReady: () => (pipe(sink), setImmediate(done)),
      onShellError: failed,
    });
  });
  return { shell: chunks.splice(0).join(""), rest };
}

const streaming = ["production", "development"].map((build) => ({
  name: `React streams a page and hydrates it in parts, in ${build}`,
  async run(given) {
    const { server, other, page } = given;
    const isPlain = build === "development";
    const style = isPlain ? BLACK : {};
    const src = await serve(other, isPlain ? unstyled() : experiment());
    const { src: react, late } = await framework(given, "react", build);
    const part = gate();
    const { shell, rest } = await streamed(part);
    const head = MANUAL_TIMEOUT + RECORD_FRAMES + tag(src) + `<script async src="${react}"></script>`;
    const [before, after] = html({ head, body: `<div id="root">SPLIT</div>` }).split("SPLIT");
    // The delayed part is sent after the root, and a script moves it into it.
    server.route("/", { body: [before + shell + "</div>", rest, after.replace("</div>", "")] });
    await page.goto(server.url("/"), { until: "commit" });
    await shows(page, { ...HIDDEN, ...style });
    part.open();
    await shows(page, { l: "(hidden)", r: "(hidden)" });
    late.open();
    await shows(page, { ...CHANGED, ...style });
    // React has not hydrated the delayed part yet.
    await shows(page, { l: "(hidden)", r: "(hidden)" });
    await page.evaluate(() => Page.openLate());
    await shows(page, { ...CHANGED, ...style, l: "New", r: "New" });
    await alive(page);
    await fine(page, ["h", "p", "y", "l", "r"], { ...CHANGED, ...style });
  },
}));

/** Vue pages: the container, the kind of script, and the experiment's mode if the page has no other sign of Vue. */
const VUE = {
  "in #app, by a deferred script": { wrap: (body) => `<div id="app">${body}</div>`, kind: "defer" },
  "anywhere, by a module": {
    wrap: (body) => `<div id="custom">${body}</div>`,
    kind: `type="module"`,
    mode: "hydrated",
  },
};

const vue = Object.entries(VUE).flatMap(([what, { wrap, kind, mode }]) =>
  ["production", "development"].map((build) => ({
    name: `Vue hydrates a page ${what}, in ${build}`,
    async run(given) {
      const { server, other, page } = given;
      const src = await serve(other, experiment({ dom_change_path: mode }));
      const { src: script, late } = await framework(given, "vue", build);
      const head = MANUAL_TIMEOUT + RECORD_FRAMES + tag(src) + `<script ${kind} src="${script}"></script>`;
      const rendered = await renderToString(vueApp());
      server.route("/", html({ head, body: wrap(rendered) }));
      await page.goto(server.url("/"), { until: "commit" });
      await shows(page, HIDDEN);
      late.open();
      await shows(page, CHANGED);
      await alive(page);
      await fine(page);
    },
  })),
);

/** Pages with signs of a framework that does not start. */
const body = `<main><h1 id="h">Old</h1><p id="p">Old <b>words</b></p><ul id="u"><li id="x">Old</li><li id="y">Old</li></ul><p>${"x".repeat(600)}</p></main>`;
const NEXT = `<link rel="preload" as="style" href="/_next/static/css/a.css">`;

const limit = {
  name: "changes wait one second at most for a framework, and no frame shows the original",
  async run(given) {
    const { server, other, page } = given;
    const src = await serve(other, experiment());
    const { src: react, late } = await framework(given, "react");
    const { shell, rest } = await streamed(Promise.resolve());
    server.route(
      "/",
      html({
        head: MANUAL_TIMEOUT + RECORD_FRAMES + tag(src) + `<script async src="${react}"></script>`,
        body: `<div id="root">${shell}${await rest}</div>`,
      }),
    );
    await page.goto(server.url("/"), { until: "commit" });
    await shows(page, HIDDEN);
    await page.evaluate("expire()");
    await shows(page, CHANGED);
    // React reports an error and renders its part of the page again. The new elements are changed nevertheless.
    late.open();
    await page.waitFor(() => window.Page);
    await page.evaluate(() => Page.openLate());
    await alive(page);
    await shows(page, CHANGED);
    const frames = await page.evaluate("frames_");
    for (const id of ["h", "p"]) assert.ok(!seen(frames, id).includes("Old"), seen(frames, id).join());
  },
};

const absent = {
  name: "with misleading signs of a framework the page is changed once it has loaded",
  async run(given) {
    const { server, other, page } = given;
    const src = await serve(other, experiment());
    const picture = gate();
    server.route("/picture", async () => (await picture, ""));
    server.route("/_next/static/css/a.css", { type: "text/css", body: "" });
    server.route(
      "/",
      html({
        head: MANUAL_TIMEOUT + RECORD_FRAMES + NEXT + tag(src),
        body: body + `<img hidden alt="" src="/picture">`,
      }),
    );
    await page.goto(server.url("/"), { until: "commit" });
    await shows(page, HIDDEN);
    picture.open();
    await shows(page, CHANGED);
    await fine(page);
  },
};

/** Values of `dom_change_path`, with true if elements are hidden, on pages with and without a sign of a framework. */
const MODES = [
  { mode: null, head: "", isHidden: false },
  { mode: "hydrated", head: "", isHidden: true },
  { mode: "once hydrated", head: "", isHidden: true },
  { mode: "immediate", head: NEXT, isHidden: false },
  { mode: "once", head: NEXT, isHidden: true },
];

const chosen = MODES.map(({ mode, head, isHidden }) => ({
  name: `dom_change_path ${mode} ${head ? "with" : "without"} a sign of a framework`,
  async run({ server, other, page }) {
    const src = await serve(other, experiment({ dom_change_path: mode }));
    const picture = gate();
    server.route("/picture", async () => (await picture, ""));
    server.route("/_next/static/css/a.css", { type: "text/css", body: "" });
    server.route(
      "/",
      html({
        head: MANUAL_TIMEOUT + RECORD_FRAMES + head + tag(src),
        body: body + `<img hidden alt="" src="/picture">`,
      }),
    );
    await page.goto(server.url("/"), { until: "commit" });
    await shows(page, isHidden ? HIDDEN : CHANGED);
    picture.open();
    await shows(page, CHANGED);
    await fine(page);
    const frames = await page.evaluate("frames_");
    if (!isHidden) assert.deepEqual(seen(frames, "h"), ["New"]);
    // The heading was hidden for a time.
    if (isHidden) assert.ok(seen(frames, "h").includes("(hidden)"));
  },
}));

const undone = {
  name: "an arm that is removed while its elements wait leaves them unchanged and visible",
  async run(given) {
    const { server, other, page } = given;
    const src = await serve(other, experiment());
    server.route("/_next/static/css/a.css", { type: "text/css", body: "" });
    const picture = gate();
    server.route("/picture", async () => (await picture, ""));
    server.route(
      "/",
      html({
        head: MANUAL_TIMEOUT + RECORD_FRAMES + NEXT + tag(src),
        body: body + `<img hidden alt="" src="/picture">`,
      }),
    );
    await page.goto(server.url("/"), { until: "commit" });
    await shows(page, HIDDEN);
    await page.evaluate(() => muriel.push(["consent", false]));
    await shows(page, { h: "Old", p: "Old words", y: "Old" });
    picture.open();
    await page.waitFor(() => document.readyState === "complete");
    await page.evaluate("expire()");
    await shows(page, { h: "Old", p: "Old words", y: "Old" });
  },
};

const signs = {
  name: "signs of frameworks before and after an element is hydrated",
  run: (given) => inFrames(given, "taken"),
};

const made = {
  name: "elements that a script creates in an empty container are changed at once, as they are not hydrated",
  async run(given) {
    const { server, other, page } = given;
    const src = await serve(other, experiment());
    const [app, rest] = [gate(), gate()];
    server.route(
      "/app.js",
      async () => (
        await app,
        {
          type: "text/javascript",
          body: `document.getElementById("app").innerHTML = '<h1 id="h">Old</h1><p id="p">Old</p>';`,
        }
      ),
    );
    server.route("/rest.js", async () => (await rest, { type: "text/javascript", body: "" }));
    const head = MANUAL_TIMEOUT + RECORD_FRAMES + tag(src) + `<script async src="/rest.js"></script>`;
    await page.goto(
      server.route("/", html({ head, body: `<div id="app"></div><script type="module" src="/app.js"></script>` })),
      { until: "commit" },
    );
    await page.waitFor(() => document.readyState === "interactive");
    app.open();
    // The page has not loaded at this time.
    await shows(page, { h: "New", p: "New words" });
    const { frames } = await page.evaluate(() => ({ frames: frames_ }));
    for (const id of ["h", "p"])
      assert.deepEqual(
        seen(frames, id).filter((text) => /Old|hidden/.test(text)),
        [],
        id,
      );
    rest.open();
  },
};

/**
 * A document that React renders and hydrates, with `head` at the start of the head and `end` at the end of the body.
 */
function reactDocument({ head, end }) {
  const [, first] = /<head>(.*)<\/head>/s.exec(html({ head }));
  return renderReact(createElement(Document))
    .replace("<head>", () => `<head>${first}`)
    .replace("</body>", () => `${end}</body>`)
    .replace(/^/, "<!doctype html>");
}

/** Changes of a document: texts, and a new first element of the body. */
const DOCUMENT_CHANGES = [
  { target: "#h", innerText: "New" },
  { target: "#p", innerHTML: "New <i>words</i>" },
  { target: "#y", outerHTML: '<p id="z">New</p>' },
  { refEl: "#x", dir: "b", htmlBlock: '<div id="n">New</div>' },
];
const DOCUMENT_HIDDEN = { h: "(hidden)", p: "(hidden)", y: "(hidden)", x: "(hidden)", n: null };
const DOCUMENT_CHANGED = { h: "New", p: "New words", z: "New", y: null, x: "Old", n: "New" };

/** React documents, by their tags in the head, and at the end of the body before the script that hydrates them. */
const DOCUMENTS = {
  "React Router, whose modules are fetched in the head": {
    head: `<link rel="modulepreload" href="/assets/entry.js">`,
    end: `<script>window.__reactRouterContext = {};</script>`,
  },
  "React's server, which announces the scripts at the end": {
    head: `<link rel="preload" as="script" fetchpriority="low" href="/react-document.js">`,
  },
  "Next, with its files in the head": { head: NEXT },
};

const documents = Object.entries(DOCUMENTS).flatMap(([what, { head, end = "" }]) =>
  ["production", "development"].map((build) => ({
    name: `React hydrates a document of ${what}, in ${build}: words, and a bar first in the body`,
    async run(given) {
      const { server, other, page } = given;
      const src = await serve(other, [changing(DOCUMENT_CHANGES)]);
      const { src: react, late } = await framework(given, "react-document", build);
      server.route("/assets/entry.js", { type: "text/javascript", body: "" });
      server.route("/_next/static/css/a.css", { type: "text/css", body: "" });
      const body = reactDocument({
        head: MANUAL_TIMEOUT + RECORD_FRAMES + tag(src) + head,
        end: `${end}<script async src="${react}"></script>`,
      });
      await page.goto(server.route("/", { type: "text/html", body }), { until: "commit" });
      await shows(page, DOCUMENT_HIDDEN);
      late.open();
      await shows(page, DOCUMENT_CHANGED);
      await alive(page);
      await fine(page, ["h", "p", "y"], { ...CHANGED, ...BLACK });
    },
  })),
);

const remembered = {
  name: "a framework that shows itself late is remembered for the next page of the visit",
  async run(given) {
    const { server, other, page } = given;
    const experiments = [
      changing([{ target: "#h", class: "new" }], { targeting: at("/first") }),
      changing(DOCUMENT_CHANGES, { test_id: 2, experiment_key: "two", targeting: at("/next") }),
    ];
    const src = await serve(other, experiments);
    const { src: react, late } = await framework(given, "react-document");
    const body = reactDocument({
      head: MANUAL_TIMEOUT + RECORD_FRAMES + tag(src),
      end: `<script async src="${react}"></script>`,
    });
    for (const path of ["/first", "/next"]) server.route(path, { type: "text/html", body });
    late.open();
    await page.goto(server.url("/first"));
    await page.waitFor(() => Object.keys(sessionStorage).some((key) => /^muriel_.*f/.test(key)));
    const { src: again, late: later } = await framework({ ...given, server: other }, "react-document");
    server.route("/next", { type: "text/html", body: body.replace(react, again) });
    await page.goto(server.url("/next"), { until: "commit" });
    await shows(page, DOCUMENT_HIDDEN);
    later.open();
    await shows(page, DOCUMENT_CHANGED);
    await alive(page);
    await fine(page, ["h", "p", "y"], { ...CHANGED, ...BLACK });
  },
};

/** Pages without a framework that have some of these signs. Their text is changed at once. */
const PLAIN_HEADS = {
  "whose build has its modules in the head": `<script type="module" src="/assets/main.js"></script><link rel="modulepreload" href="/assets/part.js">`,
  "with a map of its modules": `<script type="importmap">{}</script><link rel="modulepreload" href="/assets/part.js">`,
};
const plainPages = Object.entries(PLAIN_HEADS).map(([what, head]) => ({
  name: `a page ${what} is no document of React`,
  async run({ server, other, page }) {
    const src = await serve(other, [changing(DOCUMENT_CHANGES)]);
    for (const name of ["main", "part"]) server.route(`/assets/${name}.js`, { type: "text/javascript", body: "" });
    const rendered = renderReact(createElement(Document)).replace(/.*<body>|<\/body>.*/gs, "");
    server.route("/", html({ head: MANUAL_TIMEOUT + RECORD_FRAMES + tag(src) + head, body: rendered }));
    await page.goto(server.url("/"));
    await shows(page, DOCUMENT_CHANGED);
    const frames = await page.evaluate("frames_");
    for (const id of ["h", "p", "x"]) assert.ok(!seen(frames, id).includes("(hidden)"), id);
  },
}));

export const tests = [
  made,
  signs,
  ...streaming,
  ...vue,
  limit,
  absent,
  ...chosen,
  undone,
  ...documents,
  remembered,
  ...plainPages,
];
