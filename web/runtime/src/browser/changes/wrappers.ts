// Scripts that put the page's words into elements of their own: translators of browsers, glossaries, animated headings. What they make of our
// words stays. Putting our words again would only have them wrapped again.

import { doc } from "../world";
import { ownNodes } from "./detour";

/** Whether the browser has translated the page, as Chrome and Edge show on the root element. */
export const isTranslated = (): boolean => /\btranslated-(ltr|rtl)\b/.test(doc.documentElement.className);

/** Browsers' translators put each text into `font` elements. */
export const isFont = (node: ChildNode): boolean => (node as Element).localName === "font";

/** The nodes before `next` that wrap or translate `text`; none if they are of the page. */
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
