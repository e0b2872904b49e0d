// Frameworks remember where they put their nodes, and throw when they find them elsewhere. So while nodes are kept away from an element, its
// own four methods (on that object alone, no prototype is touched) lead to where they are.

type Methods = Pick<Node, "insertBefore" | "removeChild" | "appendChild" | "replaceChild">;
export type Child = ChildNode & Node;

/** Comments in the places that moved nodes had. */
export const marks = new WeakMap<Node, Comment>();

/** What holds the content that an element had. */
export const boxes = new WeakMap<Node, Node>();

/** Whose content it is that a fragment holds. */
export const owners = new WeakMap<Node, Node>();

/** Whether a node is in the page, or would be had we not put it away. */
export const attached = (node: Node | undefined): unknown =>
  node && (node.isConnected || attached(owners.get(node.getRootNode())));

/** Nodes that stand where we put them; they belong to nobody's content. */
export const placed = new WeakSet<Node>();

const uses = new WeakMap<Node, number>();

/** Where a node is as the page sees it: its mark if we moved it, else itself. */
export const place = (node: Node): Child => marks.get(node) ?? (node as Child);

/** Leads the calls on `parent` about nodes with a mark or in its box to there. */
export function detour(parent: Node): void {
  const insertBefore = <T extends Node>(node: T, before?: Node | null): T => {
    const at = before && place(before);
    if (at?.parentNode) at.before(place(node));
    else ((boxes.get(parent) ?? parent) as Element).append(place(node));
    return node;
  };
  const removeChild = <T extends Node>(node: T): T => {
    place(node).remove();
    (node as unknown as Child).remove();
    return node;
  };
  const methods: Methods = {
    insertBefore,
    removeChild,
    appendChild: (node) => insertBefore(node),
    replaceChild: (node, old) => {
      insertBefore(node, old);
      return removeChild(old);
    },
  };
  uses.set(parent, (uses.get(parent) ?? 0) + 1);
  Object.assign(parent, methods);
}

/** Ends one detour of `parent`; with the last its methods are those of its prototype again. */
export function straight(parent: Node): void {
  const left = (uses.get(parent) as number) - 1;
  uses.set(parent, left);
  if (!left) {
    for (const name of ["insertBefore", "removeChild", "appendChild", "replaceChild"]) {
      delete (parent as unknown as { [name: string]: unknown })[name];
    }
  }
}
