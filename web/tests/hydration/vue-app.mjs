// A Vue page, which a server renders and browsers hydrate.

import { createSSRApp, Fragment, h, ref } from "vue";

export const app = () =>
  createSSRApp({
    setup() {
      const count = ref(0);
      return () =>
        h("main", { id: "m" }, [
          h("h1", { id: "h" }, "Old"),
          h("p", { id: "p" }, ["Old ", h("b", "words")]),
          h("ul", { id: "u" }, [
            h(
              Fragment,
              ["x", "y"].map((id) => h("li", { id, key: id }, "Old")),
            ),
          ]),
          h("button", { onClick: () => count.value++ }, count.value),
          h("p", "x".repeat(600)),
        ]);
    },
  });
