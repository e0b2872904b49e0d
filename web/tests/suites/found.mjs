// Reports of which changes of an arm have changed something: once per session, for every visitor.

import assert from "node:assert/strict";
import { html } from "../html.mjs";
import { changing } from "../script.mjs";
import { inline, of, settled, site } from "../visit.mjs";

export const name = "found";
export const isShared = true;

const DATA = [
  { target: "h1", innerText: "New" },
  { target: ".nowhere", innerText: "New" },
  { rm: "p" },
  { target: "h1", style: "color: red", pageUrl: "https://elsewhere.example/", sitewide: false },
  { refEl: "h1", dir: "a", htmlBlock: "<i>New</i>" },
  { refEl: ".elsewhere", dir: "a", oriEl: "p" },
  { target: "#late", innerText: "New" },
];
const BODY = "<h1>Old</h1><p>Old</p>";

const once = {
  name: "each change reports whether it changed something, once per session",
  async run(given) {
    const { page, server, other } = given;
    const head = inline(
      `addEventListener("load", () => document.body.insertAdjacentHTML("beforeend", "<b id=late>Old</b>"));`,
    );
    const experiments = [
      changing(DATA),
      // An arm without selectors is not reported.
      changing([], { test_id: 2, experiment_key: "two", variants: [{ customCSS: "h1 { margin: 0 }" }] }),
    ];
    await site(given, ["/", "/next"], experiments, { body: BODY, head, settings: { health: 0 } });
    await page.goto(server.url("/"));
    await page.waitFor(() => document.querySelector("#late")?.textContent === "New");
    await page.goto(server.url("/next"));
    await page.waitFor(() => document.querySelector("#late")?.textContent === "New");
    await settled(given);
    await page.goto(server.route("/end", html()));
    await other.received(() => of(other, "health").length > 0);
    const told = of(other, "health").map(({ test_id, variant_id, changes, failed_selectors, url }) => [
      test_id,
      variant_id,
      changes,
      failed_selectors,
      new URL(url).pathname,
    ]);
    assert.deepEqual(told, [[1, "1", "101-101", 2, "/"]]);
  },
};

const broken = {
  name: "a change with an invalid selector is reported as not matched",
  async run(given) {
    const { page, server, other } = given;
    await site(
      given,
      ["/"],
      [
        changing([
          { target: "h1[", innerText: "New" },
          { target: "h1", innerText: "New" },
        ]),
      ],
      { settings: { health: 0 } },
    );
    await page.goto(server.url("/"));
    await page.waitFor(() => document.querySelector("h1").textContent === "New");
    await page.goto(server.route("/end", html()));
    const [health] = await other.received(() => of(other, "health")[0] && of(other, "health"));
    assert.deepEqual([health.changes, health.errors, health.failed_selectors], ["01", 1, 0]);
  },
};

const unchanged = {
  name: "what is found and not changed is reported as not changed",
  async run(given) {
    const { page, server, other } = given;
    const data = [
      { target: "h1", innerText: "New" },
      // Text in these elements would not be visible.
      { target: "#text", innerText: "New" },
      { target: "img", textContent: "New" },
      // This could run code, and the server has not marked it.
      { target: "#data", textContent: "New" },
      { oriEl: "#data", refEl: "h1", dir: "a" },
      { target: "#send", innerText: "New" },
      { target: "#text", attributes: { placeholder: "New" } },
      // One of the two matches is changed.
      { target: "img, h1", textContent: "New" },
    ];
    const body = `<h1>Old</h1><input id="text"><img alt=""><script id="data" type="text/plain"></script>
<input id="send" type="submit" value="Old">`;
    await site(given, ["/"], [changing(data)], { body, settings: { health: 0 } });
    await page.goto(server.url("/"));
    await page.waitFor(() => document.querySelector("#send").value === "New");
    await settled(given);
    await page.goto(server.route("/end", html()));
    const [health] = await other.received(() => of(other, "health")[0] && of(other, "health"));
    assert.deepEqual([health.changes, health.errors], ["10000111", 4]);
  },
};

export const tests = [once, broken, unchanged];
