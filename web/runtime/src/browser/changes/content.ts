import { doc } from "../world";
import {
  pageContents,
  interceptMethods,
  contentOwners,
  movedByPage,
  placeholderOf,
  ownNodes,
  restoreMethods,
  syncs,
  type Child,
} from "./detour";
import { type Edit, isLoading, observe, type SettleSlot } from "./engine";
import { isFont } from "./wrappers";

/**
 * Maximum number of remembered nodes that the page has added to an element. When its change is given up, duplicates
 * among them are removed.
 */
const TAKEN_MAX = 99;

// Taken now, as a page may redefine them before they are used.
const NewSet = Set<ChildNode>;
const Texts = Map<Text, string>;

/** Result of `collect`. */
const enum Collected {
  /** The element is as we left it. */
  Nothing,
  /** The page has added nodes, which are in the box now. */
  Additions,
  /** Nodes of ours are gone. */
  Losses,
  /** All nodes of ours are gone: the page has emptied the element. */
  Emptied,
}

/**
 * Settles the content of an element: our nodes, the last of which is a comment, replace those of the page.
 *
 * A single text node stays, and only its data changes. Other content is moved to a fragment, the box, where the
 * framework that created it can continue to update it.
 */
export function contentSlot(element: Element): SettleSlot<ChildNode[]> {
  let text: Text | undefined;
  let own = "";
  let written = "";
  let box: DocumentFragment | undefined;
  let ours: ChildNode[] = [];
  let last: Edit<ChildNode[]> | undefined;
  let taken: ChildNode[] = [];
  /** Our texts, as a script may split their nodes to wrap parts of them. */
  const texts = new Texts();
  /**
   * True when the page's changes were collected because it called a method of the element. That counts as a rewrite.
   */
  let isSynced = false;

  /** The children, without those that other changes have put there. */
  const children = (): ChildNode[] =>
    [...element.childNodes].filter((node) => !ownNodes.has(node) || movedByPage.has(node));

  const fillBox = (nodes: ChildNode[]): void => {
    pageContents.set(element, (box = doc.createDocumentFragment()));
    contentOwners.set(box, element);
    interceptMethods(element);
    syncs.set(element, sync);
    box.append(...nodes);
    // What the page moves within it, or out of it, is not in a mutation of the document.
    observe(box, { childList: true, subtree: true });
  };

  const emptyBox = (): void => {
    pageContents.delete(element);
    syncs.delete(element);
    restoreMethods(element);
    element.prepend(box!);
    box = undefined;
    ours = [];
  };

  /** Transfers to the box what the page has done to the element itself. */
  const collect = (): Collected => {
    const found = children();
    const mine = ours.map(placeholderOf);
    const here = mine.filter((node) => node.parentNode === element);
    if (!here[0]) {
      // If the page has moved our nodes, it meant to move its own.
      const moved = mine.find((node) => node.parentNode);
      // The same holds if it has read our content and written it again, for example by `innerHTML +=`.
      const copies = ours.length && ours.every((node, at) => found[at]?.isEqualNode(node)) ? ours.length : 0;
      if (moved) moved.before(...box!.childNodes);
      else if (!copies) box!.replaceChildren();
      found.slice(0, copies).forEach((node) => node.remove());
      box!.append(...found.slice(copies));
      return Collected.Emptied;
    }
    const isWhole = here.length === mine.length;
    const start = found.indexOf(here[0]);
    const end = found.indexOf(here[here.length - 1]!);
    const between = found.slice(0, end).filter((node) => !here.includes(node as Child));
    // Nodes in the position of one of our nodes replace it.
    const isReplaced = !isWhole && between[0];
    if (isReplaced) ours = found.slice(0, end + 1);
    const before = isReplaced ? [] : found.slice(0, start);
    const after = found.filter((node, at) => !here.includes(node as Child) && at > (isReplaced ? end : start));
    box!.prepend(...before);
    box!.append(...after);
    // The page may have moved a node that it has added before.
    const all = new NewSet([...taken, ...before, ...after]);
    taken = [...all].filter((node) => node.parentNode === box).slice(-TAKEN_MAX);
    if (!isWhole && !isReplaced) return Collected.Losses;
    const isInOrder = isReplaced || here.every((node, at) => !at || here[at - 1]!.compareDocumentPosition(node) & 4);
    if (!isInOrder) return Collected.Losses;
    return before[0] || after[0] ? Collected.Additions : Collected.Nothing;
  };

  /** Transfers to the box what the page has done, right before one of the element's methods adds to the box. */
  const sync = (): void => {
    const collected = box && last && collect();
    if (!collected) return;
    isSynced = true;
    if (collected < Collected.Emptied) return;
    if (last!._rule._keep || isLoading()) {
      // Without them it could not be detected that the page empties the element again.
      element.prepend(...ours.map(placeholderOf));
    } else {
      emptyBox();
    }
  };

  /**
   * Returns whether a script has wrapped or translated our text, so that the page's text node is not in the element, or
   * not as a whole.
   */
  const isWrapped = (found: ChildNode[]): boolean =>
    !found.includes(text!) &&
    found.some((node) => node.nodeType === 1) &&
    (found.every(isFont) || found.map((node) => node.textContent).join("") === written);

  return (edit, _edits, isLost) => {
    let found = children();
    if (text) {
      const isAlone = !found[1] && !!found[0]?.contains(text) && found[0].textContent === written;
      if (isAlone && last === edit) return false;
      if (!isAlone && isWrapped(found)) {
        if (element.contains(text)) text.replaceWith(text.cloneNode());
        text.data = own;
        ours = found;
        fillBox([text]);
        text = undefined;
      } else {
        // A parser that is still running appends to the text node, after our text.
        if (text.data !== written)
          own = isLoading() && text.data.startsWith(written) ? own + text.data.slice(written.length) : text.data;
        text.data = own;
        // The page has read our text and written it again, with an addition after it.
        const [copy] = found;
        if (found.includes(text)) taken = found.filter((node) => node !== text);
        if (copy instanceof Text && found[1] && !found.includes(text) && copy.data === written) copy.data = own;
        text = undefined;
        last = undefined;
      }
    }
    if (box) {
      const collected = collect();
      const wasSynced = isSynced;
      isSynced = false;
      if (last === edit && collected < Collected.Losses) return wasSynced || collected;
      ours.forEach((node) => placeholderOf(node).remove());
      found = [];
    } else if (edit && last === edit) {
      return false;
    }
    last = edit;
    if (!edit) {
      // A page that adds a node whenever it is missing has added it many times.
      if (isLost) {
        const left = taken.filter((node) => node.parentNode === box);
        left.forEach((node, at) => left.slice(at + 1).some((other) => other.isEqualNode(node)) && node.remove());
      }
      if (box) emptyBox();
      return true;
    }
    ours = edit._value;
    for (const node of ours) {
      if (!(node instanceof Text)) continue;
      if (!texts.has(node)) texts.set(node, node.data);
      node.data = texts.get(node)!;
    }
    const [first] = found;
    if (!box && first instanceof Text && !found[1] && ours[0] instanceof Text && ours.length < 3) {
      text = first;
      own = first.data;
      first.data = written = ours[0].data;
      observe(first, { characterData: true });
    } else {
      if (!box) fillBox(found);
      element.prepend(...ours.map(placeholderOf));
    }
    return true;
  };
}
