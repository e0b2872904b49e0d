import { doc } from "../world";
import { trusted } from "./trust";

const inert = doc.implementation.createHTMLDocument("");

/**
 * New nodes from text or html, made as if set on `context` but in a document of their own: nothing loads or runs before it is in the page,
 * and scripts never run.
 *
 * The last node is an empty comment, or a parser still at work in the same parent would add to a text of ours.
 */
export function parseNodes(context: Node, kind: "innerText" | "textContent" | "innerHTML", text: string): ChildNode[] {
  const holder = inert.importNode(context, false) as HTMLElement;
  holder[kind] = kind === "innerHTML" ? trusted("createHTML", text) : text;
  holder.append(inert.createComment(""));
  return [...holder.childNodes];
}
