// Routers that change the address before they show the next view: until then, each frame shows the previous view with
// its changes, and then the next one without them.

import assert from "node:assert/strict";
import { at, MANUAL_CLOCK, exposures, H1, inline, MANUAL_TIMEOUT, of, settled, site } from "../visit.mjs";
import { changing, experiment } from "../script.mjs";

export const name = "views";
export const isShared = true;

/** Arms by kind of change, with an expression for whether the change is visible. */
const ARMS = {
  words: [{ data: H1 }, `h1.textContent.startsWith("New")`],
  html: [{ data: [{ target: "h1", innerHTML: "<i>New</i>" }] }, `!!h1.querySelector("i")`],
  style: [{ data: [{ target: "h1", style: "color: red" }] }, `getComputedStyle(h1).color === "rgb(255, 0, 0)"`],
  class: [{ data: [{ target: "h1", class: "new" }] }, `h1.classList.contains("new")`],
  hidden: [{ data: [{ rm: "h1" }] }, `getComputedStyle(h1).display === "none"`],
  insert: [{ data: [{ refEl: "h1", dir: "a", htmlBlock: "<i>New</i>" }] }, `h1.nextSibling?.textContent === "New"`],
  "style sheet": [{ customCSS: "h1 { color: red }" }, `getComputedStyle(h1).color === "rgb(255, 0, 0)"`],
};

/** Ways in which a router shows the next view, in JavaScript. */
const SWAPS = {
  "as new content": `main.innerHTML = "<h1>Second</h1>"`,
  "as another element": `main.replaceWith(Object.assign(document.createElement("main"), { innerHTML: "<h1>Second</h1>" }))`,
  "by new words": `h1.textContent = "Second"`,
  "beside the one of before": `{ const next = main.cloneNode(); next.innerHTML = "<h1>Second</h1>"; main.before(next); requestAnimationFrame(() => main.remove()); }`,
};

/** Records in `frames_` what each frame shows: the view's name, and `+` if the arm is visible. */
const watching = (isThere) =>
  inline(`frames_ = [];
    (async function look() {
      // A frame paints what mutation observers leave. The parser may yield between a tag and its text.
      await null;
      const h1 = document.querySelector("h1");
      if (h1 && (h1.textContent || document.readyState !== "loading")) frames_.push((/Second/.test(h1.textContent) ? "second" : "first") + ((${isThere}) ? "+" : ""));
      requestAnimationFrame(look);
    })();`);

const distinct = (page) => page.evaluate(() => frames_.filter((each, at) => each !== frames_[at - 1]));
const some = (page) =>
  page.evaluate(
    () =>
      new Promise(
        /** @type {(done: (value?: any) => void) => void} */ (done) => (
          (window.left_ = 3),
          (function wait() {
            left_-- ? requestAnimationFrame(wait) : done();
          })()
        ),
      ),
  );

const replaced = Object.entries(ARMS).map(([kind, [arm, isThere]]) => ({
  name: `a change stays until the next view is there: ${kind}`,
  async run(given) {
    const { page, server } = given;
    await site(given, ["/first"], [experiment({ targeting: at("/first"), variants: [arm] })], {
      before: MANUAL_TIMEOUT + watching(isThere),
      body: "<nav>Shop</nav><main><h1>Old</h1></main>",
    });
    for (const [how, swap] of Object.entries(SWAPS)) {
      // A new text in the same element ends changes of its text. Changes of its appearance end after a second.
      if (how === "by new words" && !["words", "html"].includes(kind)) continue;
      await page.goto(server.url("/first"));
      await page.waitFor(() => frames_.length > 2);
      await page.evaluate(() => history.pushState({}, "", "/second"));
      // Changes that routers make meanwhile.
      await page.evaluate(() => {
        document.body.append(document.createElement("progress"));
        document.head.append(document.createElement("script"));
        document.querySelector("nav").textContent = "Shop, loading";
      });
      await some(page);
      assert.deepEqual(await distinct(page), ["first+"], `${how}: before`);
      await page.evaluate(
        `(() => { const h1 = document.querySelector("h1"), main = document.querySelector("main"); ${swap}; })()`,
      );
      await page.waitFor(() => frames_.at(-1) === "second");
      await some(page);
      assert.deepEqual(await distinct(page), ["first+", "second"], how);
    }
    await settled(given);
    assert.deepEqual(exposures(given.other), [[1, "1"]]);
  },
}));

const limited = {
  name: "a change ends after one second at the latest, and then its cleanups run",
  async run(given) {
    const { page, server } = given;
    const customJS = "experiment.onCleanup(() => (document.body.dataset.left = frames_.at(-1)))";
    await site(given, ["/first"], [experiment({ targeting: at("/first"), variants: [{ data: H1, customJS }] })], {
      before: MANUAL_TIMEOUT + watching(ARMS.words[1]),
    });
    await page.goto(server.url("/first"));
    await page.waitFor(() => frames_.length > 2);
    await page.evaluate(() => history.pushState({}, "", "/second"));
    await some(page);
    assert.deepEqual(await distinct(page), ["first+"]);
    assert.equal(await page.evaluate(() => muriel.variant("one")), null);
    await page.evaluate(() => expire());
    await page.waitFor(() => frames_.at(-1) === "first");
    assert.equal(await page.evaluate(() => document.body.dataset.left), "first+");
  },
};

const shownFirst = {
  name: "if the router shows the view before it changes the address, the change ends at once",
  async run(given) {
    const { page, server } = given;
    await site(given, ["/first"], [changing(H1, { targeting: at("/first") })], {
      before: MANUAL_CLOCK + MANUAL_TIMEOUT + watching(ARMS.words[1]),
      body: "<main><h1>Old</h1></main>",
    });
    for (const isTogether of [true, false]) {
      await page.goto(server.url("/first"));
      await page.waitFor(() => frames_.length > 2);
      await page.evaluate((isTogether) => {
        const show = () => (document.querySelector("main").innerHTML = "<h1>Second</h1>");
        const name = () => history.pushState({}, "", "/second");
        show();
        if (isTogether) name();
        else queueMicrotask(() => Promise.resolve().then(name));
      }, isTogether);
      await page.waitFor(() => frames_.at(-1) === "second");
      assert.deepEqual(await distinct(page), ["first+", "second"]);
    }
  },
};

const back = {
  name: "going back before the view has changed shows each change once",
  async run(given) {
    const { page, server } = given;
    const data = [...H1, { refEl: "h1", dir: "a", htmlBlock: "<i>block</i>" }];
    await site(given, ["/first"], [changing(data, { targeting: at("/first") })], {
      before: MANUAL_TIMEOUT + watching(ARMS.words[1]),
      body: "<main><h1>Old</h1></main>",
    });
    await page.goto(server.url("/first"));
    await page.waitFor(() => frames_.length > 2);
    for (const path of ["/second", "/first", "/second", "/third", "/first"]) {
      await page.evaluate((path) => history.pushState({}, "", path), path);
      await some(page);
      assert.equal(await page.evaluate(() => document.querySelector("main").textContent), "Newblock", path);
    }
    assert.deepEqual(await distinct(page), ["first+"]);
    await page.evaluate(() => history.pushState({}, "", "/second"));
    await page.evaluate(() => expire());
    await page.waitFor(() => document.querySelector("main").textContent === "Old");
  },
};

const next = {
  name: "experiments of the next page start with its address",
  async run(given) {
    const { page, server, other } = given;
    const second = [{ target: "h1", style: "color: red" }];
    await site(
      given,
      ["/first"],
      [
        changing(H1, { targeting: at("/first") }),
        changing(second, { test_id: 2, experiment_key: "two", targeting: at("/second") }),
      ],
      { before: MANUAL_TIMEOUT + watching(ARMS.style[1]), body: "<main><h1>Old</h1></main>" },
    );
    await page.goto(server.url("/first"));
    await page.waitFor(() => frames_.length > 2);
    await page.evaluate(() => history.pushState({}, "", "/second"));
    await page.evaluate(() => (document.querySelector("main").innerHTML = "<h1>Second</h1>"));
    await page.waitFor(() => frames_.at(-1) === "second+");
    assert.equal((await distinct(page)).includes("second"), false);
    await settled(given);
    assert.deepEqual(exposures(other), [
      [1, "1"],
      [2, "1"],
    ]);
  },
};

const transition = {
  name: "the end of the navigation transition ends a change",
  needs: ["navigation"],
  async run(given) {
    const { page, server } = given;
    await site(given, ["/first"], [changing(H1, { targeting: at("/first") })], {
      before: MANUAL_TIMEOUT + watching(ARMS.words[1]),
    });
    await page.goto(server.url("/first"));
    await page.waitFor(() => frames_.length > 2);
    await page.evaluate(() => {
      navigation.addEventListener("navigate", (event) =>
        event.intercept({ handler: () => new Promise((done) => (window.finish = done)) }),
      );
      navigation.navigate("/second");
    });
    await some(page);
    assert.deepEqual(await distinct(page), ["first+"]);
    await page.evaluate(() => finish());
    await page.waitFor(() => frames_.at(-1) === "first");
  },
};

const drawnAgain = {
  name: "a page that was re-rendered just before keeps its change",
  async run(given) {
    const { page, server } = given;
    await site(given, ["/first"], [changing(H1, { targeting: at("/first") })], {
      before: MANUAL_TIMEOUT + watching(ARMS.words[1]),
      body: "<main><h1>Old</h1></main>",
    });
    await page.goto(server.url("/first"));
    await page.waitFor(() => frames_.length > 2);
    await page.evaluate(() => (document.querySelector("main").innerHTML = "<h1>Old</h1>"));
    await some(page);
    await page.evaluate(() => history.pushState({}, "", "/second"));
    await some(page);
    assert.deepEqual(await distinct(page), ["first+"]);
    await page.evaluate(() => (document.querySelector("main").innerHTML = "<h1>Second</h1>"));
    await page.waitFor(() => frames_.at(-1) === "second");
    assert.deepEqual(await distinct(page), ["first+", "second"]);
  },
};

/** Ways in which a router restores a view whose heading is `Old`, in JavaScript. */
const RETURNS = {
  "as new content": `main.innerHTML = "<h1>Old</h1>"`,
  "as another element": `main.replaceWith(Object.assign(document.createElement("main"), { innerHTML: "<h1>Old</h1>" }))`,
  "by new words of the element": `h1.textContent = "Old"`,
  "by new words of its text": `h1.firstChild.data = "Old"`,
};

// A style sheet of an arm applies to the whole document, and starts with the change of address.
const returned = Object.entries(ARMS)
  .filter(([kind]) => kind !== "style sheet")
  .map(([kind, [arm, isThere]]) => ({
    name: `on back navigation the page that is left is not changed: ${kind}`,
    async run(given) {
      const { page, server } = given;
      await site(given, ["/first"], [experiment({ targeting: at("/first"), variants: [arm] })], {
        before: MANUAL_TIMEOUT + watching(isThere),
        body: "<nav>Shop</nav><main><h1>Old</h1></main>",
      });
      for (const [how, swap] of Object.entries(RETURNS)) {
        // Changes that hide or colour an element do not detect a new text in it: a real next view has another element.
        if (how.startsWith("by new words") && ["style", "hidden"].includes(kind)) continue;
        await page.goto(server.url("/first"));
        await page.waitFor(() => frames_.length > 2);
        await page.evaluate(() => history.pushState({}, "", "/second"));
        await page.evaluate(() => (document.querySelector("main").innerHTML = "<h1>Second</h1>"));
        await page.waitFor(() => frames_.at(-1) === "second");
        await page.evaluate(() => history.back());
        await page.waitFor(() => location.pathname === "/first");
        await some(page);
        assert.equal((await distinct(page)).at(-1), "second", `${how}: before`);
        await page.evaluate(
          `(() => { const h1 = document.querySelector("h1"), main = document.querySelector("main"); ${swap}; })()`,
        );
        await page.waitFor(() => frames_.at(-1) === "first+");
        await some(page);
        assert.deepEqual(await distinct(page), ["first+", "second", "first+"], how);
      }
    },
  }));

/** Experiments of an application whose pages are fragments: by a rule, and by the page that one was created for. */
const routed = ["#/", "#!/"].map((hash) => ({
  name: `a fragment is a page if it is a route: ${hash}pricing`,
  async run(given) {
    const { page, server, other } = given;
    const rule = { url_rule: [{ url: `${hash}pricing`, rule: "contain", allowed: true }] };
    const made = server.url(`/app${hash}pricing`);
    await site(
      given,
      ["/app"],
      [
        changing(H1, { targeting: rule }),
        changing([{ target: "p", innerText: "New" }], { test_id: 2, experiment_key: "two", variants_data_key: made }),
      ],
      { body: "<h1>Old</h1><p>Old</p>" },
    );
    const shown = (...texts) =>
      page.waitFor(
        (texts) => [...document.querySelectorAll("h1, p")].map((each) => each.textContent).join() === texts,
        {
          args: [texts.join()],
        },
      );
    await page.goto(server.url(`/app${hash}home`));
    await settled(given);
    await shown("Old", "Old");
    assert.deepEqual(exposures(other), []);
    await page.evaluate((hash) => void (location.hash = hash), `${hash}pricing`);
    await shown("New", "New");
    await page.evaluate((hash) => void (location.hash = hash), `${hash}home`);
    await shown("Old", "Old");
    await page.evaluate("void history.back()");
    await shown("New", "New");
    await settled(given);
    assert.deepEqual(exposures(other).sort(), [
      [1, "1"],
      [2, "1"],
    ]);
    const views = of(other, "pageview").map(({ url }) => new URL(url).hash);
    assert.deepEqual(
      views,
      ["home", "pricing", "home", "pricing"].map((view) => hash + view),
    );
    // Other fragments are places on the page.
    await page.evaluate("void (location.hash = '#top')");
    await settled(given);
    await page.evaluate("void (location.hash = '#end')");
    await settled(given);
    assert.equal(of(other, "pageview").length, 5);
  },
}));

export const tests = [...replaced, limited, shownFirst, back, drawnAgain, ...returned, next, transition, ...routed];
