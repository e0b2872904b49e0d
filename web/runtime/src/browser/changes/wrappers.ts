// Scripts that wrap the page's text in their own elements: translators in browsers, glossaries, animated headings.
// Their version of our text stays. If we restored our text, they would only wrap it again.

import { ownNodes } from "./detour";

/** Returns whether a node is a `font` element: the translators in browsers wrap each text in them. */
export const isFont = (node: ChildNode): boolean => (node as Element).localName === "font";

/** The nodes before `next` that wrap or translate `text`; none if the nodes there belong to the page. */
export function replacementsOf(text: string, next: ChildNode): ChildNode[] {
  const found: ChildNode[] = [];
  let said = "";
  for (let node = next.previousSibling; node && !ownNodes.has(node); node = node.previousSibling) {
    found.unshift(node);
    said = node.textContent + said;
    if (isFont(node) || (said === text && found.some((each) => each.nodeType === 1))) return found;
    if (!text.endsWith(said)) break;
  }
  return [];
}
