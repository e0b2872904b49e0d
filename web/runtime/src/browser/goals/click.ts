import type { RecordAction } from ".";
import { withoutWww } from "../../assign/page";
import { doc, listen, pageLocation, quietly, win } from "../world";
import { isNamed } from "./selector";

/** Elements for which a click on their content is meant. */
const INTERACTIVE = "a,button,summary,label,input,[role=button]";

/** Normalises white space and case for comparison. Upper case, as `ß` becomes `SS`. */
const normalizedText = (text: string): string => text.replace(/\s+/g, " ").trim().toUpperCase();

/** The text of an element: its visible text, else its label, else its value. */
const textOf = (element: HTMLInputElement): string | undefined =>
  quietly(() => normalizedText(element.innerText || element.getAttribute("aria-label") || element.value));

/**
 * Watches for clicks by mouse, touch, keyboard or script, including the middle button.
 *
 * `elements`: selectors; the click target or an ancestor matches. `texts`: the click target, the button, link, label or input
 * around it, or an element between the two has exactly this text. `links`: the link leads to another host, and its address
 * contains the text; several matching texts count as one event.
 */
export function watchClicks(elements: string[], texts: string[], links: string[], tell: RecordAction): void {
  for (const type of ["click", "auxclick"]) {
    listen(win, type, (event: MouseEvent) =>
      quietly(() => {
        if (event.button > 1) return;
        // The elements of the path, without the document and the window.
        const path = event.composedPath().slice(0, -2) as HTMLInputElement[];
        const inside = (selector: string): number => path.findIndex((node) => isNamed(node, selector));
        const each = (by: string, triggers: string[], fits: (trigger: string) => boolean, href?: string): void =>
          triggers.filter(fits).forEach((trigger) => tell("click", trigger, { by, href }));
        each("element", elements, (selector) => inside(selector) >= 0);
        if (texts[0]) {
          const read = path.slice(0, inside(INTERACTIVE) + 1 || 1).map(textOf);
          each("text", texts, (text) => read.includes(normalizedText(text)));
        }
        // The attribute, as the `href` property of SVG links is not a string.
        const { href, hostname, protocol } = new URL(
          path[inside("a[href],area[href]")]!.getAttribute("href")!,
          doc.baseURI,
        );
        if (withoutWww(hostname) !== withoutWww(pageLocation.hostname) && /^http/.test(protocol))
          each("link", links, (text) => href.includes(text), href);
      }),
    );
  }
}
