import { doc } from "../world";
import { interceptMethods, placeholders, placeholderOf, ownNodes, restoreMethods } from "./detour";
import type { SettleSlot } from "./engine";

/** `b` before an element, `a` after it, `p` inside as its last child. */
export type Direction = "b" | "a" | "p";

export interface Position {
  _nodes: ChildNode[];
  _near: Element;
  _direction: Direction;
}

/** Moves nodes to their position; false if they are there. Other nodes of the script may stand between. */
function placeNodes({ _nodes: nodes, _near: near, _direction: direction }: Position): boolean {
  const after = direction === "a";
  const inside = direction === "p";
  let next: ChildNode | null = nodes[after ? 0 : nodes.length - 1] as ChildNode;
  const parent = next.parentNode;
  while (next && next !== near && ownNodes.has(next)) next = after ? next.previousSibling : next.nextSibling;
  if (parent === (inside ? near : near.parentNode) && next === (inside ? null : near)) return false;
  nodes.forEach((node) => ownNodes.add(node));
  if (inside) near.append(...nodes);
  else if (after) near.after(...nodes);
  else near.before(...nodes);
  return true;
}

/** Settles inserted nodes near an element. */
export const insertSlot =
  ({ _nodes: nodes }: Position): SettleSlot<Position> =>
  (edit) =>
    edit
      ? placeNodes({ ...edit._value, _nodes: nodes.map(placeholderOf) })
      : nodes.forEach((node) => placeholderOf(node).remove());

/** Settles an element of the page in another position. A comment holds its original position. */
export function moveSlot(element: Element, needs: Node[]): SettleSlot<Position> {
  const mark = doc.createComment("");
  const parent = element.parentNode as Node;
  element.before(mark);
  placeholders.set(element, mark);
  interceptMethods(parent);
  needs[0] = mark;
  return (edit) => {
    if (edit) {
      needs[1] = edit._value._near;
      // An element that the page has removed from its new position stays away.
      return (element.parentNode || !ownNodes.has(element)) && placeNodes(edit._value);
    }
    placeholders.delete(element);
    ownNodes.delete(element);
    restoreMethods(parent);
    if (element.parentNode && mark.parentNode) {
      mark.replaceWith(element);
    } else {
      mark.remove();
      element.remove();
    }
    return true;
  };
}
