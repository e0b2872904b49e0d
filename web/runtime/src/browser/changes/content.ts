import { doc } from "../world";
import {
  pageContents,
  interceptMethods,
  contentOwners,
  placeholderOf,
  ownNodes,
  restoreMethods,
  type Child,
} from "./detour";
import { isLoading, observe, type SettleSlot } from "./engine";

/**
 * Settles the content of an element: our nodes, the last of them a comment, instead of those of the page.
 *
 * A single text node stays, and only its data changes. Other content is moved to a fragment, where the framework that created it can go
 * on updating it.
 */
export function contentSlot(element: Element): SettleSlot<ChildNode[]> {
  let text: Text | undefined;
  let own = "";
  let written = "";
  let box: DocumentFragment | undefined;
  let ours: ChildNode[] = [];
  let last: unknown;
  return (edit) => {
    const found = [...element.childNodes].filter((node) => !ownNodes.has(node));
    const first = found[0];
    const mine = ours.map(placeholderOf);
    if (
      last === edit &&
      (text
        ? text === first && !found[1] && text.data === written
        : found.length === mine.length && found.every((node, i) => node === mine[i]))
    )
      return false;
    last = edit;
    if (text) {
      // A parser that is still at work appends to the text node, after our text.
      if (text.data !== written)
        own = isLoading() && text.data.startsWith(written) ? own + text.data.slice(written.length) : text.data;
      text.data = own;
      text = undefined;
    } else if (box) {
      const theirs = found.filter((node) => !mine.includes(node as Child));
      if (theirs.length === found.length) box.replaceChildren();
      box.append(...theirs);
      mine.forEach((node) => node.remove());
    }
    if (!edit) {
      if (box) {
        pageContents.delete(element);
        restoreMethods(element);
        element.prepend(box);
      }
      return true;
    }
    ours = edit._value;
    if (!box && first instanceof Text && !found[1] && ours[0] instanceof Text && ours.length < 3) {
      text = first;
      own = first.data;
      first.data = written = ours[0].data;
      observe(first, { characterData: true });
    } else {
      if (!box) {
        pageContents.set(element, (box = doc.createDocumentFragment()));
        contentOwners.set(box, element);
        interceptMethods(element);
        box.append(...found);
      }
      element.prepend(...ours.map(placeholderOf));
    }
    return true;
  };
}
