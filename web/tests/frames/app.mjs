// An application of React, as servers render it and browsers take it over.

import { createElement as e, Fragment, useEffect, useState } from "react";
import { flushSync } from "react-dom";

/**
 * What it shows follows from its state: `n` a number, `order` of the list, `words` of a heading, `gone` the ids of
 * elements that are not there, and `main` whether all but the footer is. `told` gets `update`, which sets some of that,
 * once browsers show it.
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
