// A page of two that are compared: the one with arms, or its twin without the script.

import { untranslated } from "../wrapping.mjs";

/**
 * Containers have a `c` in their id: nodes are put into them, and they are not moved themselves. The heading is not moved
 * either, as arms put elements next to it.
 */
export const BODY = `<main id="c0"><h1 id="h">Title</h1><p id="c1">Some <b id="b">words</b> here</p><p id="c2" class="k">plain</p>
<ul id="c3"><li id="i1">one</li><li id="i2">two <i id="s">sub</i></li><li id="i3" class="z">three</li><li id="i4">four</li></ul>
<div id="c4"><span id="i5">five</span></div>
<nav id="c6"><a id="a" href="/old" title="old" class="k z l" style="color: red; margin-left: 2px">link</a>
<input id="go" type="submit" value="Go"><input id="in" placeholder="old">
<picture id="pic"><source id="so" srcset="data:,s"><img id="img" src="data:,old" srcset="data:,t"></picture></nav>
<div id="host"></div><div id="late"></div></main>`;

/** The content of shadow roots by the id of their host. The root of `late` is attached by an operation. */
export const ROOTS = {
  host: `<div id="c5">in <b id="j1" class="l">the</b> shadow</div>`,
  late: `<p id="c7">late <i id="j2">root</i></p>`,
};

const isElement = (node) => node.nodeType === 1;
export const isContainer = (node) => isElement(node) && /^c\d/.test(node.id);
/** Returns whether a node is not moved or replaced. */
export const isFixed = (node) => /^(c\d|h)$/.test(node.id ?? "");
/** Returns whether an element was put around others by a script that wraps texts. */
export const isWrapper = (node) => /^(w|font)$/.test(node.localName ?? "");

/** The parent of a node, also through the border of a shadow root. */
const above = (node) => node.parentNode ?? node.host;
/** Returns whether a node is another one or contains it, also in shadow roots. */
export const holds = (outer, node) => {
  for (; node; node = above(node)) if (node === outer) return true;
  return false;
};

/** A page with numbers for its own nodes, which are the same in a page and its twin. */
export class Side {
  /** True once a translator has translated the page. */
  isTranslated = false;

  constructor(page) {
    this.page = page;
    this.doc = page.win.document;
    this.nodes = [];
    this.numbers = new Map();
    /** Copies that the page has made of its own elements, with what an arm had set on them. */
    this.copies = new Set();
    this.add(this.doc.body, true);
    this.attach(page.$("#host"));
  }

  /** Numbers the nodes of a subtree. */
  add(node, isRoot) {
    if (!isRoot) {
      this.numbers.set(node, this.nodes.length);
      this.nodes.push(node);
    }
    node.childNodes.forEach((child) => this.add(child));
    return node;
  }

  make(text, isText) {
    return this.add(isText ? this.doc.createTextNode(text) : this.page.make("em", text));
  }

  attach(host) {
    const root = host.attachShadow({ mode: "open" });
    root.innerHTML = ROOTS[host.id];
    this.add(root, true);
  }

  /** The elements that a selector of an arm matches. */
  find(selector) {
    const [first, ...inner] = selector.split(" >>> ");
    return inner.reduce(
      (found, part) => found.flatMap(({ shadowRoot }) => [...(shadowRoot?.querySelectorAll(part) ?? [])]),
      [...this.doc.querySelectorAll(first)],
    );
  }

  /** The own nodes of the page that are in the document. */
  here() {
    return this.nodes.filter((node) => node.isConnected);
  }
}

/** Effects of arms on a page, by the numbers of its own nodes. */
export class View {
  /** HTML in place of the content of elements. */
  content = new Map();
  /** HTML, and numbers of moved elements, before and after elements and at the end of their content. */
  b = new Map();
  a = new Map();
  p = new Map();
  moved = new Set();
  /** Functions that change the attributes of elements. */
  attributes = new Map();
  /** Names of attributes, and of declarations with a colon before them, that are not compared. */
  hidden = new Map();

  put(dir, near, what) {
    const there = this[dir].get(near) ?? [];
    this[dir].set(near, dir === "a" ? [what, ...there] : [...there, what]);
  }
  /** Takes an element out of where it is: of several arms that move it, the last one does. */
  take(element) {
    this.moved.add(element);
    for (const places of [this.b, this.a, this.p])
      for (const [near, all] of places)
        places.set(
          near,
          all.filter((each) => each !== element),
        );
  }
  change(element, change) {
    this.attributes.set(element, [...(this.attributes.get(element) ?? []), change]);
  }
  hide(element, ...names) {
    this.hidden.set(element, [...(this.hidden.get(element) ?? []), ...names]);
  }
  /** A view that shows nothing, and hides the same. */
  get plain() {
    return Object.assign(new View(), { hidden: this.hidden });
  }
}

const words = (text) => (text ?? "").split(/\s+/).filter(Boolean);

/**
 * The attributes of an element as text: names, classes and declarations are in order, and those that are empty left out.
 */
function attributesOf(element, number, view) {
  const found = new Map([...element.attributes].map(({ name, value }) => [name, value]));
  for (const change of view.attributes.get(number) ?? []) change(found);
  const hidden = view.hidden.get(number) ?? [];
  const { style } = element;
  const declarations = [...style]
    .filter((name) => !hidden.includes(`:${name}`))
    .map((name) => `${name}:${style.getPropertyValue(name)}${style.getPropertyPriority(name) && "!"}`);
  found.set("style", declarations.sort().join(";"));
  found.set("class", words(found.get("class")).sort().join(" "));
  return [...found]
    .filter(([name, value]) => !hidden.includes(name) && (value || !/^(style|class)$/.test(name)))
    .map(([name, value]) => ` ${name}="${value}"`)
    .sort()
    .join("");
}

/**
 * The page as text with the numbers of its own nodes: without comments and wrappers, with adjacent texts as one, and as
 * a view shows it. Without `isWhole`, texts have no numbers.
 *
 * @param {Side} side
 */
export function print({ doc, numbers, nodes }, view, isWhole) {
  const numbered = (node, mark) => (numbers.has(node) ? `${mark}${numbers.get(node)} ` : "");
  const list = (children) =>
    [...children]
      .filter((node) => !view.moved.has(numbers.get(node)))
      .map(printed)
      .join("");
  const beside = (what) =>
    (what ?? []).map((each) => (typeof each === "string" ? each : printed(nodes[each]))).join("");
  const printed = (node) => {
    if (node.nodeType === 3) return (isWhole && node.data.trim() ? numbered(node, "'") : "") + node.data;
    if (!isElement(node)) return "";
    const number = numbers.get(node);
    const inner = (view.content.get(number) ?? list(node.childNodes)) + beside(view.p.get(number));
    if (isWrapper(node)) return inner;
    const root = node.shadowRoot ? `{${list(node.shadowRoot.childNodes)}}` : "";
    const start = `<${node.localName}${numbered(node, " ")}${attributesOf(node, number, view)}>`;
    return `${beside(view.b.get(number))}${start}${root}${inner}</${node.localName}>${beside(view.a.get(number))}`;
  };
  return untranslated(list(doc.body.childNodes)).replace(/\s+/g, " ");
}
