// Simulated visitors, and some in real browsers: the result matches their actions.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { Site } from "../site.mjs";

export const name = "visitors";
export const isShared = true;

/**
 * Numbers of visitors that are simulated without a browser. Many in one engine only, as they are equal in every engine.
 */
const MANY = 1_000;
const FEW = 100;

/** Maximum number of requests in flight. */
const CONCURRENCY = 16;

/** Number of visitors in a browser, one after the other. */
const PLAYED = 12;

const ARMS = ["Control", "Variant 1", "Variant 2"];

const TITLES = { null: "Old", Control: "Old", "Variant 1": "New", "Variant 2": "Newer" };

const BODY = `<h1>Old</h1><button id="ask">Ask</button>
  <button id="buy" onclick="muriel.push(['track', 'Purchase', { value: 20, currency: 'EUR' }])">Buy</button>`;

/** A user agent of a person. */
const AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/** The expected sums for each arm, in the order of `ARMS`: exposed, asked, bought, revenue. */
const nobody = () => ARMS.map(() => ({ visitors: 0, asked: 0, bought: 0, revenue: 0 }));

/**
 * The actions of simulated visitor `at`. One in three asks, some of them twice; one in seven buys, some of them twice.
 */
const plan = (at) => ({
  asks: at % 3 === 0 ? 1 + (at % 2) : 0,
  orders: at % 7 === 0 ? 1 + Number(at % 5 === 0) : 0,
  // The network loses the response to some visitors, who send everything again.
  again: at % 11 === 0,
});

/** Sends the events of each of `count` visitors, as pages do. Adds the actions that count to `sums`. */
async function simulate(count, site, url, sums) {
  const ids = Array.from({ length: count }, (_, at) => `simulated-${at}`);
  const decided = await site.decided(ids);
  const events = `${site.project.server.url}/events/${site.project.key}`;
  const visit = async (at) => {
    const arm = ARMS.indexOf(decided[at]);
    const { asks, orders, again } = plan(at);
    const event = (fields) => ({ id: randomUUID(), at: new Date(), url, ...fields });
    const exposure = { type: "exposure", test_id: site.test_id, variant_id: `${arm}`, epoch: 1, context: { url } };
    const asked = () => event({ type: "click", by: "element", trigger: "#ask" });
    const bought = () => event({ type: "order", name: "Purchase", value: 30, currency: "EUR" });
    const body = JSON.stringify({
      sent_at: new Date(),
      visitor: { id: ids[at] },
      events: [
        ...(arm < 0 ? [] : [event(exposure)]),
        event({ type: "pageview" }),
        ...Array.from({ length: asks }, asked),
        ...Array.from({ length: orders }, bought),
      ],
    });
    for (let times = again ? 2 : 1; times > 0; times--) {
      const answer = await fetch(events, { method: "POST", headers: { "user-agent": AGENT }, body });
      assert.equal(answer.status, 200);
    }
    if (arm < 0) return;
    sums[arm].visitors += 1;
    sums[arm].asked += Math.min(asks, 1);
    sums[arm].bought += Math.min(orders, 1);
    sums[arm].revenue += orders * 30;
  };
  const waiting = ids.keys();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const at of waiting) await visit(at);
    }),
  );
}

/** Plays visitors in a browser, in which the page decides. Every second one asks, every third one buys. */
async function play({ server, page }, site, sums) {
  const played = [];
  for (let at = 0; at < PLAYED; at++) {
    await page.goto(server.url("/", `visitor${at}-`));
    if (await page.evaluate(() => muriel.variant("site"))) await site.answered(page);
    const seen = () => [localStorage.muriel_id, muriel.variant("site"), document.querySelector("h1").textContent];
    played.push(await page.evaluate(seen));
    const [asks, buys] = [at % 2 === 0, at % 3 === 0];
    if (asks) await page.click("#ask");
    if (buys) await page.click("#buy");
    const sum = sums[ARMS.indexOf(played[at][1])];
    if (!sum) continue;
    sum.visitors += 1;
    sum.asked += Number(asks);
    sum.bought += Number(buys);
    sum.revenue += buys ? 20 : 0;
  }
  const [last] = played.at(-1);
  await site.settled(page, last, `visitor${PLAYED - 1}-`);
  // The page decided like the server, and showed the arm.
  const ids = played.map(([id]) => id);
  assert.equal(new Set(ids).size, PLAYED);
  const decided = await site.decided(ids);
  assert.deepEqual(
    played,
    ids.map((id, at) => [id, decided[at], TITLES[decided[at]]]),
  );
}

const simulated = {
  name: `the result of simulated visitors and ${PLAYED} in a browser matches what they did`,
  async run(given) {
    const count = given.isFull || given.engine.name === "chromium" ? MANY : FEW;
    const arm = (name) => ({ name, data: [{ target: "h1", innerText: TITLES[name] }] });
    const site = await Site.open(given, {
      variants: ARMS.slice(1).map(arm),
      configuration: { traffic_allocation: 80 },
      primary_goal: { goal_name: "bought", goal_type: "revenue", goal_value: "Purchase" },
      secondary_goals: [{ goal_name: "asked", goal_type: "clickOnElement", goal_value: "#ask" }],
    });
    const url = site.page("/", BODY);
    const sums = nobody();
    await Promise.all([simulate(count, site, url, sums), play(given, site, sums)]);

    const { variants, metrics } = await site.result();
    const asked = metrics.find((metric) => metric.name === "asked").variants;
    const counted = variants.map(({ visitors, conversions, total_revenue }, at) => ({
      visitors,
      asked: asked[at].conversions,
      bought: conversions,
      revenue: total_revenue,
    }));
    assert.deepEqual(counted, sums);
    // Each arm has visitors, and some visitors have no arm.
    const met = sums.map(({ visitors }) => visitors);
    assert.ok(Math.min(...met) > count / 10, `${met}`);
    assert.ok(met[0] + met[1] + met[2] < count + PLAYED, `${met}`);
  },
};

/** Delays the first request of the page until the test calls `connect`, like a slow connection. */
const SLOW = `<script>
  const sending = fetch;
  let sent = 0;
  const connected = new Promise((done) => (window.connect = done));
  window.fetch = async (...given) => {
    if (++sent === 1) await connected;
    return sending(...given);
  };
</script>`;

const slow = {
  name: "an action right after the page opens counts, however late the exposure arrives",
  async run(given) {
    const { page } = given;
    const goal = { goal_name: "asked", goal_type: "clickOnElement", goal_value: "#ask" };
    const site = await Site.open(given, { primary_goal: goal });
    const url = site.page("/", BODY, "", SLOW);
    const visitor = await site.become(page, "Variant 1");
    await page.goto(url);
    await page.evaluate(() => document.querySelector("#ask").click());
    assert.equal(await page.evaluate("window.answered"), null);
    await page.evaluate("connect()");
    await site.answered(page);
    await site.settled(page, visitor);
    const { variants } = await site.result();
    assert.deepEqual(
      variants.map(({ visitors, conversions }) => [visitors, conversions]),
      [
        [0, 0],
        [1, 1],
      ],
    );
  },
};

export const tests = [simulated, slow];
