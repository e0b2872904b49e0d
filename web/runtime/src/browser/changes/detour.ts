// Frameworks remember where they put their nodes, and throw when those are elsewhere. While nodes of an element are moved away, the
// element has own versions of four methods, which act on the nodes where they are. No prototype is changed.

type Methods = Pick<Node, "insertBefore" | "removeChild" | "appendChild" | "replaceChild">;
export type Child = ChildNode & Node;

/** Comments at the original positions of moved nodes. */
export const placeholders = new WeakMap<Node, Comment>();

/** The fragment that holds the page's content of an element. */
export const pageContents = new WeakMap<Node, Node>();

/** The element whose content a fragment holds. */
export const contentOwners = new WeakMap<Node, Node>();

/** Whether a node is in the page, or in a fragment whose element is. */
export const isAttached = (node: Node | undefined): unknown =>
  node && (node.isConnected || isAttached(contentOwners.get(node.getRootNode())));

/** Nodes that stand where the script put them; they are not part of the page's content. */
export const ownNodes = new WeakSet<Node>();

const interceptions = new WeakMap<Node, number>();

/** The node that stands at the position that the page knows: the placeholder of a moved node, else the node itself. */
export const placeholderOf = (node: Node): Child => placeholders.get(node) ?? (node as Child);

/** Redirects calls on `parent` to placeholders and to the fragment with its content. */
export function interceptMethods(parent: Node): void {
  const insertBefore = <T extends Node>(node: T, before?: Node | null): T => {
    const at = before && placeholderOf(before);
    if (at?.parentNode) at.before(placeholderOf(node));
    else ((pageContents.get(parent) ?? parent) as Element).append(placeholderOf(node));
    return node;
  };
  const removeChild = <T extends Node>(node: T): T => {
    placeholderOf(node).remove();
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
  interceptions.set(parent, (interceptions.get(parent) ?? 0) + 1);
  Object.assign(parent, methods);
}

/** Ends one interception of `parent`; after the last its methods are those of its prototype again. */
export function restoreMethods(parent: Node): void {
  const left = (interceptions.get(parent) as number) - 1;
  interceptions.set(parent, left);
  if (!left) {
    for (const name of ["insertBefore", "removeChild", "appendChild", "replaceChild"]) {
      delete (parent as unknown as { [name: string]: unknown })[name];
    }
  }
}
