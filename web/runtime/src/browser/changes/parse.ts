import { doc } from "../world";
import { trusted } from "./trust";

// Taken now: by the time that they are wanted a page may have redefined them.
const comment = doc.createComment.bind(doc);
const blank = doc.implementation.createHTMLDocument.bind(doc.implementation, "");
const words = doc.createTextNode.bind(doc);

let inert: Document | undefined;

/**
 * New nodes from text or html, made as if set on `context` but in a document of their own: nothing loads or runs before it is in the page,
 * and scripts never run.
 *
 * The last node is an empty comment, or a parser still at work in the same parent would add to a text of ours.
 */
export function parseNodes(context: Node, kind: "innerText" | "textContent" | "innerHTML", text: string): ChildNode[] {
  const end = comment("");
  // Most are one line of words, which need no parser.
  if (kind === "textContent" || (kind === "innerText" && !/[\r\n]/.test(text))) return [words(text), end];
  inert ??= blank();
  const holder = inert.importNode(context, false) as HTMLElement;
  holder[kind] = kind === "innerHTML" ? trusted("createHTML", text) : text;
  holder.append(end);
  return [...holder.childNodes];
}
