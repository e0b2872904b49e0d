// Lists of products that Vue and React render without keys: an element shows another product after the next rendering.

import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { flushSync } from "react-dom";
import { createApp, h, nextTick, shallowRef } from "vue";

/** The list, created by `make`, the framework's function for elements. */
const list = (make, products, { tab = "All" } = {}) =>
  make("section", { id: tab }, [
    make("h1", { key: "h" }, `${tab} of them`),
    make(
      "ul",
      { key: "u" },
      products.map(({ sku, price, sold }, at) =>
        make(
          "li",
          { key: at, "data-sku": sku, id: `p-${sku}`, [make === h ? "class" : "className"]: sold ? "row sold" : "row" },
          [
            make("b", { key: "b" }, `${sku} costs ${price}`),
            make("p", { key: "p" }, ["About ", make("i", { key: "i" }, sku)]),
            make("a", { key: "a", href: `/${sku}` }, "more"),
            make("img", { key: "m", src: `data:,${sku}`, alt: "" }),
          ],
        ),
      ),
    ),
  ]);

/** Renders a list into an element. Returns a function that renders another list, and one that ends it. */
export const frameworks = {
  async vue(into, ...first) {
    const state = shallowRef(first);
    const app = createApp({ render: () => list(h, ...state.value) });
    app.mount(into);
    return [async (...next) => ((state.value = next), nextTick()), () => app.unmount()];
  },
  async react(into, ...first) {
    const root = createRoot(into);
    const draw = (...next) => flushSync(() => root.render(list(createElement, ...next)));
    draw(...first);
    return [async (...next) => draw(...next), () => flushSync(() => root.unmount())];
  },
};
