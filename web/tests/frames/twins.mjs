// Random sequences of operations of pages on their own nodes, on a page with arms and on its twin without the script.
// While the arms are shown, our content is there once or not at all. After they are removed, the page's content equals
// the twin's.
//
// An operation is a list of numbers, which are resolved to nodes by the current content of the twin. So a failing
// sequence can be shortened by leaving out operations.

import { equal, turn } from "./world.mjs";

/** A generator of numbers from 0 to 2³² − 1 by a seed. */
function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    // Mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return (value ^ (value >>> 14)) >>> 0;
  };
}

/** Containers have a `c` in their id. The heading is not moved, as arms put elements next to it. */
const BODY = `<main id="c0"><h1 id="h">Title</h1><p id="c1">Some <b id="b">words</b> here</p><p id="c2">plain</p>
<ul id="c3"><li id="i1">one</li><li id="i2">two <i id="s">sub</i></li><li id="i3">three</li><li id="i4">four</li></ul>
<div id="c4"><span id="i5">five</span></div></main>`;

/** Changes of arms. `OURS1` marks our content, which is on the page at most once. */
const ARMS = [
  { target: "#c1", innerHTML: "<s>OURS1</s>" },
  { target: "#c1", innerText: "OURS1" },
  { target: "#c2", innerText: "OURS1" },
  { target: "#c2", innerHTML: "OURS1 <s>x</s>" },
  { target: "#c3", innerHTML: "<li>OURS1</li>" },
  { target: "#c4", innerText: "OURS1\nlines" },
  { target: "#b", innerText: "OURS1" },
  { target: "#i1", innerHTML: "<b>OURS1</b>" },
  { target: "#i1", outerHTML: "<li>OURS1</li>" },
  { refEl: "#i2", dir: "a", htmlBlock: "<li>OURS1</li>" },
  { refEl: "#c3", dir: "p", htmlBlock: "<li>OURS1</li>" },
  { refEl: "#h", dir: "b", htmlBlock: "OURS1" },
  { oriEl: "#i3", refEl: "#h", dir: "a" },
  { oriEl: "#i4", refEl: "#c3", dir: "p" },
  { oriEl: "#i1", refEl: "#i3", dir: "a" },
  { oriEl: "#i2", refEl: "#c4", dir: "p" },
  { oriEl: "#i5", refEl: "#i1", dir: "b" },
];

/** A page with numbers for its own nodes, which are the same in a page and its twin. */
class Side {
  constructor(page) {
    this.page = page;
    this.doc = page.win.document;
    this.nodes = [];
    this.add(this.doc.body, true);
  }

  /** Numbers the nodes of a subtree. */
  add(node, isRoot) {
    if (!isRoot) this.nodes.push(node);
    node.childNodes.forEach((child) => this.add(child));
    return node;
  }

  make(text, isText) {
    return this.add(isText ? this.doc.createTextNode(text) : this.page.make("em", text));
  }
}

const pick = (list, number) => list[number % list.length];
const isElement = (node) => node.nodeType === 1;
const isContainer = (node) => isElement(node) && /^c\d/.test(node.id);

/**
 * Resolves the numbers of an operation to nodes: a container in the document, a node that may be put there, and a child
 * of the container or null.
 *
 * @param {Side} side
 * @param {number[]} numbers
 */
const inside = ({ nodes, doc }, [container, child, other]) => {
  const containers = nodes.filter((node) => isContainer(node) && doc.contains(node));
  const into = pick(containers, container);
  const movable = nodes.filter(
    (node) => !/^(c\d|h)$/.test(node.id ?? "") && (isElement(node) || node.data.trim()) && !node.contains(into),
  );
  const children = [...into.childNodes].filter((node) => nodes.includes(node));
  return { into, moved: pick(movable, child), beside: pick([...children, null], other), children };
};
const named = ({ nodes }, ...wanted) => wanted.map((node) => (node ? nodes.indexOf(node) : -1));
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
    children.filter((node) => node !== moved && !/^(c\d|h)$/.test(node.id ?? "")),
    numbers[2],
  );
  return beside && !moved.contains(beside) && named(side, into, moved, beside);
};
const one = (side, numbers) => named(side, inside(side, numbers).into);
const texts = (side, numbers) => {
  const found = side.nodes.filter((node) => node.nodeType === 3 && node.data.trim() && side.doc.contains(node));
  return found[0] && named(side, pick(found, numbers[0]));
};
const fragment = ({ doc }, ...nodes) => {
  const made = doc.createDocumentFragment();
  for (const node of nodes) made.appendChild(node);
  return made;
};

/**
 * Operations by name. `resolve` returns the numbers of an operation's nodes, or a falsy value if it is not possible
 * now. `act` gets these nodes, for either side.
 *
 * @type {Record<string, [resolve: (side: Side, numbers: number[]) => any, act: (side: Side, nodes: any[], text: string) => unknown]>}
 */
const OPERATIONS = {
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
      return into.moveBefore && side.doc.contains(moved) && beside !== moved && named(side, into, moved, beside);
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
  "sorted by a fragment": [
    (side, numbers) => {
      const { into, children } = inside(side, numbers);
      return named(side, into, ...children.toReversed());
    },
    (side, [into, ...children]) => into.appendChild(fragment(side, ...children)),
  ],
  "sorted one by one": [
    (side, numbers) => {
      const { into, children } = inside(side, numbers);
      return named(side, into, ...children.toReversed());
    },
    (_, [into, ...children]) => children.forEach((child) => into.appendChild(child)),
  ],
  "Range.insertNode": [
    (side, numbers) => {
      const nodes = three(side, numbers);
      // A range is at the element's actual position, which an arm may have changed.
      return nodes && !/^i\d/.test(side.nodes[nodes[2]].id ?? "") && nodes;
    },
    ({ doc }, [, moved, beside]) => {
      const range = doc.createRange();
      range.setStartBefore(beside);
      range.insertNode(moved);
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
  "wrapping all of it": [
    one,
    (side, [into]) => {
      const wrapper = side.page.make("w");
      wrapper.append(...into.childNodes);
      into.append(wrapper);
    },
  ],
};
const KINDS = Object.keys(OPERATIONS);

/** The page's content without wrappers and our comments, with adjacent texts merged. */
function content({ page }) {
  const copy = page.win.document.body.cloneNode(true);
  for (const wrapper of copy.querySelectorAll("w,font")) wrapper.replaceWith(...wrapper.childNodes);
  copy.normalize();
  return copy.innerHTML
    .replaceAll("<!---->", "")
    .replace(/ (style|class)=""/g, "")
    .replace(/\s+/g, " ");
}

/** Plays a sequence. Returns a description of the failure, or undefined. */
async function wrong(open, { arms, batches }) {
  let now = 0;
  const [page, other] = [await open(BODY, { clock: () => now }), await open(BODY)];
  const [ours, twin] = [page, other].map((each) => new Side(each));
  const undos = arms.map((arm) => page.M.change([ARMS[arm]]).undo);
  const isFought = () => page.M.said.some((what) => /^fight/.test(what));
  try {
    for (const [at, batch] of batches.entries()) {
      // With time between the batches, the page's changes do not count as a fight.
      now += 10_000;
      for (const [kind, ...numbers] of batch) {
        const name = pick(KINDS, kind);
        const [resolve, act] = OPERATIONS[name];
        const nodes = resolve(twin, numbers);
        if (!nodes || nodes.some((node) => node === undefined)) continue;
        const text = `t${numbers[3] % 1000}`;
        for (const side of [twin, ours]) {
          try {
            act(
              side,
              nodes.map((node) => side.nodes[node] ?? null),
              text,
            );
          } catch (error) {
            return `${name} in batch ${at}${side === twin ? " without the script" : ""}: ${error}`;
          }
        }
        if (ours.nodes.length !== twin.nodes.length)
          return `${name} in batch ${at}: other nodes than without the script`;
      }
      await turn();
      const count = page.$("body").textContent.split("OURS1").length - 1;
      if (count > arms.filter((arm) => JSON.stringify(ARMS[arm]).includes("OURS1")).length)
        return `ours is there ${count} times after batch ${at}: ${page.html()}`;
      for (const id of ["i1", "i2", "i3", "i4", "i5"]) {
        if (page.$$(`#${id}`).length > 1) return `${id} is there twice after batch ${at}`;
      }
      if (page.M.said.some((what) => !/^(fight|change)/.test(what))) return page.M.said.join();
    }
    for (const undo of undos) undo();
    const [is, wanted] = [ours, twin].map(content);
    if (is !== wanted) return `${is}\n    instead of ${wanted}`;
    await turn();
    if (content(ours) !== wanted) return `later: ${content(ours)}\n    instead of ${wanted}`;
    const traces = [page.$("body"), ...page.$$("body *")].flatMap((each) => Object.keys(each));
    if (traces[0]) return `left: ${traces}`;
    if (isFought()) return page.M.said.join();
  } finally {
    for (const each of [page, other]) each.win.frameElement.remove();
  }
}

/** The sequence of a seed: one or two arms, and up to eight batches of up to four operations. */
function sequenceOf(seed) {
  const next = numbers(seed);
  const arms = [next() % ARMS.length];
  if (next() % 3 === 0) arms.push(next() % ARMS.length);
  const batches = Array.from({ length: 1 + (next() % 8) }, () =>
    Array.from({ length: 1 + (next() % 4) }, () => [next(), next(), next(), next(), next()]),
  );
  return { arms, batches };
}

/** Leaves out operations as long as the sequence still fails. */
async function shortened(open, sequence) {
  for (let isShorter = true; isShorter; ) {
    isShorter = false;
    const flat = sequence.batches.flatMap((batch, at) => batch.map((_, index) => [at, index]));
    for (const [at, index] of flat.reverse()) {
      const batches = sequence.batches
        .map((batch, each) => (each === at ? batch.filter((_, one) => one !== index) : batch))
        .filter((batch) => batch[0]);
      const shorter = { ...sequence, batches };
      if (!(await wrong(open, shorter))) continue;
      sequence = shorter;
      isShorter = true;
      break;
    }
  }
  return sequence;
}

const told = ({ arms, batches }) =>
  `${arms.map((arm) => JSON.stringify(ARMS[arm])).join()} ${batches
    .map(
      (batch) =>
        `[${batch.map(([kind, ...numbers]) => `${pick(KINDS, kind)} ${numbers.map((each) => each % 1000)}`).join("; ")}]`,
    )
    .join(" ")}`;

/** Cases for `count` sequences, with seeds from `seed` on. */
export const cases = ({ seed, count }) => {
  const all = {};
  for (let at = seed; at < seed + count; at++) {
    all[`seed ${at}`] = async ({ open }) => {
      const sequence = sequenceOf(at);
      const what = await wrong(open, sequence);
      if (what === undefined) return;
      const short = await shortened(open, sequence);
      equal(`${told(short)}: ${await wrong(open, short)}`, "", "shortest");
    };
  }
  return all;
};
