// Runs in a page before its own scripts. Records what frames show of each item of the arms' `data`, errors, and layout
// shift.
//
// `watch(items)` is called once. `watched.frames()` returns what frames showed, `watched.texts()` the page's current
// texts.

// biome-ignore lint/correctness/noUnusedVariables: visit.mjs calls it in the page.
function watch(items) {
  // Automated browsers have true here, and the script then runs no experiments. A visitor's browser has false.
  Object.defineProperty(Navigator.prototype, "webdriver", { get: () => false, configurable: true });

  const errors = [];
  const note = (text) => errors.push(String(text).slice(0, 300));
  const { error } = console;
  console.error = (...given) => {
    note(given.join(" "));
    error.apply(console, given);
  };
  addEventListener(
    "error",
    ({ message, target }) => note(message ?? `no ${target.localName} at ${target.src ?? target.href}`),
    true,
  );
  addEventListener("unhandledrejection", ({ reason }) => note(reason));
  document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) =>
    note(`blocked: ${effectiveDirective}`),
  );

  let shift = 0;
  const canShift = PerformanceObserver.supportedEntryTypes.includes("layout-shift");
  if (canShift) {
    const add = (list) =>
      list.getEntries().forEach(({ value, hadRecentInput }) => (shift += hadRecentInput ? 0 : value));
    new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
  }

  const plain = (text) => text.replace(/\s+/g, " ").trim();
  // Not parsed as HTML: the page's policy may forbid that.
  const textOf = (markup) => plain(markup.replace(/<[^>]*>/g, ""));

  /** All matches, also in open shadow roots by `host >>> inner`. */
  function all(selector) {
    const [first, ...inner] = selector.split(/\s*>>>\s*/);
    return inner.reduce(
      (hosts, each) => hosts.flatMap((host) => [...(host.shadowRoot?.querySelectorAll(each) ?? [])]),
      [...document.querySelectorAll(first)],
    );
  }

  const isSeen = (element) =>
    element.isConnected &&
    element.checkVisibility({
      visibilityProperty: true,
      opacityProperty: true,
      checkVisibilityCSS: true,
      checkOpacity: true,
    }) &&
    // Excludes elements that are visible to screen readers only.
    [...element.getClientRects()].some(({ width, height }) => width > 1 && height > 1);

  const beside = { a: "nextElementSibling", b: "previousElementSibling", p: "lastElementChild" };
  const declarations = (style) =>
    style
      .split(";")
      .filter((each) => each.trim())
      .map((each) => [each.slice(0, each.indexOf(":")).trim(), plain(each.slice(each.indexOf(":") + 1))]);

  /** The elements that an item changes. */
  const place = ({ target, rm, refEl }) => all(target ?? rm ?? refEl);

  /** Returns whether a visible element is as the arm wants it. */
  function isChanged(element, item) {
    if (item.rm || item.outerHTML) return false;
    const next = () => element[beside[item.dir]];
    if (item.oriEl) return all(item.oriEl).includes(next());
    if (item.htmlBlock) return !!next() && plain(next().textContent) === textOf(item.htmlBlock);
    const words = item.innerText ?? item.textContent ?? (item.innerHTML && textOf(item.innerHTML));
    if (words !== undefined && plain(element.textContent) !== words) return false;
    if (
      item.style &&
      !declarations(item.style).every(([name, value]) => getComputedStyle(element).getPropertyValue(name) === value)
    )
      return false;
    if (item.class && !item.class.split(" ").every((name) => element.classList.contains(name))) return false;
    return ["src", "href"].every((name) => item[name] === undefined || element.getAttribute(name) === item[name]);
  }

  /** The text that each item sets, by which its content is recognised anywhere on the page. */
  const words = items
    .map((item) => item.innerText ?? item.textContent ?? item.innerHTML ?? item.htmlBlock ?? item.outerHTML ?? "")
    .map(textOf);

  /**
   * Returns whether an item applies to the current view. With `view`, a selector, it applies only where that is
   * visible.
   */
  const isDue = ({ view }) => !view || all(view).some(isSeen);

  /** Returns whether an element is one that an item changed, or is within one. */
  function isOwned(element, item) {
    if (!isDue(item)) return false;
    const within = (other) => other?.contains(element);
    if (item.oriEl) return all(item.oriEl).some(within);
    if (item.htmlBlock)
      return (
        plain(textContentOf(element, words[items.indexOf(item)])) !== "" &&
        place(item).some((ref) => within(ref[beside[item.dir]]))
      );
    if (item.outerHTML) return place(item).some((each) => within(each) || within(each.nextElementSibling));
    return !(item.style || item.class || item.src || item.href) && place(item).some(within);
  }
  // A block is recognised by its text, as without the script another element is in its place.
  const textContentOf = (element, wanted) => {
    for (let at = element; at; at = at.parentElement) if (plain(at.textContent) === wanted) return wanted;
    return "";
  };

  /** Each visible text that `isWanted` accepts, with its element, including texts in open shadow roots. */
  function* texts(root = document.body, isWanted = (text) => text !== "") {
    for (const node of root.childNodes) {
      if (node.nodeType === 3) {
        const text = plain(node.data);
        const element = node.parentElement ?? root.host;
        if (isWanted(text) && isSeen(element)) yield [text, element];
      }
      if (node.nodeType !== 1 || /^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE)$/.test(node.tagName)) continue;
      if (node.shadowRoot) yield* texts(node.shadowRoot, isWanted);
      // Slotted content is visited where it is in the document; its place in the shadow root does not matter here.
      yield* texts(node, isWanted);
    }
  }

  const frames = { drawn: 0, original: items.map(() => 0), changed: items.map(() => 0), elsewhere: 0, examples: [] };
  const example = (text) => frames.examples.length < 5 && !frames.examples.includes(text) && frames.examples.push(text);

  function look() {
    if (!document.body) return;
    frames.drawn += 1;
    items.forEach((item, at) => {
      if (!isDue(item)) return;
      const seen = place(item).filter(isSeen);
      const wrong = seen.find((element) => !isChanged(element, item));
      if (wrong) {
        frames.original[at] += 1;
        if (window.muriel?.track)
          example(`original of ${item.target ?? item.rm ?? item.refEl}: ${plain(wrong.textContent).slice(0, 60)}`);
      } else if (seen.length > 0 || ((item.rm || item.outerHTML) && place(item).length > 0)) frames.changed[at] += 1;
    });
    const stray = strays()[0];
    if (stray) {
      frames.elsewhere += 1;
      example(`not where it belongs: ${stray}`);
    }
  }

  /** Texts of arms in places where they do not belong. */
  function strays() {
    const found = [];
    for (const [text, element] of texts(document.body, (text) => text !== "" && words.includes(text))) {
      items.forEach((item, at) => {
        if (text === words[at] && !isOwned(element, item)) found.push(`${text} in ${element.outerHTML.slice(0, 80)}`);
      });
    }
    return found;
  }

  // A task right after the frame sees what was painted: everything that runs before painting has run, including the
  // page's animation frame callbacks and resize observers.
  const channel = new MessageChannel();
  channel.port1.onmessage = look;
  requestAnimationFrame(function frame() {
    channel.port2.postMessage(0);
    requestAnimationFrame(frame);
  });

  window.watched = {
    all,
    frames: () => ({ ...frames, errors, shift: canShift ? shift : null }),
    /**
     * The current texts of the page: `own` has the texts that no arm changes, in order, marked where they have an arm's
     * style; `counts` has for each item the number of visible elements, and how many of them are as the arm wants them.
     */
    texts(ignored = []) {
      const own = [];
      const marks = items.flatMap((item) => (item.style ? [[item, declarations(item.style)]] : []));
      const skipped = new Set(ignored.flatMap(all));
      for (const [text, element] of texts()) {
        if (items.some((item) => isOwned(element, item)) || [...skipped].some((each) => each.contains(element)))
          continue;
        const styled = marks.some(
          ([item, all]) =>
            !(isDue(item) && place(item).some((each) => each.contains(element))) &&
            all.every(([name, value]) => getComputedStyle(element).getPropertyValue(name) === value),
        );
        own.push(styled ? `${text} (styled)` : text);
      }
      const counts = items.map((item) => {
        const seen = isDue(item) ? place(item).filter(isSeen) : [];
        return [seen.length, seen.filter((element) => isChanged(element, item)).length];
      });
      return { own, counts, strays: strays() };
    },
    /** Waits until so many frames have been examined. */
    async pass(count) {
      const end = frames.drawn + count;
      while (frames.drawn < end) await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    },
  };
}
