// A React page, which a server streams and browsers hydrate: a heading, a list, and a part that is delayed in both.

import { createElement as e, Suspense, useState } from "react";

/** `Late` is the component of the delayed part. On a server and in a browser it waits for different things. */
export function App({ Late }) {
  const [count, set] = useState(0);
  return e(
    "main",
    { id: "m" },
    e("h1", { id: "h" }, "Old"),
    e("p", { id: "p" }, "Old ", e("b", null, "words")),
    e(
      "ul",
      { id: "u" },
      ["x", "y"].map((id) => e("li", { id, key: id }, "Old")),
    ),
    e("button", { onClick: () => set(count + 1) }, count),
    e(Suspense, { fallback: e("p", { id: "f" }, "Loading") }, e(Late)),
    e("p", null, "x".repeat(600)),
  );
}

export const Part = () =>
  e(
    "section",
    { id: "s" },
    e("h2", { id: "l" }, "Old"),
    e("div", { dangerouslySetInnerHTML: { __html: "<i id='r'>Old</i>" } }),
  );
