// Goals that only the page can measure, routes, and orders of the data layer: real input, and the events that are recorded.

import assert from "node:assert/strict";
import { until } from "../engines/page.mjs";
import { html } from "../html.mjs";

export const name = "goals";
export const isShared = true;

const BROWSER = "web/runtime/src/browser";

/** The last element that a visitor clicks in a test: when that click is recorded, everything before it has been recorded, too. */
const END = `<button id="end">end</button>`;

const goals = (wanted) =>
  Object.entries(wanted).flatMap(([type, values]) =>
    [values].flat().map((goal_value) => ({ goal_key: "g", goal_type: type, goal_value })),
  );

/** A script that watches for goals, records events in `took` and posts them to `/took`. */
async function watching(bundle, wanted) {
  const parts = await Promise.all([
    bundle(`${BROWSER}/goals/index.ts`, "Goals", { minify: true }),
    bundle(`${BROWSER}/route.ts`, "Route", { minify: true }),
  ]);
  const all = [...goals(wanted), ...goals({ clickOnElement: "#end" })];
  return `<script>${parts.join("\n")}</script><script>
    const took = [];
    let routes = 0;
    const take = (event, soon) => {
      took.push({ ...event, ...(soon && { soon }) });
      navigator.sendBeacon("/took", JSON.stringify(event));
    };
    const again = Goals.watch(${JSON.stringify(all)}, take);
    Route.onRoute(() => { routes += 1; again(); });
  </script>`;
}

/** Opens a page that watches for `wanted`: goal values by goal types. */
async function open({ bundle, server, page }, wanted, body, head = "") {
  const watch = await watching(bundle, wanted);
  await page.goto(server.route("/", html({ head: watch + head, body: body + END })));
}

/** The events that the page has recorded until now, as JSON on the wire. */
const events = async (page, which = "took") => JSON.parse(await page.evaluate(`JSON.stringify(${which})`));

/** Ends the test on the page, and returns all recorded events in order. */
async function told(page) {
  // Submits are recorded after the page's listeners, by a timer that was started before this one. A click may come
  // before it.
  await page.evaluate(() => new Promise((done) => setTimeout(done)));
  await page.click("#end");
  await page.waitFor(() => took.some(({ trigger }) => trigger === "#end"));
  return (await events(page)).filter(({ trigger }) => trigger !== "#end");
}

const element = (trigger) => ({ type: "click", by: "element", trigger, soon: true });
const text = (trigger) => ({ type: "click", by: "text", trigger, soon: true });
const submit = (trigger, more) => ({ type: "submit", trigger, soon: true, ...more });
const prevented = { properties: { prevented: true } };
const appear = (trigger) => ({ type: "appear", trigger });

/**
 * Asserts that an event reports a page that was visible for the seconds of a goal. It has the actual number, which is
 * larger on a busy machine.
 */
function isDuration(event, goal) {
  assert.equal(event.type, "duration");
  assert.ok(event.value >= goal, `${event.value} of ${goal}`);
}

/** Each row: a name, the goals, the page, the visitor's actions, the expected events; optionally `head` and `needs`. */
const rows = [
  {
    name: "a click inside an element counts even if the page stops its propagation",
    wanted: { clickOnElement: ["#buy", "#buy", "#other", "body >", "main"] },
    body: `<main><button id="buy"><b>Buy</b></button></main>`,
    head: `<script>addEventListener("click", (event) => event.target.id !== "end" && event.stopImmediatePropagation(), true)</script>`,
    act: (page) => page.click("b"),
    expect: [element("#buy"), element("main")],
  },
  {
    name: "each of several clicks counts",
    wanted: { clickOnElement: ["#buy"] },
    body: `<button id="buy">Buy</button>`,
    act: async (page) => {
      await page.click("#buy");
      await page.waitFor(() => took.length === 1);
      await page.click("#buy");
    },
    expect: [element("#buy"), element("#buy")],
  },
  {
    name: "each of several clicks counts, however busy the page is between them",
    wanted: { clickOnElement: ["#buy"] },
    body: `<button id="buy">Buy</button>`,
    head: `<script>addEventListener("mouseup", ({ target }) => target.id === "buy" && setTimeout(() => {
      for (const end = Date.now() + 400; Date.now() < end; );
    }), true)</script>`,
    act: async (page) => {
      // The second click comes while the page is busy after the first.
      const middle = await page.evaluate(() => {
        const { x, y, width, height } = document.querySelector("#buy").getBoundingClientRect();
        return { x: Math.round(x + width / 2), y: Math.round(y + height / 2) };
      });
      await page.mouse(middle, "left");
      await page.mouse(middle, "left");
    },
    expect: [element("#buy"), element("#buy")],
  },
  {
    name: "links and buttons that are activated by keys count",
    wanted: { clickOnElement: ["#link", "#button", "#off"], clickOnText: "there" },
    body: `<a id="link" href="#there">There</a> <button id="button">Here</button> <button id="off" disabled>Off</button>`,
    act: async (page) => {
      await page.evaluate("void link.focus()");
      await page.press("Enter");
      await page.evaluate("void button.focus()");
      await page.press(" ");
      await page.click("#off");
    },
    expect: [element("#link"), text("there"), element("#button")],
  },
  {
    name: "the middle button counts, the right one does not",
    needs: ["middleClick"],
    wanted: { clickOnElement: "#link", externalLink: "elsewhere" },
    body: `<a id="link" href="http://elsewhere.localhost:1/a">There</a>`,
    act: async (page) => {
      await page.click("#link", { button: "right" });
      await page.click("#link", { button: "middle" });
    },
    expect: [
      element("#link"),
      { type: "click", by: "link", trigger: "elsewhere", href: "http://elsewhere.localhost:1/a", soon: true },
    ],
  },
  {
    name: "a click on a label counts once, however slow the page is",
    wanted: { clickOnElement: ["#agree, #box", "#box"], clickOnText: "I agree" },
    body: `<label id="agree" for="box">I agree</label> <input id="box" type="checkbox">`,
    head: `<script>addEventListener("click", () => { for (const end = Date.now() + 150; Date.now() < end; ); })</script>`,
    act: async (page) => {
      await page.click("#agree");
      await page.waitFor("box.checked");
    },
    expect: [element("#agree, #box"), text("I agree"), element("#box")],
  },
  {
    name: "texts are compared as visitors read them",
    wanted: { clickOnText: [" buy  NOW ", "straße", "close", "Send it", "plain", "part", "whole part", "secret", "x"] },
    body: `<button id="a"><i>Buy&nbsp;</i>
        now<span hidden>secret</span></button>
      <a id="b" href="#" style="text-transform: uppercase">Straße</a>
      <button id="c" aria-label="Close" value="x"><svg width="20" height="20"><rect width="20" height="20"/></svg></button>
      <input id="d" type="button" value="send it">
      <div id="e">plain</div>
      <div role="button">whole <b id="f">part</b></div>
      <div>not <span id="g">plain</span> but</div>`,
    act: async (page) => {
      for (const each of "abcdefg") await page.click(`#${each}`);
    },
    expect: [" buy  NOW ", "straße", "close", "Send it", "plain", "part", "whole part", "plain"].map(text),
  },
  {
    name: "each click on an external link counts once",
    wanted: { externalLink: ["elsewhere", "localhost", "example", "mailto"] },
    body: `<a id="a" href="http://elsewhere.localhost:1/a?b#c"><b>out</b></a> <a id="b" href="/example">in</a>
      <a id="c" href="mailto:x@example.com">mail</a> <a id="d" href="javascript:'http://example.com'">code</a>
      <a id="e">none</a> <a id="f" href="http://[">broken</a>
      <svg width="40" height="20"><a href="//example.com/svg"><rect id="g" width="40" height="20"/></a></svg>
      <a id="h" href="http://another.invalid/">unwanted</a>`,
    head: `<script>
      addEventListener("click", (event) => event.preventDefault());
      addEventListener("DOMContentLoaded", () => { b.port = 1; });
    </script>`,
    act: async (page) => {
      for (const each of "abcdefgh") await page.click(`#${each}`);
    },
    expect: [
      { type: "click", by: "link", trigger: "elsewhere", href: "http://elsewhere.localhost:1/a?b#c", soon: true },
      { type: "click", by: "link", trigger: "example", href: "http://example.com/svg", soon: true },
    ],
  },
  {
    name: "forms that are submitted by a button, by Enter and by script count, invalid ones do not",
    wanted: { formSubmit: ["#form", "form", "div"], clickOnElement: "#go" },
    body: `<div><form id="form"><input id="one" required name="matches"><input name="composedPath"><button id="go">Go</button></form></div>`,
    head: `<script>addEventListener("submit", (event) => event.preventDefault())</script>`,
    act: async (page) => {
      await page.click("#go");
      await page.type("#one", "a");
      await page.press("Enter");
      await page.waitFor(() => took.length === 4);
      // Events of one press are recorded once, until a timer of 0 ms has run. That timer was started before this one.
      await page.evaluate(() => new Promise((done) => setTimeout(done)));
      await page.evaluate("void form.requestSubmit()");
    },
    // The first click is on a form that is not filled in. Enter also clicks the button.
    expect: [
      element("#go"),
      element("#go"),
      ...["#form", "form", "#form", "form"].map((trigger) => submit(trigger, prevented)),
    ],
  },
  {
    name: "a form that the browser sends itself is told apart from one whose submit is prevented",
    wanted: { formSubmit: ["#sent", "#kept"] },
    body: `<form id="sent" action="/frame" target="frame"><button id="one">Go</button></form><iframe name="frame"></iframe>
      <form id="kept" onsubmit="return false"><button id="two">Go</button></form>`,
    act: async (page) => {
      await page.click("#one");
      await page.waitFor(() => frames[0].location.pathname === "/frame");
      await page.click("#two");
    },
    expect: [submit("#sent"), submit("#kept", prevented)],
  },
  {
    name: "a call of submit() does not count",
    wanted: { formSubmit: "form" },
    body: `<form id="form" action="/frame" target="frame"></form><iframe name="frame"></iframe>`,
    act: async (page) => {
      await page.evaluate("void form.submit()");
      await page.waitFor(() => frames[0].location.pathname === "/frame");
    },
    expect: [],
  },
  {
    name: "clicks in open shadow roots count, in closed ones they do not",
    wanted: {
      clickOnElement: [
        "x-open >>> button",
        "button.in",
        "x-open",
        "x-closed >>> button",
        "x-closed",
        "x-other >>> button",
      ],
      clickOnText: "press",
      formSubmit: ["x-open >>> form", "form.in"],
    },
    body: `<style>x-open, x-closed { display: block }</style><x-open></x-open><x-closed></x-closed><script>
      for (const mode of ["open", "closed"]) {
        const root = document.querySelector("x-" + mode).attachShadow({ mode });
        root.innerHTML = '<form class="in"><input><button class="in">Press</button></form>';
        root.addEventListener("submit", (event) => event.preventDefault());
      }
    </script>`,
    act: async (page) => {
      await page.waitFor(() => document.querySelector("x-open").shadowRoot !== null);
      await page.evaluate(() => void document.querySelector("x-open").shadowRoot.querySelector("input").focus());
      await page.press("Enter");
      await page.waitFor(() => took.length === 6);
      await page.evaluate(() => void document.querySelector("x-open").shadowRoot.activeElement.blur());
      await page.click("x-closed");
    },
    expect: [
      ...["x-open >>> button", "button.in", "x-open"].map(element),
      text("press"),
      submit("x-open >>> form", prevented),
      submit("form.in", prevented),
      element("x-closed"),
    ],
  },
];

/** @type {(row: any) => object} */
const fromRow = ({ name, wanted, body, head, act, expect, needs }) => ({
  name,
  needs,
  async run(tools) {
    await open(tools, wanted, body, head);
    await act(tools.page);
    assert.deepEqual(await told(tools.page), expect);
    assert.deepEqual(await tools.page.evaluate("seen.errors"), []);
  },
});

const leaving = {
  name: "a click that leaves the page is sent before the page is left",
  async run(tools) {
    const { server, other, page } = tools;
    const url = other.route("/there", html({ title: "There" }));
    await open(tools, { externalLink: "/there", clickOnElement: "a", clickOnText: "out" }, `<a href="${url}">Out</a>`);
    await page.click("a");
    await page.waitFor(() => document.title === "There");
    await server.received(({ requests }) => requests.filter(({ path }) => path === "/took").length === 3);
    const events = server.requests.filter(({ path }) => path === "/took").map(({ json }) => json);
    // Each event is sent in a separate request, so they may arrive in another order.
    assert.deepEqual(
      new Map(events.map((event) => [event.by, event])),
      new Map([
        ["element", { type: "click", by: "element", trigger: "a" }],
        ["text", { type: "click", by: "text", trigger: "out" }],
        ["link", { type: "click", by: "link", trigger: "/there", href: url }],
      ]),
    );
  },
};

const left = {
  name: "a submitted form is recorded with the page that it was on, also if the page's listener shows another, and before the page is left",
  async run(tools) {
    const { server, page } = tools;
    server.route("/there", html({ title: "There" }));
    const body = `<form id="router"><button id="one">Go</button></form><form id="native" action="/there"><button id="two">Go</button></form>`;
    const head = `<script>addEventListener("submit", (event) => {
      if (event.target.id === "router") event.preventDefault(), history.pushState({}, "", "/thanks");
    })</script>`;
    await open(tools, { formSubmit: ["#router", "#native"] }, body, head);
    await page.click("#one");
    await page.waitFor(() => took.length === 1);
    assert.deepEqual(await events(page), [submit("#router", { url: server.url("/"), ...prevented })]);
    await page.click("#two");
    await page.waitFor(() => document.title === "There");
    await server.received(({ requests }) => requests.filter(({ path }) => path === "/took").length === 2);
    assert.deepEqual(server.requests.filter(({ path }) => path === "/took").map(({ json }) => json)[1], {
      type: "submit",
      trigger: "#native",
    });
  },
};

/** Waits for two frames after the debounce of appearances, so that all pending observations have been processed. */
const looked = (page) =>
  page.evaluate(
    () =>
      new Promise((done) => {
        const observer = new IntersectionObserver(() => {
          observer.disconnect();
          setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 600);
        });
        observer.observe(document.body);
      }),
  );

const appearing = {
  name: "elements that become visible count once each",
  async run(tools) {
    const { page } = tools;
    const wanted = [
      "#top",
      ".below",
      "#none",
      "#clear",
      "#hidden",
      "#empty",
      "#tall",
      ".late",
      "#classed.on",
      "x-a >>> i",
      "][",
    ];
    const body = `<style>.box { width: 100px; height: 40px; background: teal }</style>
      <div id="top" class="box"></div><div id="none" class="box" style="display: none"></div>
      <div id="clear" class="box" style="opacity: 0"></div><div id="hidden" class="box" style="visibility: hidden"></div>
      <div id="empty"></div><div id="classed" class="box"></div><x-a></x-a>
      <div style="height: 3000px"></div><div class="box below"></div><div class="box below"></div>
      <div style="height: 3000px"></div><div id="tall" style="height: 4000px; background: gold"></div>`;
    await open(tools, { elementAppears: wanted }, body);
    await looked(page);
    const seen = () => page.evaluate("took.map(({ trigger }) => trigger)");
    assert.deepEqual(await seen(), ["#top"]);
    const steps = [
      ["#none", "none.style.display = 'block'"],
      ["#clear", "clear.style.opacity = 0.5"],
      ["#hidden", "hidden.style.visibility = 'visible'"],
      ["#empty", "empty.textContent = 'full'"],
      [
        ".late",
        "top.constructor, document.getElementById('top').insertAdjacentHTML('afterend', '<p class=late>late</p>')",
      ],
      ["#classed.on", "classed.className += ' on'"],
      [
        "x-a >>> i",
        "document.querySelector('x-a').attachShadow({ mode: 'open' }).innerHTML = '<i>in</i>', classed.title = 'x'",
      ],
    ];
    const expect = ["#top"];
    for (const [trigger, change] of steps) {
      await page.evaluate(`void (${change})`);
      expect.push(trigger);
      await page.waitFor((count) => took.length >= count, { args: [expect.length] });
      assert.deepEqual(await seen(), expect);
    }
    // A quarter of the element is not yet enough, nor is less than half the window for the tall one.
    const show = (selector, pixels) =>
      page.evaluate(
        (selector, pixels) => {
          scrollTo(0, document.querySelector(selector).getBoundingClientRect().top + scrollY - innerHeight + pixels);
        },
        selector,
        pixels,
      );
    await show(".below", 10);
    await looked(page);
    await show("#tall", 300);
    await looked(page);
    assert.deepEqual(await seen(), expect);
    await show(".below", 30);
    await page.waitFor(() => took.at(-1).trigger === ".below");
    await show("#tall", 500);
    await page.waitFor(() => took.at(-1).trigger === "#tall");
    // On the next page, elements in view count again.
    await page.evaluate("void history.pushState(null, '', '/next')");
    await page.waitFor((count) => took.length >= count, { args: [expect.length + 3] });
    assert.deepEqual(await seen(), [...expect, ".below", "#tall", "#tall"]);
    assert.deepEqual(await events(page, "took[0]"), appear("#top"));
  },
};

const percents = (page) => page.evaluate("took.filter(({ type }) => type === 'scroll').map(({ value }) => value)");

const scrolling = {
  name: "scroll depth is measured when scrolling by keys",
  async run(tools) {
    const { page } = tools;
    await open(tools, { scrolling: [25, "50", 90], clickOnElement: "#next" }, `<div style="height: 6900px"></div>`);
    await page.press("PageDown");
    await page.waitFor(() => scrollY > 500);
    assert.deepEqual(await percents(page), []);
    await until("a quarter", async () => {
      await page.press("PageDown");
      return page.evaluate("took.length");
    });
    assert.ok((await percents(page))[0] >= 25);
    // A key that is pressed while the page still scrolls may be lost.
    const toTheEnd = () =>
      until("the end", async () => {
        await page.press("End");
        return page.evaluate("scrollY > 6000");
      });
    await toTheEnd();
    await page.waitFor(() => took.at(-1).value >= 90);
    // Scrolling may be smooth, so that depths in between are recorded, too.
    const all = await percents(page);
    assert.ok(all.length <= 3 && all.every((value, at) => at === 0 || value > all[at - 1]), `${all}`);
    const toTheTop = () => until("the top", () => page.evaluate("scrollTo(0, 0), scrollY === 0"));
    await toTheTop();
    await toTheEnd();
    await toTheTop();
    assert.deepEqual(await percents(page), all);
    // A new page starts at its top.
    await page.evaluate("void history.pushState(null, '', '/next')");
    await page.waitFor(() => routes === 1);
    await page.evaluate("void scrollTo(0, 2800)");
    await page.waitFor((count) => took.length > count, { args: [all.length] });
    const last = (await percents(page)).at(-1);
    assert.ok(last >= 50 && last < 60, `${last}`);
  },
};

const short = {
  name: "a page that needs no scrolling counts as read on the first input",
  async run(tools) {
    const { page } = tools;
    // The page also counts as read after five seconds.
    const nothingYet = async () => {
      const [age, took] = await events(page, "[performance.now(), took]");
      if (age < 5_000) assert.deepEqual(took, []);
    };
    await open(tools, { scrolling: 100 }, "<p>all there is</p>");
    await nothingYet();
    await page.hover("p");
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await nothingYet();
    await page.press("a");
    await page.waitFor(() => took.length === 1);
    assert.deepEqual(await events(page), [{ type: "scroll", value: 100 }]);
  },
};

const waited = {
  name: "a page that needs no scrolling counts as read after five seconds",
  async run(tools) {
    const { page } = tools;
    await open(tools, { scrolling: 100, duration: 2 }, "<p>all there is</p>");
    await page.waitFor(() => took.length === 2);
    const [duration, scroll] = await events(page);
    isDuration(duration, 2);
    assert.deepEqual(scroll, { type: "scroll", value: 100 });
    assert.ok((await page.evaluate("performance.now()")) >= 5_000);
  },
};

const inner = {
  name: "scroll depth is that of the box that fills the window, not of small ones",
  async run(tools) {
    const { page } = tools;
    const body = `<style>html, body { margin: 0; height: 100%; overflow: hidden } #list, #page { overflow: auto }
        #page { height: 600px } #list { height: 100px; width: 200px; }</style>
      <div id="list"><div style="height: 500px"></div></div><div id="page"><div style="height: 3000px"></div></div>`;
    await open(tools, { scrolling: [15, 100] }, body);
    await page.wheel(400, { selector: "#list" });
    await page.waitFor(() => list.scrollTop >= 300);
    await page.waitFor(() => took.length === 1);
    assert.deepEqual(await percents(page), [20]);
    await page.wheel(5000, { selector: "#page" });
    await page.waitFor(() => took.length === 2);
    assert.deepEqual(await percents(page), [20, 100]);
  },
};

const small = {
  name: "scrolling a small box on a page that scrolls does not count",
  async run(tools) {
    const { page } = tools;
    const body = `<div id="list" style="overflow: auto; height: 100px"><div style="height: 500px"></div></div><div style="height: 6000px"></div>`;
    await open(tools, { scrolling: [50, 100] }, body);
    await page.wheel(2000, { selector: "#list" });
    await page.waitFor(() => list.scrollTop >= 400);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.deepEqual(await percents(page), []);
  },
};

const HIDING = `<script>
  let shown = "visible";
  Object.defineProperty(document, "visibilityState", { get: () => shown });
  const show = (state) => { shown = state; document.dispatchEvent(new Event("visibilitychange", { bubbles: true })); return performance.now(); };
</script>`;

const lasting = {
  name: "duration is the time for which the page is visible",
  async run(tools) {
    const { page, server, bundle } = tools;
    let left = Infinity;
    // The remaining second would take two if the first one were not counted. A busy machine may make it as long.
    for (let round = 0; left >= 1_500 && round < 10; round += 1) left = await lasted(page, server, bundle);
    assert.ok(left < 1_500, `${left}`);
  },
};

/**
 * Shows a page for a second, hides it and shows it again. Returns the milliseconds until the two seconds are reached,
 * or `Infinity` if they were reached before the page was hidden.
 */
async function lasted(page, server, bundle) {
  const watch = await watching(bundle, { duration: [1, "2", 2, 60] });
  await page.goto(server.route("/", html({ head: HIDING + watch, body: END })));
  await page.waitFor("took[0]");
  const hidden = await page.evaluate("show('hidden')");
  // While the page is hidden, more time passes than the goal needs.
  await page.waitFor((since) => performance.now() > since + 1_500, { args: [hidden] });
  const [first, ...more] = await events(page);
  isDuration(first, 1);
  if (first.value > 1 || more.length > 0) return Infinity;
  const shown = await page.evaluate("show('visible')");
  await page.waitFor("took[1]");
  isDuration(await events(page, "took[1]"), 2);
  const left = (await page.evaluate("performance.now()")) - shown;
  await page.evaluate("void history.pushState(null, '', '/next')");
  await page.waitFor("took[2]");
  isDuration(await events(page, "took[2]"), 1);
  return left;
}

const behind = {
  name: "duration does not grow while the page is behind another tab",
  needs: ["hiddenTabs"],
  async run({ server, newPage, bundle }) {
    const page = await newPage({ plain: true });
    for (let round = 0; ; round += 1) {
      await open({ server, page, bundle }, { duration: [1, 2] }, "");
      await page.waitFor("took[0]");
      const tab = await page.tab();
      await page.waitFor(() => document.visibilityState === "hidden");
      const hidden = await page.evaluate("performance.now()");
      await page.waitFor((since) => performance.now() > since + 1_500, { args: [hidden] });
      const [first, ...more] = await events(page);
      await tab.close();
      isDuration(first, 1);
      if (more.length === 0) break;
      // On a busy machine, opening the tab may take the whole remaining second.
      assert.ok(round < 9, JSON.stringify(more));
    }
    await page.waitFor("took[1]");
    isDuration(await events(page, "took[1]"), 2);
  },
};

const routing = {
  name: "a change of address is a new page, a new history state or fragment is not",
  async run(tools) {
    const { page } = tools;
    const wrap = `<script>
      const before = history.pushState;
      let wrapped = 0;
      history.pushState = function (...given) { wrapped += 1; return before.apply(this, given); };
    </script>`;
    const body = `<script>
      const ours = history.replaceState;
      history.replaceState = function (...given) { wrapped += 1; return ours.apply(this, given) ?? "answer"; };
    </script>`;
    const watch = await watching(tools.bundle, {});
    await page.goto(tools.server.route("/", html({ head: wrap + watch, body: body + END })));
    for (const [code, expect] of [
      ["history.pushState({ a: 1 }, '')", 0],
      ["history.replaceState({ a: 2 }, '', '/')", 0],
      ["history.pushState(null, '', '#part')", 0],
      ["location.hash = 'other'", 0],
      ["history.pushState(null, '', '/one')", 1],
      ["history.replaceState(null, '', '/one?two')", 2],
      ["history.pushState(null, '', '/a'), history.replaceState(null, '', '/b')", 3],
      ["history.back()", 4],
    ]) {
      const from = await page.evaluate("location.href");
      const state = await page.evaluate("JSON.stringify(history.state)");
      await page.evaluate(`void (${code})`);
      await page.waitFor((from, state) => location.href !== from || JSON.stringify(history.state) !== state, {
        args: [from, state],
      });
      await page.evaluate(() => new Promise((done) => setTimeout(done)));
      await page.waitFor((expect) => routes >= expect, { args: [expect] });
      assert.equal(await page.evaluate("routes"), expect, `${code}`);
    }
    assert.equal(await page.evaluate("wrapped"), 7);
    assert.equal(await page.evaluate("history.replaceState(null, '')"), "answer");
    const refused =
      "(() => { try { history.pushState(null, '', 'http://elsewhere.invalid/') } catch (error) { return error.name } })()";
    assert.equal(await page.evaluate(refused), "SecurityError");
    assert.deepEqual(await page.evaluate("seen"), { errors: [], rejections: [], blocked: [] });
  },
};

const backed = {
  name: "a page from the back-forward cache starts measuring anew",
  needs: ["backForwardCache"],
  async run(tools) {
    const { server, page } = tools;
    await open(tools, { elementAppears: "p", duration: 1 }, "<p>here</p>");
    await page.evaluate("void (window.mark = 7)");
    await page.waitFor(() => took.length === 2);
    await page.goto(server.route("/second", html({ title: "Second" })));
    await page.waitFor(() => performance.now() > 1_500);
    await page.back();
    await page.waitFor(() => took.length === 4);
    assert.equal(await page.evaluate("mark"), 7);
    assert.equal(await page.evaluate("routes"), 1);
    const all = await events(page);
    for (const each of [all.slice(0, 2), all.slice(2)]) {
      // On a slow page, elements may be drawn after its first second.
      const [shown, lasting] = each.sort((one, other) => one.type.localeCompare(other.type));
      assert.deepEqual(shown, appear("p"));
      isDuration(lasting, 1);
    }
  },
};

const prepared = {
  name: "duration does not grow while a page is prerendered",
  needs: ["prerender"],
  async run({ server, newPage, bundle }) {
    const page = await newPage({ plain: true });
    const rules = `<script type="speculationrules">{ "prerender": [{ "urls": ["/next"], "eagerness": "immediate" }] }</script>`;
    const watch = await watching(bundle, { duration: 1 });
    const script = `<script>
      const tell = (what) => navigator.sendBeacon("/told", JSON.stringify([what, document.prerendering, performance.now(), took]));
      addEventListener("load", () => setTimeout(() => tell("late"), 1500));
      document.addEventListener("prerenderingchange", () => { tell("active"); setInterval(() => took.length && tell("took"), 100); });
    </script>`;
    server.route("/next", html({ head: watch + script }));
    await page.goto(server.route("/", html({ head: rules, body: `<a id="link" href="/next">next</a>` })));
    const told = (what) => server.received(({ requests }) => requests.find(({ json }) => json?.[0] === what)?.json);
    const late = await told("late");
    assert.deepEqual([late[1], late[3]], [true, []]);
    await page.click("#link");
    const active = await told("active");
    assert.deepEqual([active[1], active[3]], [false, []]);
    const took = await told("took");
    assert.equal(took[3].length, 1);
    isDuration(took[3][0], 1);
    assert.ok(took[2] - active[2] > 900, `${took[2] - active[2]}`);
  },
};

const order = (fields) => ({ value: 10, currency: "EUR", ...fields });

const layered = {
  name: "orders are read from the data layer",
  async run({ server, page, bundle }) {
    const script = await bundle(`${BROWSER}/layer.ts`, "Layer", { minify: true });
    const entry = (fields, event = "purchase") =>
      JSON.stringify({ event, ecommerce: { value: 10, currency: "EUR", ...fields } });
    const body = `<script>
      const took = [];
      dataLayer = [{ event: "view" }, ${entry({ transaction_id: "there" })}, null, 7];
    </script><script>${script}; Layer.watchLayer((name, given) => name === "purchase" && took.push(given), () => took.push("lost"));</script><script>
      const answer = dataLayer.push({ event: "x" }, ${entry({ transaction_id: 5, items: [{ quantity: 2 }, { quantity: "3" }, {}] })});
      function gtag() { dataLayer.push(arguments); }
      gtag("event", "purchase", { transaction_id: "tagged", value: "12.50", currency: "usd" });
      gtag("event", "refund", { transaction_id: "tagged", value: 2.5, currency: "USD" });
      gtag("event", "purchase", { transaction_id: "tagged", value: "12.50", currency: "USD" });
      gtag("config", "purchase", { value: 1, currency: "EUR" });
      dataLayer.push({ event: "gtm", get ecommerce() { throw new Error("mine"); } });
      const old = dataLayer;
      dataLayer = [old[1], ${entry({ transaction_id: "new" })}];
      const pushed = dataLayer.push(${entry({ transaction_id: "newer" })});
    </script>`;
    await page.goto(server.route("/", html({ body })));
    assert.deepEqual(await events(page), [
      order({ order_id: "there" }),
      order({ order_id: 5, quantity: 6 }),
      order({ order_id: "tagged", value: "12.50", currency: "usd" }),
      order({ order_id: "tagged", value: -2.5, currency: "USD" }),
      order({ order_id: "new" }),
      order({ order_id: "newer" }),
    ]);
    assert.deepEqual(await page.evaluate("[answer, pushed, dataLayer.push({})]"), [6, 3, 4]);
    await page.evaluate(`void dataLayer.push(${entry({ transaction_id: "last" })}, ${entry({})}, ${entry({})})`);
    assert.deepEqual(await events(page, "took.slice(6)"), [order({ order_id: "last" }), order(), order()]);
    assert.deepEqual(await page.evaluate("seen.errors"), []);
  },
};

/**
 * Entries of a data layer in other forms, as code, with the order of each, or the reported problem if it cannot be
 * read.
 */
const FORMS = [
  [`{ event: "purchase", transaction_id: "flat", value: 10, currency: "EUR" }`, order({ order_id: "flat" })],
  [
    `{ event: "eec.purchase", ecommerce: { currencyCode: "EUR", purchase: {
        actionField: { id: "universal", revenue: "10.00", tax: "1" }, products: [{ quantity: 2 }, {}] } } }`,
    order({ order_id: "universal", value: "10.00", quantity: 3 }),
  ],
  [
    `{ ecommerce: { currencyCode: "EUR", refund: { actionField: { id: "universal", revenue: " 1.299,00" } } } }`,
    order({ order_id: "universal", value: "- 1.299,00" }),
  ],
  [`{ ecommerce: { refund: { actionField: { id: "all" } } } }`, /no `value`; an order has no `currency`/],
  [
    `{ event: "purchase", ecommerce: { transaction_id: "both", value: 10, currency: "EUR",
        purchase: { actionField: { id: "both", revenue: 11 } } } }`,
    order({ order_id: "both" }),
  ],
  [`{ transactionId: "old", transactionTotal: 10, transactionCurrency: "EUR" }`, order({ order_id: "old" })],
  [`{ event: "purchase" }`, /no `value`/],
  [`{ event: "purchase", ecommerce: null }`, /no `value`/],
  ...[`"1.299"`, `"1e9"`, `"high"`, `""`, "null", "undefined", "Infinity", "NaN", "true", "[]", "{}"].map((value) => [
    `{ event: "purchase", ecommerce: { value: ${value}, currency: "EUR" } }`,
    /`value`|the amount .* cannot be read/,
  ]),
  ...[`"EURO"`, `"€"`, "null", "undefined", `""`].map((currency) => [
    `{ event: "purchase", ecommerce: { value: 1, currency: ${currency} } }`,
    /currency/,
  ]),
  // An order that could not be read may be pushed again.
  [`{ event: "purchase", ecommerce: { transaction_id: "twice", value: 10 } }`, /no `currency`/],
  [
    `{ event: "purchase", ecommerce: { transaction_id: "twice", value: 10, currency: "EUR" } }`,
    order({ order_id: "twice" }),
  ],
  [`{ event: "purchase", ecommerce: { transaction_id: "twice", value: 10, currency: "EUR" } }`],
  // Order numbers that a template left unfilled belong to several orders.
  ...["undefined", "undefined", "0", "0"].map((transaction_id) => [
    JSON.stringify({ event: "purchase", ecommerce: { transaction_id, value: 10, currency: "EUR" } }),
    order({ order_id: transaction_id }),
  ]),
  // No orders.
  ...[
    `{ ecommerce: null }`,
    `{ ecommerce: { purchase: null } }`,
    `{ event: "view", value: 1 }`,
    `{ ecommerce: { detail: {} } }`,
  ].map((code) => [code]),
];

const forms = {
  name: "orders are read in the forms of Universal Analytics and of the first tag managers, and those that cannot be read are reported",
  async run({ server, page, bundle }) {
    const script = await bundle(`${BROWSER}/layer.ts`, "Layer", { minify: true });
    const head = `<script>dataLayer = []; const took = []; ${script};
      const lost = [];
      Layer.watchLayer((name, given) => took.push(given), (events) => lost.push(...events));</script>`;
    await page.goto(server.route("/", html({ head, body: "" })));
    for (const [code, expected] of FORMS) {
      await page.evaluate(`void (took.length = lost.length = 0, dataLayer.push(${code}))`);
      const isLost = expected instanceof RegExp;
      assert.deepEqual(await events(page), expected && !isLost ? [expected] : [], code);
      const lost = await events(page, "lost");
      assert.equal(lost.length, isLost ? 1 : 0, code);
      if (isLost) {
        assert.match(lost[0][1], expected);
        assert.deepEqual([lost[0][0].type, lost[0][0].name], ["order", "purchase"]);
      }
    }
    assert.deepEqual(await page.evaluate("seen.errors"), []);
  },
};

const made = {
  name: "a data layer that the page creates later is found, and the script creates none",
  async run({ server, page, bundle }) {
    const script = await bundle(`${BROWSER}/layer.ts`, "Layer", { minify: true });
    const head = `<script>${script}; const took = []; Layer.watchLayer((name, given) => took.push(given), () => {});</script>`;
    await page.goto(server.route("/", html({ head, body: "<p>text</p>" })));
    assert.equal(await page.evaluate("'dataLayer' in window"), false);
    await page.evaluate(
      `void (window.dataLayer = [{ event: "purchase", ecommerce: { transaction_id: "a", value: 10, currency: "EUR" } }])`,
    );
    await page.click("p");
    await until("it is found", () => page.evaluate("took.length === 1"));
    assert.deepEqual(await events(page), [order({ order_id: "a" })]);
  },
};

export const tests = [
  ...rows.map(fromRow),
  leaving,
  appearing,
  scrolling,
  short,
  waited,
  inner,
  small,
  lasting,
  behind,
  routing,
  backed,
  prepared,
  left,
  layered,
  forms,
  made,
];
