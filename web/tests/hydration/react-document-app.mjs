// A React document: React renders everything from `<html>` on, as in React Router, TanStack Start, Waku and Next.

import { createElement as e, useState } from "react";

export function Document() {
  const [count, set] = useState(0);
  return e(
    "html",
    { lang: "en" },
    e("head", null, e("title", null, "Fixture")),
    e(
      "body",
      null,
      e("div", { id: "x" }, "Old"),
      e(
        "main",
        { id: "m" },
        e("h1", { id: "h" }, "Old"),
        e("p", { id: "p" }, "Old ", e("b", null, "words")),
        e("p", { id: "y" }, "Old"),
        e("button", { onClick: () => set(count + 1) }, count),
        e("p", null, "x".repeat(600)),
      ),
    ),
  );
}
