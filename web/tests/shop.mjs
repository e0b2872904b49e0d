// The shop of `muriel demo` at the hosts of a test, watched from the first frame on.

import { gate } from "./server.mjs";

/** Headers that are about one connection. */
const HOP = ["connection", "content-encoding", "content-length", "date", "host", "keep-alive", "transfer-encoding"];

const kept = (headers) => Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP.includes(name)));

/** A text with other origins; `pairs` are those before and after. */
const moved = (text, pairs) => pairs.reduce((done, [from, to]) => done.replaceAll(from, to), text);

/**
 * The shop behind `server`, and its Muriel behind `other`, which both keep what is asked of them.
 *
 * Pages, policies and the script name the demo's two origins; visitors get to read the test's in their place, and the demo
 * reads its own again. So each test has cookies and storage of its own. Routes that a test sets itself come first.
 *
 * - `visitor`: the id of who looks at the pages, one in a test; nothing is somebody who was never here.
 * - `phone`: whether the browser says that it is a telephone's.
 * - `first`: a script that runs before all others of a page. `seen` is there, as in `html`.
 * - `whole`: whether nothing of a page is drawn before all of it is there, in engines that can wait (Chromium).
 * - `cuts`: pieces of text; behind each the page stops, until its gate is opened. `gates` are those of the last page.
 */
export class Shop {
  visitor = "";
  phone = false;
  first = "";
  whole = false;
  cuts = [];
  gates = [];

  constructor({ server, other }, demo) {
    const pairs = [
      [demo.site, server.origin],
      [demo.url, other.origin],
    ];
    /** What the shop answers, for routes of a test's own. */
    this.answer = (came) => this.#passed(came, demo.site, pairs);
    server.route("/*", this.answer);
    const muriel = (came) => this.#passed(came, demo.url, pairs);
    other.route("/*", muriel);
    /** Gives the pages the script of another project. */
    this.use = ({ key }) =>
      other.route(`/js/${demo.shop.key}.js`, (came) => muriel({ ...came, path: `/js/${key}.js` }));
  }

  async #passed({ method, path, query, headers, body }, to, pairs) {
    const back = pairs.map(([from, to]) => [to, from]);
    /** @type {RequestInit} */
    const asked = { method, headers: kept(headers), redirect: "manual" };
    if (method === "POST") asked.body = moved(body, back);
    const answer = await fetch(to + path + query, asked);
    const given = Object.entries(kept(Object.fromEntries(answer.headers))).map(([name, value]) => [
      name,
      moved(value, pairs),
    ]);
    const text = moved(await answer.text(), pairs);
    const isPage = answer.headers.get("content-type")?.startsWith("text/html") && answer.ok;
    return { status: answer.status, headers: Object.fromEntries(given), body: isPage ? this.#page(text) : text };
  }

  /** The page with the test's script before the first of its own, with the nonce of that; in parts where it is cut. */
  #page(html) {
    const tag = /<script nonce="\w+"/.exec(html);
    const script = `${tag[0]}>(${before})(${JSON.stringify([this.visitor, this.phone])});${this.first}</script>`;
    let rest = html.slice(0, tag.index) + script + html.slice(tag.index);
    if (this.whole) {
      rest = rest
        .replace("</head>", `<link rel="expect" href="#whole" blocking="render"></head>`)
        .replace("</body>", `<i id="whole"></i></body>`);
    }
    // WebKit draws no frame of a page that has less than 200 letters.
    if (this.cuts.length > 0) rest = rest.replace("<body>", `<body><p class="unseen">${"x".repeat(300)}</p>`);
    const parts = [];
    for (const cut of this.cuts) {
      const end = rest.indexOf(cut) + cut.length;
      if (end < cut.length) throw new Error(`the page has no ${cut}`);
      parts.push(rest.slice(0, end), gate());
      rest = rest.slice(end);
    }
    this.gates = parts.filter((part) => typeof part !== "string");
    return [...parts, rest];
  }
}

/** What runs first in a page. */
function before([visitor, phone]) {
  const is = (name, value) =>
    Object.defineProperty(Navigator.prototype, name, { get: () => value, configurable: true });
  is("webdriver", false);
  if (phone)
    is(
      "userAgent",
      "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
    );
  const seen = (window.seen = { errors: [], rejections: [], blocked: [] });
  addEventListener("error", (event) => {
    if (event.message) seen.errors.push(event.message);
  });
  addEventListener("unhandledrejection", (event) => seen.rejections.push(String(event.reason)));
  document.addEventListener("securitypolicyviolation", (event) => seen.blocked.push(event.effectiveDirective));
  // Of who has an id the script says that they have been here before.
  if (visitor) localStorage.muriel_id ??= visitor;
}

/**
 * A script that looks at every frame of a page: `frames_.drawn` counts them, `frames_.wrong` is what one of them showed
 * that was not changed as wanted, and `frames_.right[n]` how many showed the nth change.
 *
 * `changes` are items of arms' `data`, and `{ css }` for style sheets.
 */
export function watching(changes) {
  // Pages of the shop make no HTML from text, so what is inserted is looked for by its tag and class.
  // What is moved may match its selector no longer, for that says where it was.
  const known = changes.map((change) => {
    const [, tag, name] = /^\s*<(\w+)[^>]*?class="([\w-]+)/.exec(change.htmlBlock ?? "") ?? [];
    return { ...change, htmlBlock: undefined, moved: change.oriEl?.split(" ").at(-1), block: tag && `${tag}.${name}` };
  });
  return `(${watch})(${JSON.stringify(known)});`;
}

function watch(changes) {
  const log = (window.frames_ = { drawn: 0, wrong: [], right: changes.map(() => 0) });
  const all = (selector) => [...document.querySelectorAll(selector)];
  const beside = { a: "nextElementSibling", b: "previousElementSibling", p: "lastElementChild" };

  /** What is wrong with an element that is to be changed; undefined if nothing is. */
  const flaw = (element, { innerText, href, src, class: name, style, dir, moved, block, css }) => {
    const { visibility, opacity } = getComputedStyle(element);
    const attribute = (name, wanted) =>
      wanted !== undefined && element.getAttribute(name) !== wanted && element.getAttribute(name);
    if (visibility !== "visible" || opacity !== "1") return `${visibility}, opacity ${opacity}`;
    if (innerText !== undefined && element.textContent !== innerText) return element.textContent;
    if (name !== undefined && !element.classList.contains(name)) return element.className;
    const rules = document.adoptedStyleSheets.flatMap((sheet) => [...sheet.cssRules]);
    // Styles of elements are rules, too.
    const styles = (property) =>
      rules.some((rule) => rule.style?.getPropertyValue(property) && element.matches(rule.selectorText));
    const isStyled = (property) => element.style.getPropertyValue(property) || styles(property);
    if (style && !style.split(";").every((each) => isStyled(each.split(":")[0].trim())))
      return element.style.cssText || "no style";
    const near = moved ?? block;
    if (near && !element[beside[dir]]?.matches(near)) return `not beside ${near}`;
    if (css) {
      if (!rules.some(({ selectorText }) => selectorText === css.split("{")[0].trim())) return "no style";
    }
    return attribute("href", href) || attribute("src", src) || undefined;
  };

  const look = async () => {
    // A frame paints what mutation observers leave, and those of the parser's last nodes may not have been called yet.
    await null;
    log.drawn += 1;
    changes.forEach((change, at) => {
      const place = change.target ?? change.refEl ?? "body";
      const found = change.moved && !all(change.moved)[0] ? [] : all(place);
      const wrong = found.map((element) => flaw(element, change)).find((each) => each !== undefined);
      if (wrong !== undefined) log.wrong.push(`${place}: ${wrong}`);
      else if (found[0]) log.right[at] += 1;
    });
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/**
 * A script that records layout shifts once the page is parsed, as growth during parsing does not count. `moved_.shift` is the layout shift
 * that Chromium reports, `moved_.elements` the elements that moved.
 */
export const steadiness = `(${steady})();`;

function steady() {
  const places = new Map();
  const moved = (window.moved_ = { shift: 0, elements: [], drawn: 0 });
  if (PerformanceObserver.supportedEntryTypes.includes("layout-shift")) {
    new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (moved.shift += value))).observe({
      type: "layout-shift",
    });
  }
  const look = () => {
    requestAnimationFrame(look);
    if (document.readyState === "loading") return;
    moved.drawn += 1;
    // The list of arms lies above the page and grows with each arm that is met.
    for (const element of document.querySelectorAll("body *:not([data-arms], [data-arms] *)")) {
      const { x, y, width, height } = element.getBoundingClientRect();
      const place = [x, y + scrollY, width, height].map((each) => each.toFixed(1)).join();
      const before = places.get(element);
      if (before && before !== place) moved.elements.push(`${element.outerHTML.slice(0, 60)}: ${before} to ${place}`);
      places.set(element, place);
    }
  };
  requestAnimationFrame(look);
}
