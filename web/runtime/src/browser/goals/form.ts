import type { Tell } from ".";
import { listen, win } from "../world";
import { isNamed } from "./selector";

/** Watches for forms that are sent. A form that is invalid, or that code sends by `submit()`, tells nobody. */
export function watchForms(forms: string[], tell: Tell): void {
  const sent = ({ target }: Event): void => {
    for (const form of forms) if (isNamed(target, form)) tell("submit", form);
  };
  listen(win, "submit", sent);
  // Out of a shadow tree clicks and keys are heard, but not the submission that they lead to. The same listener counts once.
  for (const type of ["click", "keydown"]) {
    listen(win, type, (event: Event) => {
      for (const node of event.composedPath()) if (node instanceof ShadowRoot) listen(node, "submit", sent);
    });
  }
}
