// End to end: pages with the script of the real server, real input, and the server's log and results.

import assert from "node:assert/strict";
import { until } from "../engines/page.mjs";
import { html } from "../html.mjs";
import { Site } from "../site.mjs";

export const name = "whole";

/** Waits for another task of the page, as all events of an action come before that. */
const over = (page) => page.evaluate(() => new Promise((done) => setTimeout(done)));

const at = (page, path) =>
  page.waitFor((path) => document.title === path && document.readyState === "complete", { args: [path] });

const focus = (page, selector) => page.evaluate((selector) => void document.querySelector(selector).focus(), selector);

/** Turns the mouse wheel until a condition on the page holds. */
const roll = (page, deltaY, there) =>
  until(there, async () => {
    await page.wheel(deltaY);
    return page.evaluate(there);
  });

/** Pages that need scrolling, as others count as read on any input, or after five seconds. */
const TALL = "<style>body { height: 6000px }</style>";

const PAGES = {
  "/": `<h1>Home</h1><a id="tents" href="/tents">Tents</a>`,
  "/tents": `<h1>Tents</h1><a id="basket" href="/basket">Basket</a>`,
  "/basket": `<h1>Basket</h1><button id="order" onclick="history.pushState(null, '', '/orders/7/done')">Order</button>`,
  "/guides": `<h1>Guides</h1><a id="12" href="/guides/12">Stoves</a>`,
  "/guides/12": `<h1>Stoves</h1><a id="13" href="/guides/13">Packs</a>`,
  "/guides/13": `<h1>Packs</h1>`,
  "/stove": `<h1>Stove</h1><button class="add"><b>Add to basket</b></button>
    <a id="sizes" href="#sizes">Size <i>guide</i></a>`,
  "/mail": `<h1>Mail</h1><form id="mail" action="/thanks"><input name="address" required><button>Join</button></form>`,
  "/thanks": `<h1>Thanks</h1>`,
  "/story": `<h1>Story</h1><p id="reviews" style="margin-top: 3000px">Reviews</p>`,
  "/tour": `<h1>Tour</h1><button id="size" onclick="muriel.push(['track', 'size-chosen', { size: 'M' }])">M</button>
    <button id="end" onclick="muriel.push(['trigger', 'tour-finished'])">End</button>`,
  "/checkout": `<h1>Checkout</h1><form action="/paid"><button name="order" value="A-77">Pay</button></form>`,
  "/paid": `<h1>Paid</h1><script>
    const order_id = new URLSearchParams(location.search).get("order");
    (window.muriel ??= []).push(["track", "Purchase", { value: 59.9, currency: "EUR", order_id }]);
  </script>`,
};

/**
 * A row for each goal type: its `value`, the page that the visitor opens first (`from`; without one, the visitor stays
 * on the page), the action (`act`), the same action again, which must not count again (`again`), and the events of both
 * (`told`).
 */
const GESTURES = [
  {
    type: "pageview",
    value: "/tents",
    from: "/",
    async act({ page }) {
      await page.click("#tents");
      await at(page, "/tents");
    },
    async again({ page }) {
      await page.back();
      await page.click("#tents");
      await at(page, "/tents");
    },
    told: ["pageview /tents", "pageview /", "pageview /tents"],
  },
  {
    type: "pageviewExact",
    value: ({ server }) => server.url("/basket", "anna-"),
    async act({ page }) {
      await page.click("#basket");
      await at(page, "/basket");
    },
    // A page that is restored from the back/forward cache is viewed again.
    async again({ page, server }) {
      await page.evaluate("void (window.mark = 7)");
      await page.goto(server.url("/nothing", "anna-"));
      await page.back();
      assert.equal(await page.evaluate("window.mark"), 7);
    },
    told: ["pageview /basket", "pageview /basket"],
  },
  {
    type: "pageviewWildcard",
    value: "http://*/orders/*/done",
    async act({ page }) {
      await page.click("#order");
      await page.waitFor(() => location.pathname === "/orders/7/done");
    },
    async again({ page }) {
      await page.back();
      await page.click("#order");
      await page.waitFor(() => location.pathname === "/orders/7/done");
    },
    told: ["pageview /orders/7/done", "pageview /basket", "pageview /orders/7/done"],
  },
  {
    type: "pageviewRegex",
    value: "/guides/[0-9]+$",
    from: "/guides",
    async act({ page }) {
      await page.click("[id='12']");
      await at(page, "/guides/12");
    },
    async again({ page }) {
      await focus(page, "[id='13']");
      await page.press("Enter");
      await at(page, "/guides/13");
    },
    told: ["pageview /guides/12", "pageview /guides/13"],
  },
  {
    type: "clickOnElement",
    value: "button.add",
    from: "/stove",
    act: ({ page }) => page.click("b"),
    async again({ page }) {
      await focus(page, "button");
      await page.press(" ");
    },
    told: ["click element button.add /stove", "click element button.add /stove"],
  },
  {
    type: "clickOnText",
    value: "size guide",
    act: ({ page }) => page.click("i"),
    async again({ page }) {
      await focus(page, "#sizes");
      await page.press("Enter");
    },
    told: ["click text size guide /stove", "click text size guide /stove"],
  },
  {
    type: "externalLink",
    value: "/partner",
    from: "/links",
    async act({ page, engine }) {
      const { middleClick } = engine.can;
      await page.click("#partner", { button: middleClick ? "middle" : "left" });
      if (!middleClick) await at(page, "/partner");
    },
    async again({ page, server }) {
      await page.goto(server.url("/links", "anna-"));
      await focus(page, "#partner");
      await page.press("Enter");
      await at(page, "/partner");
    },
    told: ["click link /partner /links", "pageview /links", "click link /partner /links"],
  },
  {
    type: "formSubmit",
    value: "#mail",
    from: "/mail",
    async act({ page }) {
      // A form that is not filled in is not sent.
      await page.click("button");
      await page.type("input", "a@b");
      await page.press("Enter");
      await at(page, "/thanks");
    },
    async again({ page, server }) {
      await page.goto(server.url("/mail", "anna-"));
      await page.type("input", "c@d");
      await page.click("button");
      await at(page, "/thanks");
    },
    told: ["submit #mail /mail", "pageview /thanks", "pageview /mail", "submit #mail /mail", "pageview /thanks"],
  },
  {
    type: "elementAppears",
    value: "#reviews",
    from: "/story",
    act: ({ page }) => roll(page, 300, "scrollY > 2700"),
    told: ["appear #reviews /story"],
  },
  { type: "scrolling", value: "75", act: ({ page }) => roll(page, 600, "scrollY > 5000"), told: ["scroll /story"] },
  {
    type: "duration",
    value: "1",
    act: ({ site, visitor }) => site.has(visitor, "appear #reviews /story", "scroll /story", "duration /story"),
    // All three goals again.
    async again({ page }) {
      await roll(page, -900, "scrollY < 100");
      await roll(page, 900, "scrollY > 5000");
    },
    told: ["duration /story"],
  },
  {
    type: "event",
    value: "size-chosen",
    from: "/tour",
    act: ({ page }) => page.click("#size"),
    again: ({ page }) => page.press(" "),
    told: ["custom size-chosen /tour", "custom size-chosen /tour"],
  },
  {
    type: "script",
    value: "tour-finished",
    async act({ page }) {
      await focus(page, "#end");
      await page.press("Enter");
    },
    again: ({ page }) => page.click("#end"),
    told: ["script tour-finished /tour", "script tour-finished /tour"],
  },
  {
    type: "revenue",
    value: "Purchase",
    from: "/checkout",
    async act({ page }) {
      await page.click("button");
      await at(page, "/paid");
    },
    async again({ page }) {
      await page.evaluate("void (document.title = 'before')");
      await page.evaluate("void setTimeout(() => location.reload())");
      await at(page, "/paid");
    },
    told: ["pageview /paid", "order Purchase /paid", "pageview /paid", "order Purchase /paid"],
  },
];

const goal = ({ type, value }, given) => ({
  goal_name: type,
  goal_type: type,
  goal_value: typeof value === "function" ? value(given) : value,
});

/** The conversions of each goal's metric by variant: `[control, Variant 1]`. */
async function conversions(site) {
  const result = await site.result();
  const primary = { name: result.primary_goal.goal_name, variants: result.variants };
  const all = [primary, ...result.metrics.filter(({ kind }) => kind === "goal")];
  return Object.fromEntries(all.map(({ name, variants }) => [name, variants.map((each) => each.conversions)]));
}

/** Returns whether an event reports the duration that the goal requires. On a slow machine, any page may reach it. */
const isLasting = (word) => word.startsWith("duration ");

const fourteen = {
  name: "all fourteen goal types by real input: each action in the log, one conversion in the result",
  async run(given) {
    const { server, other, page, newPage } = given;
    const [primary, ...others] = GESTURES.toReversed().map((each) => goal(each, given));
    const site = await Site.open(given, { primary_goal: primary, secondary_goals: others });
    const partner = other.route("/partner", html({ title: "/partner" }));
    for (const [path, body] of Object.entries(PAGES)) site.page(path, body, TALL);
    site.page("/links", `<h1>Links</h1><a id="partner" href="${partner}">Partner</a>`, TALL);

    // One visitor does everything, twice.
    const anna = await site.become(page, "Variant 1", "anna-");
    const expected = ["exposure 1 /"];
    for (const { type, from, act, again, told } of GESTURES) {
      const step = { ...given, site, visitor: anna };
      try {
        if (from) {
          await page.goto(server.url(from, "anna-"));
          expected.push(`pageview ${from}`);
        }
        if (expected.length === 2) await site.answered(page);
        await act(step);
        await over(page);
        await again?.(step);
        await over(page);
      } catch (error) {
        throw new Error(`${type}: ${error.message}`, { cause: error });
      }
      expected.push(...told);
    }
    const wanted = (word) => !isLasting(word) || word.endsWith(" /story");
    await site.toldOnce(page, anna, expected, { name: "anna-", wanted });

    // One visitor, in the control, reaches two goals; another only views a page.
    const second = await newPage();
    const bert = await site.become(second, "Control", "bert-");
    await second.goto(server.url("/stove", "bert-"));
    assert.equal(await second.evaluate(() => document.querySelector("h1").textContent), "Stove");
    await site.answered(second);
    await second.click(".add");
    await second.goto(server.url("/paid?order=B-1", "bert-"));
    await site.settled(second, bert, "bert-");
    const cleo = await site.become(second, "Variant 1", "cleo-");
    await second.goto(server.url("/mail", "cleo-"));
    assert.equal(await second.evaluate(() => document.querySelector("h1").textContent), "New");
    await site.settled(second, cleo, "cleo-");

    const stayed = async (visitor) => Number((await site.told(visitor)).some(isLasting));
    const result = await site.result();
    assert.deepEqual(
      result.variants.map(({ visitors }) => visitors),
      [1, 2],
    );
    assert.deepEqual(await conversions(site), {
      ...Object.fromEntries(GESTURES.map(({ type }) => [type, [0, 1]])),
      clickOnElement: [1, 1],
      duration: [await stayed(bert), 1 + (await stayed(cleo))],
      revenue: [1, 1],
    });
    // An order counts once, however often its page is viewed.
    assert.deepEqual([result.total_orders, result.total_revenue], [2, 119.8]);
  },
};

export const tests = [fourteen];
