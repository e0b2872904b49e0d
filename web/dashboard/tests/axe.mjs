// axe in a page. `axeFindings` runs in the page, so it must not use other parts of this module.

/**
 * Returns the findings of axe, one sentence per rule, and what axe has now checked: `known` with the keys that are new.
 * `rules` selects the rules in addition to those of colours: "all", those "of widths", or none ("of colours"). Rules "of
 * widths" become "all" if the width shows elements that none of the pages before had.
 *
 * `known.places` has a key per place of an element in a page that axe has checked, and `known.colors` one per place
 * of a text and its colours. Pages share much of what they show, so most of it is checked once and not for each page.
 */
export async function axeFindings({ rules, known }) {
  /** Rules that another theme can break. */
  const OF_COLORS = ["color-contrast", "link-in-text-block"];
  /** Rules that another width can break. */
  const OF_WIDTHS = ["scrollable-region-focusable", "target-size"];
  /** With more elements than this, axe takes longer for a list of them than for the whole document. */
  const MANY = 40;
  /** Attributes of what is behind an open dialog or menu, and was checked before it opened. */
  const BEHIND_DIALOGS = /^(aria-hidden|inert|data-base-ui-inert|data-aria-hidden)$/;
  const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

  const [places, colors] = [new Set(known.places), new Set(known.colors)];
  const fresh = { places: new Set(), colors: new Set() };

  const hash = (start, parts) => {
    let value = start;
    for (const letter of parts.join(" ")) value = (Math.imul(value, 31) + letter.codePointAt(0)) | 0;
    return value;
  };
  const kept = new Map();
  /** Keys of an element with those around it: of its place, and of the backgrounds behind it, which contrast depends on. */
  const keysOf = (element) => {
    if (!element) return { place: 7, behind: 7 };
    if (kept.has(element)) return kept.get(element);
    const around = keysOf(element.parentElement ?? element.getRootNode().host);
    const names = element.getAttributeNames().filter((name) => !BEHIND_DIALOGS.test(name));
    const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
    // Attributes and content name an element, or do not.
    const isBare = element.matches("a, button, label, th, h1, h2, h3") && element.textContent.trim() === "";
    const kind = [element.localName, element.getAttribute("class"), element.getAttribute("role")];
    const place = hash(around.place, [...kind, isBare, ...names]);
    const keys = { place, behind: hash(around.behind, [place, backgroundColor, backgroundImage, opacity]) };
    kept.set(element, keys);
    return keys;
  };
  const colorsOf = (element) => {
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    return hash(keysOf(element).behind, [color, fontSize, fontWeight]);
  };
  /** Key of a text that axe cannot check in a window of this width: it is clipped, covered, or over a picture. */
  const skippedOf = (element) => hash(colorsOf(element), [innerWidth]);

  /** Elements with their own text that axe has not met in these colours. */
  const texts = [];
  const collect = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) collect(element.shadowRoot);
      if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const { place } = keysOf(element);
      if (!places.has(place)) fresh.places.add(place);
      const hasText =
        [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "") ||
        element.matches("input, textarea, select");
      if (hasText && !colors.has(colorsOf(element)) && !colors.has(skippedOf(element))) texts.push(element);
    }
  };
  collect(document.body);

  const found = [];
  if (rules !== "of colours") {
    const isAll = rules === "all" || fresh.places.size > 0;
    const disabled = Object.fromEntries(OF_COLORS.map((rule) => [rule, { enabled: false }]));
    const runOnly = isAll ? { type: "tag", values: TAGS } : { type: "rule", values: OF_WIDTHS };
    const options = { resultTypes: ["violations"], runOnly, rules: disabled };
    found.push(...(await window.axe.run(document, options)).violations);
  }
  if (texts.length > 0) {
    const options = {
      resultTypes: ["violations", "passes"],
      runOnly: { type: "rule", values: OF_COLORS },
      elementRef: true,
    };
    const { violations, passes } = await window.axe.run(texts.length > MANY ? document : { include: texts }, options);
    found.push(...violations);
    const checked = [...violations, ...passes]
      .filter(({ id }) => id === "color-contrast")
      .flatMap(({ nodes }) => nodes);
    for (const { element } of checked) fresh.colors.add(colorsOf(element));
    // Another window may show what axe has skipped.
    for (const text of texts) if (!fresh.colors.has(colorsOf(text))) fresh.colors.add(skippedOf(text));
  }

  // Floating menus and lists are not regions of the page. The focus guards next to them pass the focus on at once.
  const isFloating = (rule, node) =>
    (rule === "region" && document.querySelector(node.target[0])?.closest("[data-base-ui-portal]")) ||
    (rule === "aria-hidden-focus" && node.html.includes("data-base-ui-focus-guard"));
  const findings = found
    .map(({ id, nodes }) => ({ id, nodes: nodes.filter((node) => !isFloating(id, node)) }))
    .filter(({ nodes }) => nodes.length > 0)
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, any }) => `${html.slice(0, 200)} ${any[0]?.message ?? ""}`).join(" | ")}`,
    );
  return { findings, known: { places: [...fresh.places], colors: [...fresh.colors] } };
}
