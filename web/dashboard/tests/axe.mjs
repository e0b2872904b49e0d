// axe in a page. `axeFindings` runs in the page, so it must not use other parts of this module.

/**
 * Returns the findings of axe, one sentence each, and what axe has now checked: `known` with the keys that are new.
 * `rules` selects the rules in addition to those of colours: "all", those "of widths", or none ("of colours"). Rules "of
 * widths" become "all" for what none of the pages before had.
 *
 * `known.places` has a key per place of an element that axe has checked, and one per place and width of the window.
 * `known.colors` has a key per place of a text and its colours. Pages share much of what they show, so most of it is
 * checked once and not for each page. With `isWhole`, everything is checked for all rules but those of colours.
 */
export async function axeFindings({ rules, known, isWhole }) {
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

  /** Elements that axe has not met: in any window, and in one of this width. What is inside of others is left out. */
  const [unmet, unmetHere] = [[], []];
  /** Texts that axe has not met in these colours, by key: one for all that look alike. */
  const texts = new Map();
  const meet = (element, key, list) => {
    if (places.has(key)) return;
    fresh.places.add(key);
    if (!list.at(-1)?.contains(element)) list.push(element);
  };
  const collect = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) collect(element.shadowRoot);
      if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const { place } = keysOf(element);
      meet(element, place, unmet);
      meet(element, hash(place, [innerWidth]), unmetHere);
      const hasText =
        [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "") ||
        element.matches("input, textarea, select");
      if (!hasText || colors.has(colorsOf(element)) || colors.has(skippedOf(element))) continue;
      if (!texts.has(colorsOf(element))) texts.set(colorsOf(element), element);
    }
  };
  collect(document.body);

  const found = [];
  /** Results as axe has them. Its own reporters look for a selector of each element, which takes longer than the rules. */
  const reporter = (results, _options, done) => done(results);
  /** Checks elements by rules, and remembers the colours of their texts. Calls are few, as each reads the whole document. */
  const check = async (elements, runOnly, rules = {}) => {
    if (elements.length === 0) return;
    const where = elements.length > MANY || elements[0] === document.body ? document : { include: elements };
    for (const { id, violations, passes } of await window.axe.run(where, { runOnly, rules, reporter })) {
      found.push(...violations.map(({ node, any }) => ({ id, element: node.element, message: any[0]?.message })));
      if (id !== "color-contrast") continue;
      for (const { node } of [...violations, ...passes]) fresh.colors.add(colorsOf(node.element));
    }
  };
  const isUnchecked = (text) => !fresh.colors.has(colorsOf(text));
  const withoutColors = Object.fromEntries(OF_COLORS.map((rule) => [rule, { enabled: false }]));
  const ALL = { type: "tag", values: TAGS };
  if (rules === "all" && isWhole) await check([document.body], ALL, texts.size > MANY ? {} : withoutColors);
  else if (rules !== "of colours") await check(unmet, ALL);
  const isLeft = (element) => isWhole || !unmet.some((one) => one.contains(element));
  const others = rules === "of widths" ? (isWhole ? [document.body] : unmetHere).filter(isLeft) : [];
  await check(
    [
      ...others,
      ...[...texts.values()].filter((text) => isUnchecked(text) && !others.some((one) => one.contains(text))),
    ],
    { type: "rule", values: others.length > 0 ? [...OF_COLORS, ...OF_WIDTHS] : OF_COLORS },
  );
  // Another window may show what axe has skipped.
  for (const text of texts.values()) if (isUnchecked(text)) fresh.colors.add(skippedOf(text));

  // Floating menus and lists are not regions of the page. The focus guards next to them pass the focus on at once.
  const isFloating = ({ id, element }) =>
    (id === "region" && element.closest("[data-base-ui-portal]")) ||
    (id === "aria-hidden-focus" && element.matches("[data-base-ui-focus-guard]"));
  /** True for a target that is only covered because the page is scrolled to a place where a bar is over it. */
  const isBehindBar = ({ id, element, message }) => {
    if (id !== "target-size" || !message?.includes("obscured")) return false;
    const before = scrollY;
    element.scrollIntoView({ block: "center", behavior: "instant" });
    const { left, top, width, height } = element.getBoundingClientRect();
    const isUncovered = [1, 3].every((x) =>
      [1, 3].every((y) => element.contains(document.elementFromPoint(left + (width * x) / 4, top + (height * y) / 4))),
    );
    scrollTo({ top: before, behavior: "instant" });
    return isUncovered;
  };
  const findings = found
    .filter((finding) => !isFloating(finding) && !isBehindBar(finding))
    .map(({ id, element, message = "" }) => `${id}: ${element.outerHTML.slice(0, 200)} ${message}`);
  return { findings, known: { places: [...fresh.places], colors: [...fresh.colors] } };
}
