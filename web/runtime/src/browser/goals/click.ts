import type { Tell } from ".";
import { bare } from "../../assign/page";
import { doc, listen, place, quietly, win } from "../world";
import { isNamed } from "./selector";

/** What visitors mean to click when they click on something inside. */
const INTERACTIVE = "a,button,summary,label,input,[role=button]";

/** Texts are the same however they are spaced and capitalised. Capitals, as ß has two of them. */
const folded = (text: string): string => text.replace(/\s+/g, " ").trim().toUpperCase();

/** What an element reads: its visible text, else its label, else what stands in it. */
const textOf = (element: HTMLInputElement): string | undefined =>
  quietly(() => folded(element.innerText || element.getAttribute("aria-label") || element.value));

/**
 * Watches for clicks, by mouse, finger, keyboard or code of the page, and for those with the middle button.
 *
 * `elements`: selectors; what is clicked is inside of a match, or it is one. `texts`: what is clicked, or the button, link,
 * label or input around it, or anything between the two, reads exactly so. `links`: the link leads to another host, and its
 * whole address contains the text; however many do, it is one event.
 */
export function watchClicks(elements: string[], texts: string[], links: string[], tell: Tell): void {
  for (const type of ["click", "auxclick"]) {
    listen(win, type, (event: MouseEvent) =>
      quietly(() => {
        if (event.button > 1) return;
        // All but the document and the window.
        const path = event.composedPath().slice(0, -2) as HTMLInputElement[];
        const inside = (selector: string): number => path.findIndex((node) => isNamed(node, selector));
        const each = (by: string, triggers: string[], fits: (trigger: string) => boolean, href?: string): void =>
          triggers.filter(fits).forEach((trigger) => tell("click", trigger, by, href));
        each("element", elements, (selector) => inside(selector) >= 0);
        if (texts[0]) {
          const read = path.slice(0, inside(INTERACTIVE) + 1 || 1).map(textOf);
          each("text", texts, (text) => read.includes(folded(text)));
        }
        // Not the property of a link, which is no text in drawings.
        const { href, hostname, protocol } = new URL(
          path[inside("a[href],area[href]")]!.getAttribute("href")!,
          doc.baseURI,
        );
        if (bare(hostname) !== bare(place.hostname) && /^http/.test(protocol))
          each("link", links, (text) => href.includes(text), href);
      }),
    );
  }
}
