import type { EventFields } from "../events";
import { doc, listen, place, quietly } from "../world";
import { win } from "../world";
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
export function watchClicks(elements: string[], texts: string[], links: string[], tell: (key: string, event: EventFields) => void): void {
  const clicked = (event: MouseEvent): unknown =>
    quietly(() => {
      if (event.button > 1) return;
      const path = event.composedPath();
      const told = (by: string, trigger: string | undefined, href?: string): void => {
        if (trigger) tell(by + (href ?? trigger), { type: "click", by, trigger, href });
      };
      for (const selector of elements) if (path.some((node) => isNamed(node, selector))) told("element", selector);
      if (texts[0]) {
        const around = path.findIndex((node) => isNamed(node, INTERACTIVE)) + 1 || 1;
        const read = path.slice(0, around).map((node) => textOf(node as HTMLInputElement));
        for (const text of texts) if (read.includes(folded(text))) told("text", text);
      }
      const link = links[0] && path.find((node) => isNamed(node, "a[href],area[href]"));
      if (link) {
        // Not its property, which is no text in drawings.
        const { href, hostname, protocol } = new URL((link as Element).getAttribute("href")!, doc.baseURI);
        if (hostname !== place.hostname && /^http/.test(protocol)) told("link", links.find((text) => href.includes(text)), href);
      }
    });
  listen(win, "click", clicked);
  listen(win, "auxclick", clicked);
}
