// Events that are recorded while a page is left or restored arrive once in the real server's log.

import assert from "node:assert/strict";
import { html } from "../html.mjs";
import { Site } from "../site.mjs";

export const name = "leaving";

const TRACKS = `onclick="muriel.push(['track', 'left'])"`;

const goal = (goal_type, goal_value) => ({ goal_name: goal_type, goal_type, goal_value });

/** Goals that are reached while a page is left. */
const GOALS = {
  primary_goal: goal("event", "left"),
  secondary_goals: [goal("clickOnElement", "a"), goal("externalLink", "/there"), goal("formSubmit", "form")],
};

/** Runs code in a later task, as the page may be gone before it can return the result. */
const later = (page, code) => page.evaluate(`void setTimeout(() => { ${code} })`);

/** Each row: a name, the page, how the visitor leaves it, and the expected events. */
const rows = [
  {
    name: "a click on a link to another page",
    body: () => `<a href="/nothing" ${TRACKS}>Out</a>`,
    leave: ({ page }) => page.click("a"),
    told: ["click element a /", "custom left /"],
  },
  {
    name: "a click on a link to another site",
    body: ({ other }) => `<a href="${other.route("/there", html())}" ${TRACKS}>Out</a>`,
    leave: ({ page }) => page.click("a"),
    told: ["click element a /", "click link /there /", "custom left /"],
  },
  {
    name: "a submitted form",
    body: () => `<form action="/nothing" method="post"><input><button ${TRACKS}>Send</button></form>`,
    async leave({ page }) {
      await page.type("input", "a");
      await page.press("Enter");
    },
    told: ["submit form /", "custom left /"],
  },
  {
    name: "code that navigates right after it tracked",
    leave: ({ page }) => later(page, "muriel.push(['track', 'left']); location.assign('/nothing')"),
    told: ["custom left /"],
  },
  {
    name: "code that reloads the page",
    leave: ({ page }) => later(page, "muriel.push(['track', 'left']); location.reload()"),
    told: ["custom left /", "pageview /"],
  },
];

/** Waits until another page has loaded than the one with this time origin. */
const left = (page, from) =>
  page.waitFor((from) => performance.timeOrigin !== from && document.readyState === "complete", { args: [from] });

/** @type {(row: any) => object} */
const fromRow = ({ name, body = () => "", leave, told }) => ({
  name: `left by ${name}: each event arrives once`,
  async run(given) {
    const { server, page } = given;
    const site = await Site.open(given, GOALS);
    site.page("/", body(given));
    const visitor = await site.become(page, "Variant 1");
    await page.goto(server.url("/"), { until: "dom" });
    const from = await page.evaluate("performance.timeOrigin");
    await leave(given);
    await left(page, from);
    await site.toldOnce(page, visitor, ["exposure 1 /", "pageview /", ...told]);
  },
});

const closed = {
  name: "left by closing the tab: each event arrives once",
  async run(given) {
    const { server, page } = given;
    const site = await Site.open(given, GOALS);
    site.page("/", "");
    const visitor = await site.become(page, "Variant 1");
    const tab = await page.tab();
    await tab.goto(server.url("/"), { until: "dom" });
    await tab.evaluate(() => muriel.push(["track", "left"]));
    await tab.close();
    // No other page of the site sends the event.
    await site.has(visitor, "custom left /");
    await site.toldOnce(page, visitor, ["exposure 1 /", "pageview /", "custom left /"]);
  },
};

const redirected = {
  name: "the exposure of a split test arrives once, in both arms",
  async run(given) {
    const { server, page } = given;
    const site = await Site.open(given, {
      start: "/old",
      test_type: "split",
      variants: [{ name: "Variant 1", data: [{ url: server.url("/new"), relay_param: true }] }],
      targeting: { url_rule: [{ url: "/old", rule: "contain" }] },
    });
    site.page("/old", "<h1>Old</h1>");
    site.page("/new", "<h1>New</h1>");
    const visitor = await site.become(page, "Variant 1");
    for (let times = 0; times < 2; times++) {
      await page.goto(server.url("/old?utm_source=mail"), { until: "commit" });
      await page.waitFor(() => document.readyState === "complete" && location.pathname === "/new");
      assert.equal(await page.evaluate("location.search"), "?utm_source=mail");
    }
    await site.toldOnce(page, visitor, ["exposure 1 /old", "pageview /new", "pageview /new"]);

    const second = await site.become(page, "Control", "second-");
    await page.goto(server.url("/old", "second-"));
    assert.equal(await page.evaluate("location.pathname"), "/old");
    await site.toldOnce(page, second, ["exposure 0 /old", "pageview /old"], { name: "second-" });
  },
};

const backed = {
  name: "a page from the back-forward cache is one more page view, and no second exposure",
  needs: ["backForwardCache"],
  async run(given) {
    const { server, page } = given;
    const site = await Site.open(given, GOALS);
    site.page("/", `<h1>Old</h1><a href="/next">Next</a>`);
    site.page("/next", "<h1>Old</h1>");
    const visitor = await site.become(page, "Variant 1");
    await page.goto(server.url("/"));
    // Browsers may not cache a page with a pending request.
    await site.answered(page);
    await page.evaluate("void (window.mark = 7)");
    await page.click("a");
    await page.waitFor(() => location.pathname === "/next" && document.readyState === "complete");
    await page.back();
    assert.equal(await page.evaluate("window.mark"), 7);
    await page.waitFor(() => document.querySelector("h1").textContent === "New");
    await page.click("a");
    await page.waitFor(() => location.pathname === "/next" && document.readyState === "complete");
    const pages = ["pageview /", "pageview /next", "pageview /", "pageview /next"];
    const clicks = ["click element a /", "click element a /"];
    await site.toldOnce(page, visitor, ["exposure 1 /", ...pages, ...clicks]);
  },
};

export const tests = [...rows.map(fromRow), closed, redirected, backed];
