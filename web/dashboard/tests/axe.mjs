// axe in a page. `axeFindings` runs there, so it uses nothing of this module.

/** What axe finds, a sentence for each rule. Keeps in the page which text was examined in which colours. */
export async function axeFindings({ onlyColors }) {
  /** Rules that another theme can break. */
  const OF_COLORS = ["color-contrast", "link-in-text-block"];
  /** From so many elements on, axe takes longer for a list of them than for the document. */
  const MANY = 40;
  const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

  window.examinedTexts ??= new WeakMap();
  const examined = window.examinedTexts;

  /** What contrast depends on: the element's own style, and the backgrounds that are behind it. */
  const colorsOf = (element) => {
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const parts = [color, fontSize, fontWeight];
    for (let one = element; one; one = one.parentElement ?? one.getRootNode().host) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(one);
      parts.push(backgroundColor, backgroundImage, opacity);
    }
    return parts.join(" ");
  };

  /** Visible elements with text of their own that was not examined in the colours it has now. */
  const fresh = [];
  const collect = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) collect(element.shadowRoot);
      const hasText =
        [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "") ||
        element.matches("input, textarea, select");
      if (!hasText || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const colors = colorsOf(element);
      const known = examined.get(element) ?? new Set();
      if (known.has(colors)) continue;
      examined.set(element, known.add(colors));
      fresh.push(element);
    }
  };
  collect(document);

  const run = async (context, options) =>
    (await window.axe.run(context, { resultTypes: ["violations"], ...options })).violations;
  const colors = { runOnly: { type: "rule", values: OF_COLORS } };
  const isFew = fresh.length <= MANY;
  const found = [];
  if (!onlyColors) {
    const rules = { "color-contrast": { enabled: !isFew } };
    found.push(...(await run(document, { runOnly: { type: "tag", values: TAGS }, rules })));
  }
  if (isFew && fresh.length > 0) found.push(...(await run({ include: fresh }, colors)));
  else if (!isFew && onlyColors) found.push(...(await run(document, colors)));

  // Menus and lists that float are not regions of the page, and the guards beside them hand the focus on at once.
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
