import { doc } from "../world";
import { boxes, detour, owners, place, placed, straight, type Child } from "./detour";
import { loading, observe, type Settle } from "./engine";

/**
 * Settles the content of an element: nodes, the last of them a comment, instead of those of the page.
 *
 * A single text keeps its node, only the words change. Other content is kept in a fragment, whole, where the framework that made it goes on
 * changing it.
 */
export function contentSlot(element: Element): Settle<ChildNode[]> {
  let text: Text | undefined;
  let own = "";
  let written = "";
  let box: DocumentFragment | undefined;
  let ours: ChildNode[] = [];
  let last: unknown;
  return (edit) => {
    const found = [...element.childNodes].filter((node) => !placed.has(node));
    const first = found[0];
    const mine = ours.map(place);
    if (
      last === edit &&
      (text
        ? text === first && !found[1] && text.data === written
        : found.length === mine.length && found.every((node, i) => node === mine[i]))
    )
      return false;
    last = edit;
    if (text) {
      // A parser at work adds to the node that it has begun, behind our words.
      if (text.data !== written)
        own = loading() && text.data.startsWith(written) ? own + text.data.slice(written.length) : text.data;
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
        boxes.delete(element);
        straight(element);
        element.prepend(box);
      }
      return true;
    }
    ours = edit.value;
    if (!box && first instanceof Text && !found[1] && ours[0] instanceof Text && ours.length < 3) {
      text = first;
      own = first.data;
      first.data = written = ours[0].data;
      observe(first, { characterData: true });
    } else {
      if (!box) {
        boxes.set(element, (box = doc.createDocumentFragment()));
        owners.set(box, element);
        detour(element);
        box.append(...found);
      }
      element.prepend(...ours.map(place));
    }
    return true;
  };
}
