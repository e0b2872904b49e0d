// Style sheets of experiments.

import { doc } from "../world";
import { signed } from "./trust";
import type { Undo } from "./undo";

/**
 * Adds style rules to the page and gives what takes them away.
 *
 * A constructed sheet, beside those of the page: a strict policy allows it. Where there is no such thing, or the text imports others (which
 * constructed sheets ignore), a style element with our nonce.
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
