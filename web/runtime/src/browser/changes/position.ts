import { doc } from "../world";
import { detour, marks, place, placed, straight } from "./detour";
import type { Settle } from "./engine";

/** Before an element, after it, or inside as its last child. */
export type Direction = "b" | "a" | "p";

export interface Position {
  nodes: ChildNode[];
  near: Element;
  direction: Direction;
}

/** Puts nodes where they belong unless they are there; others of ours may stand between. */
function put({ nodes, near, direction }: Position): boolean {
  const after = direction === "a";
  const inside = direction === "p";
  let next: ChildNode | null = nodes[after ? 0 : nodes.length - 1] as ChildNode;
  const parent = next.parentNode;
  while (next && next !== near && placed.has(next)) next = after ? next.previousSibling : next.nextSibling;
  if (parent === (inside ? near : near.parentNode) && next === (inside ? null : near)) return false;
  nodes.forEach((node) => placed.add(node));
  if (inside) near.append(...nodes);
  else if (after) near.after(...nodes);
  else near.before(...nodes);
  return true;
}

/** Settles nodes of ours near an element. */
export const insertSlot =
  ({ nodes }: Position): Settle<Position> =>
  (edit) =>
    edit ? put({ ...edit.value, nodes: nodes.map(place) }) : nodes.forEach((node) => place(node).remove());

/** Settles an element of the page in another place. A comment stands where it was. */
export function moveSlot(element: Element, needs: Node[]): Settle<Position> {
  const mark = doc.createComment("");
  const parent = element.parentNode as Node;
  element.before(mark);
  marks.set(element, mark);
  detour(parent);
  needs[0] = mark;
  return (edit) => {
    if (edit) {
      needs[1] = edit.value.near;
      // What the page has removed from its new place stays away.
      return (element.parentNode || !placed.has(element)) && put(edit.value);
    }
    marks.delete(element);
    placed.delete(element);
    straight(parent);
    if (element.parentNode && mark.parentNode) {
      mark.replaceWith(element);
    } else {
      mark.remove();
      element.remove();
    }
    return true;
  };
}
