// Frameworks remember where they put their nodes, and throw when those are elsewhere. While nodes of an element are
// moved away, the element has its own versions of its methods, which act on the nodes where they are. No prototype is
// changed.

import { quietly } from "../world";
import { asOurs } from "./engine";

type Methods = Pick<Node, "insertBefore" | "removeChild" | "appendChild" | "replaceChild"> & {
  moveBefore?: (node: Node, before: Node | null) => void;
};
export type Child = ChildNode & Node;

/**
 * For a moved element, a function that returns the comment at the position that the page knows, while the element is
 * where the script put it. The comments are keys of the map, too.
 */
export const placeholders = new WeakMap<Node, () => Comment | undefined>();

/** Moved elements, and their comments, that the page has moved since the script placed them. */
export const movedByPage = new WeakSet<Node>();

/** Records the moved elements and comments that the page has moved. */
export function noteMoves(mutations: MutationRecord[]): void {
  for (const { addedNodes } of mutations) addedNodes.forEach((node) => placeholders.has(node) && movedByPage.add(node));
}

/** The fragment that holds the page's content of an element. */
export const pageContents = new WeakMap<Node, Node>();

/** The element whose content a fragment holds. */
export const contentOwners = new WeakMap<Node, Node>();

/** Returns whether a node is in the page, or in a fragment whose element is. */
export const isAttached = (node: Node | null | undefined): unknown =>
  node && (node.isConnected || isAttached(contentOwners.get(node.getRootNode())));

/** Nodes that are where the script put them; they are not part of the page's content. */
export const ownNodes = new WeakSet<Node>();

/**
 * Functions that transfer to the box what the page has done to an element's content by methods that are not
 * intercepted.
 */
export const syncs = new WeakMap<Node, () => void>();

/**
 * The element to which a node's children belong: a fragment's element if the node is such a fragment, else the node.
 */
export const ownerOf = (node: Node | null | undefined): Node | null | undefined =>
  (node && contentOwners.get(node)) ?? node;

// Taken now, as a page may redefine them before they are used, and elements have their own versions.
const assign = Object.assign;
const { insertBefore: insertNode } = Node.prototype;

/** Inserts a node before another one, at that node's actual position. */
export const putBefore = (at: Node, node: Node): unknown => insertNode.call(at.parentNode, node, at);

const interceptions = new WeakMap<Node, number>();

/** The node at the position that the page knows: the placeholder of a moved node, else the node itself. */
export const placeholderOf = (node: Node): Child => placeholders.get(node)?.() ?? (node as Child);

/** Transfers to the box what the page has done to `parent`, before one of its methods acts. */
const sync = (parent: Node): void => asOurs(() => syncs.get(parent)?.());

/** Redirects calls on `parent` to placeholders and to the fragment with its content. */
export function interceptMethods(parent: Node): void {
  const count = interceptions.get(parent) ?? 0;
  interceptions.set(parent, count + 1);
  if (count) return;
  const put = (node: Node, at: Child | null): void => {
    const wanted = placeholderOf(node);
    const insert = (): unknown =>
      at?.parentNode ? putBefore(at, wanted) : ((pageContents.get(parent) ?? parent) as Element).append(wanted);
    // The page moves a placeholder itself only when it moves all children.
    if (wanted === node) insert();
    else asOurs(insert);
  };
  const insertBefore = <T extends Node>(node: T, before?: Node | null): T => {
    sync(parent);
    const mark = before ? placeholderOf(before) : null;
    const isHere = mark && [parent, pageContents.get(parent)].includes(mark.parentNode as Node);
    // A moved element of another parent may be among the children here, where the page may have found it.
    put(node, isHere ? mark : ((before ?? null) as Child | null));
    return node;
  };
  const removeChild = <T extends Node>(node: T): T => {
    // Only nodes that the page has moved are recorded: the replacement of one of our nodes may be next to it already.
    asOurs(() => {});
    placeholderOf(node).remove();
    (node as unknown as Child).remove();
    if (placeholders.has(node)) movedByPage.add(node);
    return node;
  };
  const methods: Methods = {
    insertBefore,
    removeChild,
    appendChild: (node) => insertBefore(node),
    replaceChild: (node, old) => {
      if ((node as Node) === old) return old;
      sync(parent);
      put(node, placeholderOf(old));
      return removeChild(old);
    },
  };
  const { moveBefore } = parent as Methods;
  if (moveBefore) {
    methods.moveBefore = (node, before) => {
      const isPlain = [node, before].every((each) => !each || placeholderOf(each) === each);
      // Keeps the state of the node, which is not possible for content that is not in the page.
      let isMoved: unknown;
      if (isPlain && !pageContents.has(parent)) {
        isMoved = quietly(() => {
          moveBefore.call(parent, node, before);
          return true;
        });
      }
      if (!isMoved) insertBefore(node, before);
    };
  }
  assign(parent, methods);
}

/** Ends one interception of `parent`. After the last one it has the methods of its prototype again. */
export function restoreMethods(parent: Node): void {
  const left = (interceptions.get(parent) as number) - 1;
  interceptions.set(parent, left);
  if (!left) {
    for (const name of ["insertBefore", "removeChild", "appendChild", "replaceChild", "moveBefore"]) {
      delete (parent as unknown as { [name: string]: unknown })[name];
    }
  }
}
