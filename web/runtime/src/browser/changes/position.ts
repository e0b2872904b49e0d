import { doc } from "../world";
import {
  interceptMethods,
  isAttached,
  movedByPage,
  ownerOf,
  placeholders,
  placeholderOf,
  ownNodes,
  restoreMethods,
} from "./detour";
import { asOurs, type Edit, isCreated, REPLACED, type SettleSlot, type SlotPresence } from "./engine";
import { replacementsOf } from "./wrappers";

/** `b` before an element, `a` after it, `p` inside as its last child. */
export type Direction = "b" | "a" | "p";

export interface Position {
  _nodes: ChildNode[];
  _near: Element;
  _direction: Direction;
}

// Taken now, as moved elements have their own versions of some, and pages may redefine the others.
const { before: putBefore, after: putAfter, remove: takeOut } = Element.prototype;
const { assign, getPrototypeOf, keys } = Object;

/**
 * Moves nodes to their position; false if they are there. Other nodes of the script may be in between. The page may have
 * removed some of the nodes, and wrapped others.
 */
function placeNodes({ _nodes: nodes, _near: near, _direction: direction }: Position): boolean {
  const after = direction === "a";
  const inside = direction === "p";
  let next: ChildNode | null = nodes[after ? 0 : nodes.length - 1] as ChildNode;
  const parent = next.parentNode;
  while (next && next !== near && ownNodes.has(next)) next = after ? next.previousSibling : next.nextSibling;
  const isWhole = nodes.every((node) => node.parentNode);
  if (isWhole && parent === (inside ? near : near.parentNode) && next === (inside ? null : near)) return false;
  nodes.forEach((node) => ownNodes.add(node));
  if (inside) near.append(...nodes);
  else if (after) putAfter.apply(near, nodes);
  else putBefore.apply(near, nodes);
  return true;
}

/** Removes copies of our nodes that the page has put in their position, for example by `innerHTML +=`. */
function removeCopies({ _nodes: nodes, _near: near, _direction: direction }: Position): void {
  const siblings = [...((direction === "p" ? near : near.parentNode)?.childNodes ?? [])];
  const from = siblings.indexOf(near);
  const starts = direction === "p" ? siblings.keys() : [direction === "a" ? from + 1 : from - nodes.length];
  for (const start of starts) {
    const found = start < 0 ? [] : siblings.slice(start, start + nodes.length);
    if (
      !nodes[1] ||
      found.length < nodes.length ||
      found.some((node, at) => isCreated(node) || !node.isEqualNode(nodes[at]!))
    )
      continue;
    for (const node of found) node.remove();
    return;
  }
}

/** Settles inserted nodes near an element. */
export function insertSlot({ _nodes: given }: Position): SettleSlot<Position> {
  let nodes = given;
  const words = new Map(given.map((node): [ChildNode, string] => [node, node.textContent ?? ""]));
  return (edit) => {
    // If a translator has replaced one of our texts, its version stays.
    nodes = nodes.flatMap((node, at) => {
      const next = nodes[at + 1];
      const isGone = node.nodeType === 3 && next?.parentNode && node.parentNode !== next.parentNode;
      const found = isGone ? replacementsOf(words.get(node) ?? "", next) : [];
      found.forEach((each) => ownNodes.add(each));
      return found[0] ? found : [node];
    });
    if (edit) {
      const position = { ...edit._value, _nodes: nodes.map(placeholderOf) };
      if (!position._nodes.some((node) => node.isConnected)) removeCopies(position);
      return placeNodes(position);
    }
    nodes.forEach((node) => placeholderOf(node).remove());
    return true;
  };
}

type Insert = (...nodes: (Node | string)[]) => void;

/**
 * Settles an element of the page in another position. A comment, the mark, is at the position that the page knows. If
 * the page moves the element itself, the new position is the one that the page knows from then on.
 */
export function moveSlot(element: Element, presence: SlotPresence): SettleSlot<Position> {
  const mark = doc.createComment("");
  /** The parent of the mark. */
  let parent: Node | null | undefined;
  /** The parent in which the script has put the element; undefined while the element is at its mark. */
  let place: Node | null | undefined;
  /** The siblings of the element there. */
  let neighbours: (Node | null)[] = [];
  let last: Edit<Position> | undefined;
  let isOver = false;
  /** Returns whether the element is where the script put it. */
  const isPut = (): boolean => !!place && ownerOf(element.parentNode) === place && !movedByPage.has(element);
  /** Returns whether the page has emptied the parent in which the script had put the element, but left the mark. */
  const isWiped = (): boolean => !!place && !element.parentNode && !!mark.parentNode && !movedByPage.has(element);
  /** Returns whether the mark takes the place of the element. */
  const isHeld = (): boolean => isPut() || isWiped() || isAlong();
  /** Like `isHeld`, but takes pending mutations into account, as the page may just have moved the element. */
  const isHeldNow = (): boolean => {
    asOurs(() => {});
    return isHeld();
  };

  const intercept = (before: Node | null | undefined, node: Node | null | undefined): Node | null | undefined => {
    if (before !== node) {
      if (node) interceptMethods(node);
      if (before) restoreMethods(before);
    }
    return node;
  };
  /** Ends interceptions; the element and the mark stay where they are. */
  const release = (): void => {
    isOver = true;
    placeholders.delete(element);
    ownNodes.delete(element);
    movedByPage.delete(element);
    for (const name of keys(own)) delete (element as unknown as { [name: string]: unknown })[name];
    place = intercept(place, undefined);
    parent = intercept(parent, undefined);
  };
  /** Records that the element is at its mark. */
  const anchor = (): void => {
    ownNodes.delete(element);
    movedByPage.delete(element);
    place = intercept(place, undefined);
    parent = intercept(parent, ownerOf(mark.parentNode));
  };

  /**
   * Returns whether the page has moved all children of a parent, including the element. The mark is still valid then.
   */
  const isAlong = (): boolean => {
    if (!place || !element.parentNode || ownerOf(element.parentNode) === place) {
      return !!place && movedByPage.has(mark) && mark.parentNode === element.parentNode;
    }
    const left = [...place.childNodes].filter((node) => !ownNodes.has(node));
    const isBeside = [element.previousSibling, element.nextSibling].some((node, at) => node && node === neighbours[at]);
    // Nothing is left there, or only a node that now wraps all children.
    return isBeside
      ? !left[0] || left.some((node) => node.contains(element))
      : !!left[0] && left.every((node) => node === (element.parentNode as Node));
  };
  const noteNeighbours = (): void => {
    // Nodes that the script has put next to the element follow it, wherever the page moves it.
    neighbours = [element.previousSibling, element.nextSibling].map((node) => (ownNodes.has(node!) ? null : node));
  };

  // What the page inserts next to the element goes to the position that the page knows.
  const marks = (nodes: (Node | string)[]): (Node | string)[] =>
    nodes.map((node) => (typeof node === "string" ? node : placeholderOf(node)));
  const native = (name: string, given: unknown[]): void =>
    (getPrototypeOf(element) as { [name: string]: (...given: unknown[]) => void })[name]!.apply(element, given);
  const own: { [name: string]: Insert } = {
    before: (...nodes) => (isHeldNow() ? mark.before(...marks(nodes)) : native("before", nodes)),
    after: (...nodes) => (isHeldNow() ? mark.after(...marks(nodes)) : native("after", nodes)),
    replaceWith(...nodes) {
      if (!isHeldNow()) return native("replaceWith", nodes);
      mark.replaceWith(...marks(nodes));
      if (nodes.includes(element)) return;
      takeOut.call(element);
      movedByPage.add(element);
    },
    remove(...given) {
      // `select` elements have a method of this name with an argument.
      if (given[0] !== undefined) return native("remove", given);
      if (isHeldNow()) mark.remove();
      takeOut.call(element);
      movedByPage.add(element);
    },
  };

  putBefore.call(element, mark);
  anchor();
  placeholders.set(element, () => (isHeld() ? mark : undefined));
  placeholders.set(mark, () => undefined);
  assign(element, own);

  presence._isThere = () => {
    if (isOver) return true;
    let isReplaced = false;
    if (place && !isPut()) {
      isReplaced = true;
      if (isAlong()) {
        movedByPage.delete(element);
        place = intercept(place, ownerOf(element.parentNode));
      } else {
        // The page has moved the element.
        if (isAttached(element)) putBefore.call(element, mark);
        else if (isWiped()) mark.after(element);
        else return false;
        anchor();
        if (!last!._rule._keep) {
          release();
          mark.remove();
          return true;
        }
      }
    }
    if (isPut()) noteNeighbours();
    movedByPage.delete(mark);
    parent = intercept(parent, ownerOf(mark.parentNode));
    return isAttached(mark) && isAttached(last?._value._near) && (isReplaced ? REPLACED : true);
  };
  return (edit) => {
    if (isOver) return false;
    if (edit) {
      last = edit;
      // The page has moved the element: `_isThere` has to handle that first.
      if (place && !isPut()) return false;
      const isPlaced = placeNodes(edit._value);
      movedByPage.delete(element);
      place = intercept(place, ownerOf(element.parentNode));
      noteNeighbours();
      return isPlaced;
    }
    const isOurs = isHeld();
    release();
    if (isOurs && mark.parentNode) mark.replaceWith(element);
    else if (isOurs) takeOut.call(element);
    mark.remove();
    return true;
  };
}
