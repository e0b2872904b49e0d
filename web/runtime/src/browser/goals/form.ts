import type { EventFields } from "../events";
import { listen, quietly, win } from "../world";
import { isNamed } from "./selector";

/** Watches for forms that are sent. A form that is invalid, or that code sends by `submit()`, tells nobody. */
export function watchForms(forms: string[], tell: (key: string, event: EventFields) => void): void {
  if (!forms[0]) return;
  const sent = (event: Event): void => {
    for (const trigger of forms) {
      if (isNamed(event.composedPath()[0], trigger)) quietly(() => tell("submit" + trigger, { type: "submit", trigger }));
    }
  };
  listen(win, "submit", sent);
  // Out of a shadow tree clicks and keys are heard, but not the submission that they lead to. The same listener counts once.
  for (const type of ["click", "keydown"]) {
    listen(win, type, (event: Event) => {
      for (const node of event.composedPath()) if (node instanceof ShadowRoot) listen(node, "submit", sent);
    });
  }
}
