// Style sheets of experiments.

import { doc } from "../world";
import { signed } from "./trust";
import type { Undo } from "./undo";

/**
 * Adds a style sheet to the page. Returns a function that removes it.
 *
 * Uses a constructed sheet, which a strict policy allows. Without support for them, or if the text has `@import` (which constructed sheets
 * ignore), uses a style element with the nonce of this script.
 */
export function applyCss(css: string): Undo {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    if (/@import/i.test(css)) throw 0;
    doc.adoptedStyleSheets = [...doc.adoptedStyleSheets, sheet];
    return () => {
      doc.adoptedStyleSheets = doc.adoptedStyleSheets.filter((other) => other !== sheet);
    };
  } catch {
    const style = signed(doc.createElement("style"));
    style.textContent = css;
    (doc.head || doc.documentElement).append(style);
    return () => style.remove();
  }
}
