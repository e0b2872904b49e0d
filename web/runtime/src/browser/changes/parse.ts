import { doc } from "../world";
import { trusted } from "./trust";

// Taken now, as a page may redefine them before they are used.
const createComment = doc.createComment.bind(doc);
const createDocument = doc.implementation.createHTMLDocument.bind(doc.implementation, "");
const createText = doc.createTextNode.bind(doc);

let inert: Document | undefined;

/**
 * Creates nodes from text or HTML as if it were set on `context`, but in an inert document: nothing loads before the nodes are in the page,
 * and scripts never run.
 *
 * The last node is an empty comment, so that a parser that is still running in the same parent does not append to our
 * text.
 */
export function parseNodes(context: Node, kind: "innerText" | "textContent" | "innerHTML", text: string): ChildNode[] {
  const end = createComment("");
  // Most are one line of text, which needs no parser.
  if (kind === "textContent" || (kind === "innerText" && !/[\r\n]/.test(text))) return [createText(text), end];
  inert ??= createDocument();
  const holder = inert.importNode(context, false) as HTMLElement;
  holder[kind] = kind === "innerHTML" ? trusted("createHTML", text) : text;
  holder.append(end);
  return [...holder.childNodes];
}
