// axe in a page. `axeFindings` runs in the page, so it must not use other parts of this module.

/**
 * Returns the findings of axe, one sentence per rule. The page remembers which text axe has checked in which colours.
 * `rules` selects the rules in addition to those of colours: "all", those "of widths", or none ("of colours").
 */
export async function axeFindings({ rules: asked }) {
  /** Rules that another theme can break. */
  const OF_COLORS = ["color-contrast", "link-in-text-block"];
  /** Rules that another width can break. */
  const OF_WIDTHS = ["scrollable-region-focusable", "target-size"];
  /** With more elements than this, axe takes longer for a list of them than for the whole document. */
  const MANY = 40;
  const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

  window.judgedTexts ??= new WeakMap();
  const judged = window.judgedTexts;

  /** Data that contrast depends on: the element's own style, and the backgrounds behind it. */
  const colorsOf = (element) => {
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const parts = [color, fontSize, fontWeight];
    for (let one = element; one; one = one.parentElement ?? one.getRootNode().host) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(one);
      parts.push(backgroundColor, backgroundImage, opacity);
    }
    return parts.join(" ");
  };

  /** Elements with their own text that axe has not checked in its current colours. */
  const fresh = [];
  const collect = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) collect(element.shadowRoot);
      const hasText =
        [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "") ||
        element.matches("input, textarea, select");
      if (!hasText || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      if (!judged.get(element)?.has(colorsOf(element))) fresh.push(element);
    }
  };
  collect(document);

  const found = [];
  if (asked !== "of colours") {
    const rules = Object.fromEntries(OF_COLORS.map((rule) => [rule, { enabled: false }]));
    const runOnly = asked === "all" ? { type: "tag", values: TAGS } : { type: "rule", values: OF_WIDTHS };
    const options = { resultTypes: ["violations"], runOnly, rules };
    found.push(...(await window.axe.run(document, options)).violations);
  }
  if (fresh.length > 0) {
    // Text that axe skips because it is clipped or covered does not count as checked: another window may show it.
    const options = {
      resultTypes: ["violations", "passes"],
      runOnly: { type: "rule", values: OF_COLORS },
      elementRef: true,
    };
    const { violations, passes } = await window.axe.run(fresh.length > MANY ? document : { include: fresh }, options);
    found.push(...violations);
    for (const { id, nodes } of [...violations, ...passes]) {
      if (id !== "color-contrast") continue;
      for (const { element } of nodes) judged.set(element, (judged.get(element) ?? new Set()).add(colorsOf(element)));
    }
  }

  // Floating menus and lists are not regions of the page. The focus guards next to them pass the focus on at once.
  const isFloating = (rule, node) =>
    (rule === "region" && document.querySelector(node.target[0])?.closest("[data-base-ui-portal]")) ||
    (rule === "aria-hidden-focus" && node.html.includes("data-base-ui-focus-guard"));
  return found
    .map(({ id, nodes }) => ({ id, nodes: nodes.filter((node) => !isFloating(id, node)) }))
    .filter(({ nodes }) => nodes.length > 0)
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, any }) => `${html.slice(0, 200)} ${any[0]?.message ?? ""}`).join(" | ")}`,
    );
}
