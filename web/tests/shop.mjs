// Serves the shop of `muriel demo` from the hosts of a test, and watches it from the first frame on.

import { gate } from "./server.mjs";

/** Headers that apply to one connection only. */
const HOP = ["connection", "content-encoding", "content-length", "date", "host", "keep-alive", "transfer-encoding"];

const kept = (headers) => Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP.includes(name)));

/** Replaces origins in a text; `pairs` are the old and the new ones. */
const moved = (text, pairs) => pairs.reduce((done, [from, to]) => done.replaceAll(from, to), text);

/**
 * Proxies the shop by `server`, and its Muriel by `other`. Both record their requests.
 *
 * In responses, the demo's two origins are replaced with the test's, and in requests the test's with the demo's. So
 * each test has its own cookies and storage. Routes that a test sets itself take precedence.
 *
 * - `visitor`: the visitor's id, one for a test; empty for a new visitor.
 * - `phone`: true when the browser identifies itself as a phone's.
 * - `first`: a script that runs before all others of a page. It can use `seen`, as in `html`.
 * - `whole`: true when the page is not painted before it is complete, in engines that can wait (Chromium).
 * - `cuts`: pieces of text. After each, the page pauses until its gate is opened. `gates` are those of the last page.
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
    /** Returns the shop's response, for a test's own routes. */
    this.answer = (came) => this.#passed(came, demo.site, pairs);
    server.route("/*", this.answer);
    const muriel = (came) => this.#passed(came, demo.url, pairs);
    other.route("/*", muriel);
    /** Makes the pages load the script of another project. */
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

  /** The page with the test's script before its first own script, with that script's nonce; in parts if it has cuts. */
  #page(html) {
    const tag = /<script nonce="\w+"/.exec(html);
    const script = `${tag[0]}>(${before})(${JSON.stringify([this.visitor, this.phone])});${this.first}</script>`;
    let rest = html.slice(0, tag.index) + script + html.slice(tag.index);
    if (this.whole) {
      rest = rest
        .replace("</head>", `<link rel="expect" href="#whole" blocking="render"></head>`)
        .replace("</body>", `<i id="whole"></i></body>`);
    }
    // WebKit does not draw a page that has less than 200 letters.
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

/** The code that runs first in a page. */
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
  // With a stored id, the script takes the visitor for a returning one.
  if (visitor) localStorage.muriel_id ??= visitor;
}

/**
 * A script that examines every frame of a page. `frames_.drawn` counts the frames, `frames_.wrong` lists elements that
 * a frame showed without the wanted change, and `frames_.right[n]` counts the frames that showed the nth change.
 *
 * `changes` are items of arms' `data`, and `{ css }` for style sheets.
 */
export function watching(changes) {
  // The shop's policy forbids HTML as text, so inserted HTML is found by its tag and class. A moved element may no
  // longer match its selector, which may contain its original position.
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

  /** Describes the difference between an element and its wanted change; undefined if there is none. */
  const flaw = (element, { innerText, href, src, class: name, style, dir, moved, block, css }) => {
    const { visibility, opacity } = getComputedStyle(element);
    const attribute = (name, wanted) =>
      wanted !== undefined && element.getAttribute(name) !== wanted && element.getAttribute(name);
    if (visibility !== "visible" || opacity !== "1") return `${visibility}, opacity ${opacity}`;
    if (innerText !== undefined && element.textContent !== innerText) return element.textContent;
    if (name !== undefined && !element.classList.contains(name)) return element.className;
    const rules = document.adoptedStyleSheets.flatMap((sheet) => [...sheet.cssRules]);
    // Changes of an element's style may be rules, too.
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
    // The shop's list of arms is above the page and grows with each exposure.
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
