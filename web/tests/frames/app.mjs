// A React application, which servers render and browsers hydrate.

import { createElement as e, Fragment, useEffect, useState } from "react";
import { flushSync } from "react-dom";

/**
 * Renders its state: `n` is a number, `order` the order of the list, `words` the text of a heading, and `gone` has the
 * ids of elements that are left out. With `main` false, only the footer is rendered. `told` is called with `update`,
 * which sets a part of the state, once browsers show it.
 */
export function App({ told }) {
  const [state, set] = useState({ n: 0, order: "xyz", words: "Words", gone: "", main: true });
  useEffect(() => told?.((next) => flushSync(() => set((old) => ({ ...old, ...next })))), [told]);
  const { n, order, words, gone, main } = state;
  const unless = (id, node) => (gone.includes(id) ? null : node);
  const parts = () => [
    unless(
      "t",
      e("h1", { key: "t", id: "t", className: `big${n || ""}`, style: { color: n ? "green" : "black" } }, "Title ", n),
    ),
    unless("p", e("p", { key: "p", id: "p" }, "One ", unless("b", e("b", { id: "b" }, "two", n || null)))),
    unless("w", e("h2", { key: "w", id: "w" }, words)),
    unless(
      "u",
      e(
        "ul",
        { key: "u", id: "u" },
        [...order].map((id) => e("li", { id, key: id }, id)),
      ),
    ),
    unless("l", e("a", { key: "l", id: "l", href: n ? `/n${n}` : "/old" }, "link")),
    unless("i", e("img", { key: "i", id: "i", src: "data:,old", srcSet: "data:,old 2x", alt: "" })),
    unless("a", e("aside", { key: "a", id: "a" }, "aside")),
  ];
  return e(Fragment, null, main && e("main", { id: "m" }, ...parts()), e("footer", { id: "f" }, "foot", n || null));
}
