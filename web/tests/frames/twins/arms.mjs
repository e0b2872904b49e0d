// Changes of arms, and what a page shows with them.

import { View } from "./side.mjs";

/** `OURS` in our content becomes the mark of one arm, which is on the page once for each match of the arm at most. */
const CHANGES = [
  { target: "#c1", innerHTML: "<s>OURS</s>" },
  { target: "#c1", innerText: "OURS" },
  { target: "#c2", innerText: "OURS" },
  { target: "#c2", innerHTML: "OURS <s>x</s>" },
  { target: "#c3", innerHTML: "<li>OURS</li>" },
  { target: "#c4", innerText: "OURS\nlines" },
  { target: "#b", innerText: "OURS" },
  { target: "#i1", innerHTML: "<b>OURS</b>" },
  { target: ".z", innerText: "OURS" },
  { target: "#host >>> #c5", innerText: "OURS" },
  { target: "#host >>> #j1", innerHTML: "<u>OURS</u>" },
  { target: "#late >>> #c7", innerHTML: "<b>OURS</b>" },
  { target: "#i1", outerHTML: "<li>OURS</li>" },
  { target: "#i3", outerHTML: "<li>OURS</li>" },
  { target: "#host >>> #j1", outerHTML: "<u>OURS</u>" },
  { refEl: "#i2", dir: "a", htmlBlock: "<li>OURS</li>" },
  { refEl: "#c3", dir: "p", htmlBlock: "<li>OURS</li>" },
  { refEl: "#h", dir: "b", htmlBlock: "OURS" },
  { refEl: ".z", dir: "a", htmlBlock: "<u>OURS</u>" },
  { refEl: "#host >>> #j1", dir: "b", htmlBlock: "<u>OURS</u>" },
  { oriEl: "#i3", refEl: "#h", dir: "a" },
  { oriEl: "#i4", refEl: "#c3", dir: "p" },
  { oriEl: "#i1", refEl: "#i3", dir: "a" },
  { oriEl: "#i2", refEl: "#c4", dir: "p" },
  { oriEl: "#i5", refEl: "#i1", dir: "b" },
  { oriEl: "#host >>> #j1", refEl: "#h", dir: "a" },
  { oriEl: "#i5", refEl: "#host >>> #c5", dir: "p" },
  { target: "#a", href: "/ours" },
  { target: "#a", attributes: { title: "ours", "aria-label": "ours" } },
  { target: "[title=old]", attributes: { title: "ours" } },
  { target: "#in", attributes: { placeholder: "ours", value: "ours" } },
  { target: "#go", innerText: "OURS" },
  { target: "#img", src: "data:,ours" },
  { target: "#a", class: "ours -k" },
  { target: "#c2", class: "ours" },
  { target: ".k", class: "ours -k" },
  { target: "#host >>> #j1", class: "ours -l" },
  { target: "#a", style: "color: blue; margin-left: 7px" },
  { target: ".z", style: "margin-left: 7px" },
  { target: "#c2", style: { color: "blue" } },
  { target: "#host >>> #j1", style: "color: blue" },
  { target: "#a", innerText: "OURS", href: "/ours", class: "ours -k", style: "color: blue" },
  { target: "#i3", innerHTML: "<b>OURS</b>", class: "ours", attributes: { title: "ours" } },
  { rm: "#i5" },
  { rm: ".z" },
  { rm: "#host >>> #j1" },
];

/** Computed values of the declarations in changes. */
const COMPUTED = { blue: "rgb(0, 0, 255)", "7px": "7px", none: "none" };
/** Properties that arms and pages change. */
const PROPERTIES = ["color", "margin-left", "display"];

const words = (text) => (text ?? "").split(/\s+/).filter(Boolean);

/** A change of an arm, and its effects as data. */
export class Arm {
  /**
   * @param {number} number
   * @param {number} mark
   * @param {boolean} isKept Whether the change is made again after the page has reverted it.
   */
  constructor(number, mark, isKept) {
    this.isKept = isKept;
    this.mark = `OURS${mark}`;
    this.item = JSON.parse(JSON.stringify(CHANGES[number % CHANGES.length]).replaceAll("OURS", this.mark));
    const { target, rm, refEl, oriEl } = this.item;
    this.selector = target ?? rm ?? oriEl ?? refEl;
    this.near = oriEl && refEl;
    /** The elements of the twin that the arm has matched, and the one next to which it has put them. */
    this.seen = new Set();
    this.beside = undefined;
    this.html = this.#html();
    this.attributes = this.#attributes();
    this.declarations = this.#declarations();
  }

  /** The content of the element, as `print` shows it. */
  #html() {
    const { innerHTML, innerText, target } = this.item;
    return innerHTML ?? (target === "#go" ? undefined : innerText?.replace("\n", "<br></br>"));
  }

  #attributes() {
    const { href, src, attributes, innerText, target } = this.item;
    return { ...attributes, ...(href && { href }), ...(src && { src }), ...(target === "#go" && { value: innerText }) };
  }

  /** Pairs of a property and its value. */
  #declarations() {
    const { style, rm, outerHTML } = this.item;
    if (rm || outerHTML) return [["display", "none"]];
    if (typeof style === "object") return Object.entries(style);
    return (style ?? "")
      .split(";")
      .filter(Boolean)
      .map((each) => each.split(":").map((part) => part.trim()));
  }

  toString() {
    return `${JSON.stringify(this.item)}${this.isKept ? "" : " once"}`;
  }

  /** The HTML that is put next to the element. */
  get block() {
    return this.item.htmlBlock ?? this.item.outerHTML;
  }

  /** The elements that the arm changes, if it can. */
  matches(side) {
    const found = side.find(this.selector);
    return this.near && !side.find(this.near)[0] ? [] : found;
  }

  /** Adds to a view what the arm shows on an element of the twin, which has a number. */
  show(view, twin, element) {
    const { dir, class: names, src } = this.item;
    if (this.html !== undefined) view.content.set(element, this.html);
    if (this.block) view.put(dir ?? "a", element, this.block);
    if (this.near) {
      view.take(element);
      view.put(dir, twin.numbers.get(twin.find(this.near)[0]), element);
    }
    for (const [name, value] of Object.entries(this.attributes)) {
      view.change(element, (found) => found.set(name, value));
    }
    if (names) {
      view.change(element, (found) => {
        let all = words(found.get("class"));
        for (const name of words(names)) {
          all = all.filter((other) => other !== name.replace("-", ""));
          if (name[0] !== "-") all.push(name);
        }
        found.set("class", all.join(" "));
      });
    }
    // It is enough that they are seen, by a style rule or in the element's own style.
    view.hide(element, ...this.declarations.map(([name]) => `:${name}`));
    // It takes precedence over `src`. The arm removes it where the picture was when the arm came.
    if (src) for (const node of twin.nodes.keys()) view.hide(node, "srcset");
  }

  /** Hides on copies of elements what they may have been copied with. */
  hideOn(view, copies) {
    const names = [...Object.keys(this.attributes), this.item.src && "srcset", this.item.class && "class"];
    for (const copy of copies) view.hide(copy, ...names, ...this.declarations.map(([name]) => `:${name}`));
  }
}

/** Returns whether an element is strictly within another one. */
const isWithin = (element, outer) => {
  for (let node = element.parentNode ?? element.host; node; node = node.parentNode ?? node.host)
    if (node === outer) return true;
  return false;
};

/**
 * Returns whether the effect of arms depends on their order and on what was on the page before: an element of one is in
 * content that another has replaced, or one changes an attribute that another's selector names.
 *
 * @param {Arm[]} arms
 */
export function areTangled(arms, twin) {
  const isNamed = arms[1] && arms.some(({ item }) => item.class || item.attributes);
  if (isNamed && arms.some(({ selector }) => /[.[]/.test(selector))) return true;
  // An element that is moved into or out of a shadow root is not what another selector matches any more.
  const across = arms.filter(({ near, selector }) => near && `${near}${selector}`.includes(">>>"));
  if (across[0] && (arms[1] || !twin.find(across[0].selector)[0])) return true;
  const replaced = arms.filter(({ html }) => html !== undefined).flatMap((arm) => arm.matches(twin));
  const near = arms.flatMap((arm) => (arm.near ? twin.find(arm.near) : []));
  // The element next to which another is put is looked for once.
  for (const arm of arms.filter((each) => each.near)) {
    const [element] = twin.find(arm.near);
    if (!element && arm.beside?.isConnected) return true;
    arm.beside = element;
  }
  // An element that has matched may be there when the content is restored.
  for (const arm of arms) for (const element of twin.find(arm.selector)) arm.seen.add(element);
  const all = [...arms.flatMap(({ seen }) => [...seen]), ...near];
  if (all.some((element) => replaced.some((outer) => isWithin(element, outer)))) return true;
  // An element cannot be moved next to one that is in it.
  const moved = arms.filter((arm) => arm.near).flatMap((arm) => arm.matches(twin));
  return near.some((element) => moved.some((outer) => outer === element || isWithin(element, outer)));
}

/**
 * The views of a twin's page with arms: more than one where the order of effects is not defined, or where arms have been given
 * up, which are shown or not.
 *
 * @param {Arm[]} arms
 * @param {Arm[]} left Arms that were shown before.
 * @param {(arm: Arm) => boolean} isGivenUp
 */
export function views(arms, left, twin, isGivenUp) {
  const all = [];
  for (const order of [arms, arms.toReversed()]) {
    const pairs = order.flatMap((arm) => arm.matches(twin).map((element) => [arm, twin.numbers.get(element)]));
    const open = pairs.filter(([arm]) => isGivenUp(arm)).slice(0, 4);
    for (let shown = 0; shown < 1 << open.length; shown++) {
      const view = new View();
      for (const pair of pairs) {
        const at = open.indexOf(pair);
        if (at < 0 || (shown >> at) & 1) pair[0].show(view, twin, pair[1]);
        // What a style rule shows is not given up.
        else view.hide(pair[1], ...pair[0].declarations.map(([name]) => `:${name}`));
      }
      for (const arm of [...arms, ...left]) arm.hideOn(view, twin.copies);
      all.push(view);
    }
  }
  return all;
}

/**
 * Compares computed styles of the page's own elements. Returns a description of the first difference, or undefined.
 *
 * @param {Arm[]} arms
 */
export function styled(arms, ours, twin, isGivenUp) {
  const effects = new Map();
  /** Elements whose descendants inherit another color. */
  const colored = [];
  for (const arm of arms) {
    for (const element of arm.matches(twin)) {
      effects.set(element, [...(effects.get(element) ?? []), arm]);
      if (arm.near || arm.declarations.some(([name]) => name === "color")) colored.push(element);
    }
  }
  for (const [at, node] of twin.nodes.entries()) {
    const mine = ours.nodes[at];
    if (node.nodeType !== 1 || !node.isConnected || !mine.isConnected || twin.copies.has(at)) continue;
    const all = effects.get(node) ?? [];
    const isInherited =
      colored.some((element) => isWithin(node, element)) || all.some(({ near, item: { href } }) => near || href);
    const [is, was] = [ours.page.win.getComputedStyle(mine), twin.page.win.getComputedStyle(node)];
    for (const name of isInherited ? PROPERTIES.slice(1) : PROPERTIES) {
      const here = all.filter(({ declarations }) => declarations.some(([property]) => property === name));
      const wanted = here.flatMap(({ declarations }) =>
        declarations.filter(([property]) => property === name).map(([, value]) => COMPUTED[value]),
      );
      if (!wanted[0] || here.some(isGivenUp)) wanted.push(was.getPropertyValue(name));
      const value = is.getPropertyValue(name);
      if (!wanted.includes(value)) return `${name} of <${node.localName} ${node.id}> is ${value}, not ${wanted}`;
    }
  }
}
