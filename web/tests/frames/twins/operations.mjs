// Operations of pages on their own nodes.
//
// An operation is a list of numbers, which are resolved to nodes by the current content of the twin. So a failing
// sequence can be shortened by leaving out operations.

import { holds, isContainer, isFixed, isWrapper } from "./side.mjs";

export const pick = (list, number) => list[number % list.length];
const isElement = (node) => node.nodeType === 1;

/**
 * Resolves the numbers of an operation to nodes: a container in the document, a node that may be put there, and a child
 * of the container or null. After a translator has started, all of them are elements, as it replaces texts.
 *
 * @param {any} side
 * @param {number[]} numbers
 */
const inside = (side, [container, child, other]) => {
  const here = side.here();
  const ids = here.map(({ id }) => id);
  // A text that a script has wrapped belongs to that script.
  const isText = (node) =>
    !side.isTranslated && node.nodeType === 3 && node.data.trim() && !(node.parentNode && isWrapper(node.parentNode));
  const into = pick(here.filter(isContainer), container);
  const isRoot = into.getRootNode() === side.doc;
  const movable = side.nodes.filter(
    (node) =>
      !isFixed(node) &&
      (isRoot || !/^(host|late)$/.test(node.id ?? "")) &&
      (isElement(node) ? node.isConnected || !node.id || !ids.includes(node.id) : isText(node)) &&
      !holds(node, into),
  );
  const children = [...into.childNodes].filter(
    (node) => side.numbers.has(node) && (isElement(node) || !side.isTranslated),
  );
  return { into, moved: pick(movable, child), beside: pick([...children, null], other), children };
};
const named = ({ numbers }, ...wanted) => wanted.map((node) => (node ? numbers.get(node) : -1));
const two = (side, numbers) => {
  const { into, moved, beside } = inside(side, numbers);
  return beside !== moved && named(side, into, moved, beside);
};
/**
 * Resolves to a container, a node, and a child of the container next to which or in place of which the node may be put.
 */
const three = (side, numbers) => {
  const { into, moved, children } = inside(side, numbers);
  const beside = pick(
    children.filter((node) => node !== moved && !isFixed(node)),
    numbers[2],
  );
  return beside && !holds(moved, beside) && named(side, into, moved, beside);
};
const one = (side, numbers) => named(side, inside(side, numbers).into);
const sorted = (side, numbers) => {
  const { into, children } = inside(side, numbers);
  return named(side, into, ...children.toReversed());
};
const texts = (side, numbers) => {
  const found = side.here().filter((node) => node.nodeType === 3 && node.data.trim());
  return !side.isTranslated && found[0] && named(side, pick(found, numbers[0]));
};
/** Resolves to one of the elements with this id in the document. */
const byId =
  (pattern) =>
  (side, [number]) => {
    const found = side.here().filter((node) => pattern.test(node.id ?? ""));
    return found[0] && named(side, pick(found, number));
  };
const styled = byId(/^(a|c2|i3|j1|i1)$/);
const attributed = byId(/^(a|in|go|img|i3|j1)$/);
const fragment = ({ doc }, ...nodes) => {
  const made = doc.createDocumentFragment();
  for (const node of nodes) made.appendChild(node);
  return made;
};

// Values of pages are never those of arms: to write the same value again changes nothing that could be seen. For the
// same reason a class that an arm removes is not removed by itself.
const CLASSES = ["k l", "m", "z k", "l z", ""];
const STYLES = ["color: green", "margin-left: 3px; color: red", "color: red !important", "margin: 4px", ""];

/**
 * Operations by name. `resolve` returns the numbers of an operation's nodes, or a falsy value if it is not possible
 * now. `act` gets these nodes, for either side.
 *
 * @type {Record<string, [resolve: (side: any, numbers: any) => any, act: (side: any, nodes: any, text: string, number: number) => unknown]>}
 */
export const OPERATIONS = {
  appendChild: [two, (_, [into, moved]) => into.appendChild(moved)],
  insertBefore: [two, (_, [into, moved, beside]) => into.insertBefore(moved, beside)],
  replaceChild: [three, (_, [into, moved, beside]) => into.replaceChild(moved, beside)],
  removeChild: [three, (_, [into, , beside]) => into.removeChild(beside)],
  remove: [two, (_, [, moved]) => moved.remove()],
  append: [two, (_, [into, moved]) => into.append(moved)],
  prepend: [two, (_, [into, moved]) => into.prepend(moved)],
  before: [three, (_, [, moved, beside]) => beside.before(moved)],
  after: [three, (_, [, moved, beside]) => beside.after(moved)],
  replaceWith: [three, (_, [, moved, beside]) => beside.replaceWith(moved)],
  "append, of a new one": [one, (side, [into], text) => into.append(side.make(text))],
  "appendChild, of a new one": [one, (side, [into], text) => into.appendChild(side.make(text))],
  "insertBefore, of new words": [
    two,
    (side, [into, , beside], text) => into.insertBefore(side.make(text, true), beside),
  ],
  "after, of a new one": [three, (side, [, , beside], text) => beside.after(side.make(text))],
  replaceChildren: [two, (side, [into, moved], text) => into.replaceChildren(moved, side.make(text))],
  moveBefore: [
    (side, numbers) => {
      const { into, moved, beside } = inside(side, numbers);
      return into.moveBefore && moved.isConnected && beside !== moved && named(side, into, moved, beside);
    },
    (_, [into, moved, beside]) => {
      // It throws for some nodes, so pages try it first: our engine keeps some nodes out of the document.
      try {
        into.moveBefore(moved, beside);
      } catch {
        into.insertBefore(moved, beside);
      }
    },
  ],
  textContent: [one, (side, [into], text) => ((into.textContent = text), side.add(into, true))],
  "textContent, to nothing": [one, (_, [into]) => (into.textContent = "")],
  innerHTML: [one, (side, [into], text) => ((into.innerHTML = `<b>${text}</b> and <i>more</i>`), side.add(into, true))],
  "insertAdjacentHTML, at the end": [
    one,
    (side, [into], text) => (into.insertAdjacentHTML("beforeend", `<b>${text}</b>`), side.add(into.lastChild)),
  ],
  "insertAdjacentHTML, at the beginning": [
    one,
    (side, [into], text) => (into.insertAdjacentHTML("afterbegin", `<b>${text}</b>`), side.add(into.firstChild)),
  ],
  insertAdjacentElement: [
    two,
    (_, [into, moved]) => isElement(moved) && into.insertAdjacentElement("beforeend", moved),
  ],
  "emptied and filled": [
    one,
    (side, [into], text) => {
      into.textContent = "";
      into.appendChild(side.make(text));
    },
  ],
  "a fragment, appendChild": [
    two,
    (side, [into, moved], text) => into.appendChild(fragment(side, moved, side.make(text))),
  ],
  "a fragment, insertBefore": [two, (side, [into, moved, beside]) => into.insertBefore(fragment(side, moved), beside)],
  "a fragment, append": [two, (side, [into, moved], text) => into.append(fragment(side, side.make(text), moved))],
  "out of a fragment": [
    two,
    (side, [into, moved, beside]) => into.insertBefore(fragment(side, moved).firstChild, beside),
  ],
  "sorted by a fragment": [sorted, (side, [into, ...children]) => into.appendChild(fragment(side, ...children))],
  "sorted one by one": [sorted, (_, [into, ...children]) => children.forEach((child) => into.appendChild(child))],
  "Range.insertNode": [
    (side, numbers) => {
      const nodes = three(side, numbers);
      // A range is at the element's actual position, which an arm may have changed.
      return nodes && !/^[ij]\d/.test(side.nodes[nodes[2]].id ?? "") && nodes;
    },
    ({ doc }, [, moved, beside]) => {
      const range = doc.createRange();
      range.setStartBefore(beside);
      range.insertNode(moved);
    },
  ],
  "Range.deleteContents": [
    one,
    ({ doc }, [into]) => {
      const range = doc.createRange();
      range.selectNodeContents(into);
      range.deleteContents();
    },
  ],
  "a text's data": [texts, (_, [node], text) => (node.data = text)],
  "a text's nodeValue": [texts, (_, [node], text) => (node.nodeValue = text)],
  "wrapping words": [
    texts,
    (side, [node]) => {
      const wrapper = side.page.make("w");
      node.before(wrapper);
      wrapper.append(node);
    },
  ],
  "Range.surroundContents": [
    texts,
    ({ doc, page }, [node]) => {
      const range = doc.createRange();
      range.selectNode(node);
      range.surroundContents(page.make("w"));
    },
  ],
  "wrapping all of it": [
    one,
    (side, [into]) => {
      const wrapper = side.page.make("w");
      wrapper.append(...into.childNodes);
      into.append(wrapper);
    },
  ],
  "an element rendered anew": [
    byId(/^[abij]\d?$/),
    (side, [element], text) => {
      const fresh = side.add(side.page.make(element.localName, text));
      fresh.id = element.id;
      fresh.className = "z";
      element.replaceWith(fresh);
    },
  ],
  "an element replaced by its copy": [
    byId(/^(a|in|go|img)$/),
    (side, [element]) => {
      const copy = element.cloneNode();
      side.add(copy);
      side.copies.add(side.numbers.get(copy));
      element.replaceWith(copy);
    },
  ],
  attachShadow: [
    (side) => {
      const host = side.page.$("#late");
      return host && !host.shadowRoot && named(side, host);
    },
    (side, [host]) => side.attach(host),
  ],
  "an attribute": [
    attributed,
    (_, [element], text, number) =>
      // An address that loads nothing.
      element.setAttribute(
        pick(["title", "href", "placeholder", "value", "src", "srcset", "data-x"], number),
        `data:,${text}`,
      ),
  ],
  "an attribute away": [
    attributed,
    (_, [element], __, number) => element.removeAttribute(pick(["title", "href", "placeholder", "value"], number)),
  ],
  "an attribute as before": [attributed, (_, [element]) => (element.title = "old")],
  "a class more": [styled, (_, [element], __, number) => element.classList.add(pick(["z", "m", "k"], number))],
  "a class less": [styled, (_, [element], __, number) => element.classList.remove(pick(["z", "m"], number))],
  className: [styled, (_, [element], __, number) => (element.className = pick(CLASSES, number))],
  "no classes": [styled, (_, [element]) => element.removeAttribute("class")],
  "a declaration": [
    styled,
    ({ page: _ }, [{ style }], __, number) =>
      number % 2 ? (style.color = pick(["red", "green", ""], number >> 1)) : (style.marginLeft = "5px"),
  ],
  "an important declaration": [
    styled,
    (_, [{ style }], __, number) =>
      number % 2
        ? style.setProperty("color", "red", "important")
        : style.setProperty("margin-left", "5px", "important"),
  ],
  "all declarations": [styled, (_, [{ style }], __, number) => (style.cssText = pick(STYLES, number))],
  "no style": [styled, (_, [element]) => element.removeAttribute("style")],
};
export const KINDS = Object.keys(OPERATIONS);
