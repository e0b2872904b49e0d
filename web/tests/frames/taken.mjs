// Signs of frameworks on elements before and after hydration. Each case checks within the task that writes the page, so that no timeout can
// fire.

import { equal, until } from "./world.mjs";

const CHANGE = [{ target: "h1", innerText: "New" }];

/** The page, and what the framework does when it hydrates the heading. */
/** @type {Record<string, any[]>} */
const SIGNS = {
  "Vue 2 takes its attribute away": [
    '<div data-server-rendered="true"><h1>Old</h1></div>',
    ({ $ }) => $("div").removeAttribute("data-server-rendered"),
  ],
  "Astro takes the island's attribute away": [
    "<astro-island ssr><h1>Old</h1></astro-island>",
    ({ $ }) => $("astro-island").removeAttribute("ssr"),
  ],
  "Angular takes its marks away": [
    '<app-root ng-version="19" ng-server-context="ssr" ngh="0"><h1>Old</h1></app-root>',
    ({ $ }) => {
      $("app-root").removeAttribute("ngh");
      $("app-root").__ngContext__ = 1;
    },
  ],
  "Nuxt is mounted, and has come to the end of what it waits for": [
    '<div id="__nuxt"><h1>Old</h1></div>',
    ({ $ }) => ($("#__nuxt").__vue_app__.$nuxt.isHydrating = false),
    ({ $ }) => ($("#__nuxt").__vue_app__ = { $nuxt: { isHydrating: true } }),
  ],
  "React moves what it has streamed to its place": [
    '<div id="root"><main></main></div><div hidden id="S:0"><h1>Old</h1></div>',
    ({ $ }) => {
      const main = { return: null, child: null, sibling: null, alternate: null, stateNode: {} };
      main.stateNode.current = { child: main };
      $("main").append($("h1"));
      $("#root").__reactContainer$x = main;
    },
  ],
};

export const cases = {};
for (const [name, [body, takes, begins]] of Object.entries(SIGNS)) {
  cases[name] = async ({ open }) => {
    const page = await open(body, {
      before: (it) => {
        it.M.change(CHANGE);
        // Runs before the engine checks again, whatever the parser has added by then.
        new it.win.MutationObserver(() => it.$("h1") && begins?.(it)).observe(it.win.document, {
          childList: true,
          subtree: true,
        });
      },
    });
    const { $, css } = page;
    // The computed visibility is not used: WebKit does not run animations of elements that are not drawn anyway.
    equal([$("h1").textContent, $("h1").checkVisibility({ visibilityProperty: true })], ["Old", false], "waits");
    takes(page);
    await until("it is changed and shown", () => $("h1").textContent === "New" && css("h1").visibility === "visible");
  };
}

cases["what no framework owns is changed at once, and never hidden"] = async ({ open }) => {
  const { $, css } = await open("<main><h1>Old</h1></main>", { before: ({ M }) => M.change(CHANGE) });
  equal([$("h1").textContent, css("h1").visibility], ["New", "visible"]);
};

cases["what stands in the body itself waits for nobody"] = async ({ open }) => {
  const change = [{ refEl: "body", dir: "p", htmlBlock: "<p>New</p>" }];
  const { $, css } = await open('<div id="__next"><h1>Old</h1></div>', { before: ({ M }) => M.change(change) });
  equal([$("p").textContent, css("body").visibility], ["New", "visible"]);
};

cases["an element that is gone before it is taken over is a new one when it is back"] = async ({ open }) => {
  const change = [{ target: "h1", innerText: "New", class: "new" }];
  const page = await open('<div data-server-rendered="true"><h1>Old</h1></div>', {
    before: ({ M }) => M.change(change),
  });
  const { $, css } = page;
  const h1 = $("h1");
  equal([h1.textContent, h1.className], ["Old", "new"]);
  h1.remove();
  await until("it is left as the page made it", () => !h1.className);
  $("div").removeAttribute("data-server-rendered");
  $("div").append(h1);
  await until(
    "it is changed",
    () => h1.textContent === "New" && h1.className === "new" && css("h1").visibility === "visible",
  );
};
