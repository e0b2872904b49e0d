// The script sends only valid events, regardless of the values that the page passes and the globals that it has
// changed.

import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { html } from "../html.mjs";
import { changing } from "../script.mjs";
import { cut, hang } from "../server.mjs";
import { CORS, exposures, H1, heading, inline, of, settled, site } from "../visit.mjs";
import { judged } from "../wire.mjs";

export const name = "wire";
export const isShared = true;

/**
 * Each row: a call of the page as code, and the expected fields of its event.
 *
 * @type {[string, any][]}
 */
const CALLS = [
  [
    `["track", "a", { text: "x", number: 1.5, flag: false, none: null, list: [1], deep: {}, nan: NaN, call() {} }]`,
    { type: "custom", name: "a", properties: { text: "x", number: 1.5, flag: false } },
  ],
  [`["track", "b", null]`, { type: "custom", name: "b", properties: {} }],
  [`["track", "c"]`, { type: "custom", name: "c", properties: {} }],
  [`["track", 5]`, { type: "custom", name: "5" }],
  [`["track", "d", { value: "12" }]`, { type: "custom", name: "d", value: 12 }],
  [`["track", "e", { value: "high" }]`, { type: "custom", name: "e", value: undefined, properties: { value: "high" } }],
  [
    `["track", "f", { value: "1.299,00", currency: "EUR" }]`,
    { type: "order", name: "f", value: 1299, currency: "EUR", properties: {} },
  ],
  [
    `["track", "f2", { value: "1.299", currency: "EUR" }]`,
    { type: "custom", name: "f2", value: undefined, properties: { unread_value: "1.299" } },
  ],
  [
    `["track", "f3", { value: " 5 ", currency: " eur", order_id: "undefined" }]`,
    { type: "order", name: "f3", value: 5, order_id: undefined, properties: { unread_order_id: "undefined" } },
  ],
  [`["track", "g", { value: 3, currency: "Euro" }]`, { type: "custom", name: "g", value: 3 }],
  [
    `["track", "h", Object.fromEntries(Array.from({ length: 150 }, (_, at) => ["n" + at, at]))]`,
    { type: "custom", name: "h" },
  ],
  [
    `["track", "Buy", { value: 59.9, currency: "EUR", order_id: "A", items: [{ id: 1 }] }]`,
    { type: "order", name: "Buy", value: 59.9, currency: "EUR", order_id: "A", properties: {} },
  ],
  [
    `["track", "Buy", { value: "59.9", currency: "eur", order_id: 77, quantity: "2" }]`,
    { type: "order", value: 59.9, currency: "EUR", order_id: "77", quantity: 2 },
  ],
  [
    `["track", "Buy", { value: -5, currency: "EUR", quantity: -1, order_id: null }]`,
    { type: "order", value: -5, quantity: undefined, order_id: undefined },
  ],
  [
    `["track", "Buy", { value: -6, currency: "EUR", order_id: "R-1", refund_of: 77 }]`,
    { type: "order", value: -6, order_id: "R-1", refund_of: "77", properties: {} },
  ],
  [
    `["track", "Buy", { value: -7, currency: "EUR", refund_of: null }]`,
    { type: "order", value: -7, order_id: undefined, refund_of: undefined, properties: {} },
  ],
  [`["trigger", 5]`, { type: "script", trigger: "5" }],
  [
    `["identify", 7, { tags: ["a"], deep: { a: 1 }, plan: "pro", audiences: ["loyal"] }]`,
    { type: "identify", attributes: { plan: "pro", user_id: "7" } },
  ],
  [`["identify", "u", null]`, { type: "identify", attributes: { plan: "pro", user_id: "u" } }],
  [`["identify", "u", { long: "x".repeat(40000) }]`, { type: "identify", attributes: { plan: "pro", user_id: "u" } }],
  [
    `["identify", "u", Object.fromEntries(Array.from({ length: 100 }, (_, at) => ["n" + at, at]))]`,
    { type: "identify", attributes: { plan: "pro", user_id: "u" } },
  ],
];

/** Calls that do not exist, and values that cannot be serialised. */
const NONSENSE = [
  "null",
  "undefined",
  "5",
  "'track'",
  "[]",
  "{}",
  `["no-such-call"]`,
  `["on", "exposure"]`,
  `["constructor"]`,
  `["track", { toString() { throw 1; } }]`,
  `["track", "getter", { get a() { throw 1; } }]`,
  `["track", "long", { a: "x".repeat(70000) }]`,
];

const calls = {
  name: "all calls of the page API produce valid events, and none throws",
  async run(given) {
    const { page, server, other } = given;
    const entries = [...NONSENSE, ...CALLS.map(([call]) => call)];
    // Some of the calls are made before the script has loaded.
    const before = inline(`window.muriel = [${NONSENSE}, ["track", "first"]];`);
    await site(given, ["/", "/next"], [changing(H1)], { before });
    await page.goto(server.url("/"));
    // First, circular values, and values that JSON cannot represent.
    await page.evaluate(() => {
      const a = {};
      a.a = a;
      for (const name of ["track", "identify", "trigger", "variant", "on"]) muriel[name](a, a);
      muriel.track();
      muriel.track("big", { a: 10n });
    });
    const thrown = await page.evaluate(`[${entries.map((entry) => JSON.stringify(entry))}].flatMap((code) => {
      const entry = (0, eval)("(" + code + ")");
      try { muriel.push(entry); return []; } catch (error) { return [code + ": " + error]; }
    })`);
    assert.deepEqual(thrown, []);
    await settled(given);
    const told = of(other, "custom").concat(of(other, "order"), of(other, "script"), of(other, "identify"));
    for (const [call, expected] of CALLS) {
      const fits = told.some((event) =>
        Object.entries(expected).every(([name, value]) => isDeepStrictEqual(event[name], value)),
      );
      assert.ok(fits, `${call} became none of ${JSON.stringify(told.filter(({ type }) => type === expected.type))}`);
    }
    assert.ok(told.some(({ name }) => name === "first"));
    assert.ok(!told.some(({ name }) => name === "long" || name === "getter"));
    // None of them are left for the next page.
    await page.goto(server.url("/next"));
    await settled(given);
    assert.deepEqual(other.batches.at(-1).json.visitor.attributes, { plan: "pro", user_id: "u" });
    assert.deepEqual(await page.evaluate("[seen.errors, seen.rejections]"), [[], []]);
  },
};

/** Values that pages pass by accident, as code. */
const ODD = [
  `"Great \\ud83d"`,
  `"\\udc00\\ud800"`,
  `"a\\0b"`,
  "12345678901234567890",
  "-1e300",
  "1e300",
  "Infinity",
  "NaN",
  "2n ** 70n",
  "7n",
  `"\\\\u0000 \\\\ud83d \\\\"`,
];

/** The positions of such a value in a call. */
const CALLED_WITH = [
  (odd) => `["track", ${odd}]`,
  (odd) => `["track", "a", { title: ${odd} }]`,
  (odd) => `["track", "a", { [${odd}]: 1 }]`,
  (odd) => `["track", "a", { value: ${odd} }]`,
  (odd) => `["track", "Buy", { value: ${odd}, currency: "EUR" }]`,
  (odd) => `["track", "Buy", { value: 1, currency: ${odd} }]`,
  (odd) => `["track", "Buy", { value: 1, currency: "EUR", order_id: ${odd} }]`,
  (odd) => `["track", "Buy", { value: 1, currency: "EUR", quantity: ${odd} }]`,
  (odd) => `["track", "Buy", { value: -1, currency: "EUR", refund_of: ${odd} }]`,
  (odd) => `["trigger", ${odd}]`,
  (odd) => `["identify", ${odd}]`,
  (odd) => `["identify", "u", { title: ${odd} }]`,
  (odd) => `["identify", "u", { [${odd}]: true }]`,
];

const odd = {
  name: "an invalid value does not lose other events, on this page and the next",
  async run(given) {
    const { page, server, other } = given;
    await site(given, ["/", "/next"], [changing(H1)]);
    await page.goto(server.url("/"));
    const all = ODD.flatMap((value) => CALLED_WITH.map((call) => call(value)));
    // Not more at once than the queue can hold.
    for (let from = 0; from < all.length; from += 40) {
      const some = all.slice(from, from + 40).map((call) => JSON.stringify(call));
      await page.evaluate(
        `[${some}].forEach((code, at) => muriel.push((0, eval)("(" + code + ")"), ["track", "beside-" + (${from} + at)]))`,
      );
      await settled(given);
    }
    await page.goto(server.url("/next"));
    await settled(given);
    const told = new Set(of(other, "custom").map(({ name }) => name));
    assert.deepEqual(
      all.filter((_, at) => !told.has(`beside-${at}`)),
      [],
    );
    // The other values are there as well, except those that are not numbers at all.
    const texts = of(other, "custom")
      .map(({ properties }) => properties?.title)
      .filter((title) => title !== undefined);
    assert.deepEqual(texts, [
      "Great \ufffd",
      "\ufffd\ufffd",
      "a\ufffdb",
      "12345678901234567000",
      "-1e+300",
      "1e+300",
      "1180591620717411303424",
      "7",
      "\\u0000 \\ud83d \\",
    ]);
    assert.equal(of(other, "identify").length, 3 * ODD.length);
    // No batch had values that the server would have to correct: see `odd` in web/tests/wire.mjs.
    assert.deepEqual(other.refused, []);
  },
};

const refused = {
  name: "events that are refused as a batch are sent one by one, and lost ones are reported",
  async run(given) {
    const { page, server, other } = given;
    const taken = [];
    other.route("/events/shop", ({ json }) => {
      if (json.events.some(({ name }) => name === "bad"))
        return { status: 400, headers: CORS, body: { success: false, error: "bad is bad" } };
      taken.push(...json.events);
      const results = json.events.map(({ id, name }) =>
        name === "worse" ? { id, status: "invalid", message: "worse is worse" } : { id, status: "ok" },
      );
      return { headers: CORS, body: { success: true, results } };
    });
    await site(given, ["/"], [changing(H1)]);
    await page.goto(server.url("/"));
    await page.evaluate(() => {
      window.lost = [];
      muriel.push(["on", "error", ({ message, event }) => lost.push(`${event.name}: ${message}`)]);
      for (const name of ["a", "bad", "b", "worse", "c"]) muriel.push(["track", name]);
    });
    const [health] = await other.received(() => {
      const found = taken.filter(({ type, dropped }) => type === "health" && dropped);
      return found.reduce((sum, { dropped }) => sum + dropped, 0) === 2 && found;
    });
    assert.equal(health.test_id, undefined);
    assert.deepEqual(
      taken
        .filter(({ type }) => type === "custom")
        .map(({ name }) => name)
        .sort(),
      ["a", "b", "c", "worse"],
    );
    assert.deepEqual((await page.evaluate("lost")).sort(), ["bad: bad is bad", "worse: worse is worse"]);
    // No refused event is stored for the next page.
    await page.evaluate(() => dispatchEvent(new Event("pagehide")));
    // The text alone can be in an event's id.
    assert.ok(!(await page.evaluate("localStorage.muriel_q_shop + ''")).includes('"name":"bad"'));
  },
};

const librarian = {
  name: "libraries that change how lists and dates are serialised have no effect",
  async run(given) {
    const { page, server, other } = given;
    const read = { event_rule: [{ rule: "equal", name: "read", attributes: [], min_count: 2, timeframe_days: 0 }] };
    const before = inline(`
      Array.prototype.toJSON = function () { return "[" + this.map((each) => JSON.stringify(each)).join(", ") + "]"; };
      Date.prototype.toJSON = function () { return '"' + this.getUTCFullYear() + '"'; };`);
    await site(
      given,
      ["/"],
      [
        changing(H1, { test_id: 11 }),
        changing([{ target: "p", innerText: "New" }], { test_id: 1, experiment_key: "two", targeting: read }),
      ],
      { before, body: "<h1>Old</h1><p>Old</p>" },
    );
    for (let times = 0; times < 2; times++) {
      await page.goto(server.url("/"));
      await page.evaluate(() => muriel.push(["track", "read"]));
      await settled(given);
    }
    await page.goto(server.url("/"));
    assert.equal(await page.evaluate("document.querySelector('p').textContent"), "New");
    await settled(given);
    assert.deepEqual(exposures(other), [
      [11, "1"],
      [1, "1"],
    ]);
    assert.match(await page.evaluate("JSON.stringify([1])"), /^"\[1\]"$/);
  },
};

/** Failures of the first requests. */
const TROUBLES = {
  "never answers": { answer: hang },
  "cannot be reached": { answer: cut },
  "is busy": { answer: { status: 503, headers: CORS, body: "" } },
};

const troubles = Object.entries(TROUBLES).map(([what, { answer }]) => ({
  name: `a server that ${what} gets each event once, by the next page`,
  async run(given) {
    const { page, server, other } = given;
    const taken = [];
    let isFine = false;
    other.route("/events/shop", ({ json }) => {
      if (!isFine) return answer;
      taken.push(...json.events);
      return { headers: CORS, body: { success: true, results: [] } };
    });
    await site(given, ["/", "/next"], [changing(H1)]);
    await page.goto(server.url("/"));
    await other.received(({ batches }) => batches.length > 0);
    await page.evaluate(() => muriel.push(["track", "kept"]));
    await page.goto(server.route("/elsewhere", html()));
    isFine = true;
    await page.goto(server.url("/next"));
    await other.received(() => taken.some(({ name }) => name === "kept"));
    await settled(given);
    const ids = taken.map(({ id, type, name }) => `${type} ${name ?? ""} ${id}`);
    const kinds = [...new Set(ids)].map((each) => each.split(" ").slice(0, 2).join(" ").trim());
    assert.deepEqual(kinds.filter((kind) => /exposure|pageview|kept/.test(kind)).sort(), [
      "custom kept",
      "exposure",
      "pageview",
      "pageview",
    ]);
    // The server has responded; the page gets the response a moment later.
    await page.waitFor(() => localStorage.muriel_q_shop === undefined);
  },
}));

const base = {
  name: "the server's address does not depend on the page's base element",
  async run(given) {
    const { page, server, other } = given;
    const settings = { base: "/x" };
    await site(given, ["/"], [changing(H1)], { settings, before: `<base href="${other.url("/")}">` });
    server.route("/x/events/shop", { headers: CORS, body: { success: true, results: [] } });
    await page.goto(server.url("/"));
    await server.received(({ requests }) => requests.some(({ path }) => path === "/x/events/shop"));
    assert.equal(other.batches.length, 0);
  },
};

const layer = {
  name: "a refund in the data layer is an order of its own, and event rules see it",
  async run(given) {
    const { page, server, other } = given;
    const bought = {
      event_rule: [{ rule: "equal", name: "purchase", attributes: [], min_count: 2, timeframe_days: 0 }],
    };
    const ecommerce = {
      transaction_id: "A",
      value: 10,
      currency: "eur",
      items: [{ quantity: -1 }, { quantity: "x" }, {}],
    };
    const before = inline(
      `window.dataLayer = ${JSON.stringify([
        { event: "purchase", ecommerce },
        { event: "refund", ecommerce },
      ])};`,
    );
    await site(given, ["/"], [changing(H1, { targeting: bought })], { before });
    await page.goto(server.url("/"));
    await settled(given);
    const orders = of(other, "order").map(({ name, value, order_id, quantity }) => ({
      name,
      value,
      order_id,
      quantity,
    }));
    assert.deepEqual(orders, [
      { name: "purchase", value: 10, order_id: "A", quantity: 2 },
      { name: "purchase", value: -10, order_id: "A", quantity: 2 },
    ]);
    await page.goto(server.url("/"));
    assert.equal(await heading(page), "New");
  },
};

const orders = {
  name: "orders that cannot be read, and order numbers that a template left unfilled, are reported and counted",
  async run(given) {
    const { page, server, other } = given;
    const before = inline(
      `window.lost = []; window.muriel = [["on", "error", ({ message, event }) => lost.push([event.name, message])]];`,
    );
    await site(given, ["/"], [changing(H1)], { before });
    await page.goto(server.url("/"));
    await page.evaluate(() => {
      muriel.push(["track", "sold", { value: "4,245.42", currency: "EUR", order_id: "A" }]);
      muriel.push(["track", "sold", { value: "1.299", currency: "EUR", order_id: "B" }]);
      muriel.push(["track", "sold", { value: 5, currency: "EUR", order_id: "{{order.id}}" }]);
      muriel.push(["track", "sold", { value: 6, currency: "EUR", order_id: "{{order.id}}" }]);
      window.dataLayer = [];
      dispatchEvent(new Event("load"));
      dataLayer.push({ event: "purchase", ecommerce: { transaction_id: "C", value: "59,90", currency: "EUR" } });
      dataLayer.push({ event: "purchase", ecommerce: { transaction_id: "D", value: "59,90" } });
      dataLayer.push({ event: "purchase", ecommerce: { transaction_id: "undefined", value: 7, currency: "EUR" } });
      dataLayer.push({ event: "refund", ecommerce: { transaction_id: "C", value: "59,90", currency: "EUR" } });
    });
    await settled(given);
    const told = of(other, "order").map(({ name, value, order_id, properties }) => [
      name,
      value,
      order_id ?? properties.unread_order_id,
    ]);
    assert.deepEqual(told, [
      ["sold", 4245.42, "A"],
      ["sold", 5, "{{order.id}}"],
      ["sold", 6, "{{order.id}}"],
      ["purchase", 59.9, "C"],
      ["purchase", 7, "undefined"],
      ["purchase", -59.9, "C"],
    ]);
    assert.deepEqual(
      (await page.evaluate("lost")).map(([name, message]) => [name, /amount|`order_id`|`currency`/.exec(message)?.[0]]),
      [
        ["sold", "amount"],
        ["sold", "`order_id`"],
        ["sold", "`order_id`"],
        ["purchase", "`currency`"],
        ["purchase", "`order_id`"],
      ],
    );
    const dropped = of(other, "health").filter(({ dropped }) => dropped);
    assert.deepEqual(
      dropped.map(({ dropped, test_id }) => [dropped, test_id]),
      Array(5).fill([1, undefined]),
    );
  },
};

const attributes = {
  name: "attributes that are too many or too long are reported and counted, and those before stay",
  async run(given) {
    const { page, server, other } = given;
    const before = inline(
      `window.lost = []; window.muriel = [["on", "error", ({ message, event }) => lost.push([event.type, message])]];`,
    );
    await site(given, ["/"], [changing(H1)], { before });
    await page.goto(server.url("/"));
    await page.evaluate(() => {
      muriel.push(["identify", "u-1", { plan: "pro" }]);
      muriel.push(["identify", "u-1", { long: "x".repeat(8_000) }]);
    });
    await settled(given);
    assert.deepEqual(await page.evaluate("lost"), [["identify", "limit"]]);
    assert.equal(of(other, "health").filter(({ dropped }) => dropped).length, 1);
    assert.deepEqual(other.batches.at(-1).json.visitor.attributes, { plan: "pro", user_id: "u-1" });
  },
};

const ID = "0195a2b4-7d3e-7c11-9f60-2b8f1f0e6a55";

/** Valid and invalid events of all kinds. Each is sent to the real server and to the fixture server. */
/** @type {any[]} */
const EVENTS = [
  { type: "pageview", url: "https://a.example/" },
  { type: "pageview" },
  { type: "pageview", url: "" },
  { type: "none" },
  {},
  5,
  { type: "custom", name: "a", value: 1 },
  { type: "custom", name: "" },
  { type: "custom", name: "a", value: "1" },
  { type: "custom", name: "a", value: null },
  { type: "custom", name: "x".repeat(129) },
  { type: "custom", name: "a", properties: { a: [1] } },
  { type: "custom", name: "a", properties: "a" },
  { type: "custom", name: "a", properties: { a: null, b: "x", c: 1, d: true } },
  { type: "custom", name: "a", at: "yesterday" },
  { type: "custom", name: "a", id: "1" },
  { type: "custom", name: "a", session: 5 },
  { type: "custom", name: "a", properties: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`n${at}`, 1])) },
  { type: "custom", name: "a", properties: { a: "x".repeat(33_000) } },
  { type: "order", name: "a", value: 1, currency: "EUR" },
  { type: "order", name: "a", value: 1, currency: "eur" },
  { type: "order", name: "a", currency: "EUR" },
  { type: "order", name: "a", value: 1, currency: "EUR", quantity: -1 },
  { type: "order", name: "a", value: 1, currency: "EUR", order_id: 7 },
  { type: "order", name: "a", value: -1, currency: "EUR", refund_of: "A" },
  { type: "order", name: "a", value: 1, currency: "EUR", refund_of: "A" },
  { type: "order", name: "a", value: 0, currency: "EUR", refund_of: "A" },
  { type: "order", name: "a", value: -1, currency: "EUR", refund_of: 7 },
  { type: "order", name: "a", value: 1, currency: "EUR", refund_of: "" },
  { type: "order", name: "a", value: -1, currency: "EUR", refund_of: "x".repeat(257) },
  { type: "script", trigger: "a" },
  { type: "script", trigger: 5 },
  { type: "submit" },
  { type: "appear", trigger: "" },
  { type: "click", by: "element", trigger: "a" },
  { type: "click", by: "element" },
  { type: "click", by: "link", href: "https://a.example" },
  { type: "click", by: "link" },
  { type: "click", by: "x", trigger: "a" },
  { type: "scroll", value: 50 },
  { type: "scroll", value: 101 },
  { type: "duration", value: 5 },
  { type: "duration" },
  { type: "identify", attributes: {} },
  { type: "identify" },
  { type: "identify", attributes: { a: {} } },
  { type: "exposure", test_id: 0, variant_id: "1" },
  { type: "exposure", variant_id: "1" },
  { type: "exposure", test_id: 1, variant_id: 1 },
  { type: "exposure", test_id: 1, variant_id: "1", epoch: 0 },
  { type: "health", test_id: 1, variant_id: "x" },
  { type: "health", test_id: 1, variant_id: "1", late: -1 },
  { type: "health", test_id: 1, variant_id: "1", lcp_ms: 3_600_001 },
  { type: "health", test_id: 1, variant_id: "1", cls: -0.1 },
  { type: "health", test_id: 1, variant_id: "1", errors: 1, error_message: "é".repeat(201) },
  { type: "health", test_id: 1, variant_id: "1", inp_ms: "88" },
];

/** Batches that are refused as a whole. */
const BATCHES = [
  { events: [] },
  { visitor: {}, events: [] },
  { visitor: { id: "" }, events: [] },
  { visitor: { id: "v" } },
  { visitor: { id: "v" }, events: "[]" },
  { visitor: { id: "v", attributes: { a: [] } }, events: [] },
  { visitor: { id: "v" }, events: [], consent: "yes" },
  { visitor: { id: "v" }, events: [], sent_at: "now" },
  [],
];

const same = {
  name: "the fixture server refuses the same events as the real server",
  // The test uses no page, so one engine is enough.
  only: ["chromium"],
  async run({ muriel }) {
    const shop = await (await muriel()).project();
    const send = (batch) =>
      fetch(`${shop.server.url}/events/${shop.key}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(batch),
      });
    for (const batch of BATCHES) {
      assert.ok(judged(batch).whole.length > 0, JSON.stringify(batch));
      assert.equal((await send(batch)).status, 400, JSON.stringify(batch));
    }
    const batch = {
      visitor: { id: "v" },
      events: EVENTS.map((event, at) => (event?.type ? { id: ID.replace(/...$/, `${at + 100}`), ...event } : event)),
    };
    const { results } = await (await send(batch)).json();
    const ours = judged(batch).events.map((flaws) => flaws.length > 0);
    assert.deepEqual(
      results.map(({ status }, at) => [EVENTS[at], status === "invalid"]),
      EVENTS.map((event, at) => [event, ours[at]]),
    );
  },
};

export const tests = [same, calls, odd, refused, librarian, ...troubles, base, layer, orders, attributes];
