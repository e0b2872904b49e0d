import type { RecordAction } from ".";
import { listen, win } from "../world";
import { isNamed } from "./selector";

/** Watches for submitted forms. Invalid forms and calls of `submit()` fire no event. */
export function watchForms(forms: string[], tell: RecordAction): void {
  const sent = ({ target }: Event): void => {
    for (const form of forms) if (isNamed(target, form)) tell("submit", form);
  };
  listen(win, "submit", sent);
  // `submit` does not leave a shadow tree, but clicks and keys do, so the listener is added to the shadow roots on their path. Adding it
  // twice has no effect.
  for (const type of ["click", "keydown"]) {
    listen(win, type, (event: Event) => {
      for (const node of event.composedPath()) if (node instanceof ShadowRoot) listen(node, "submit", sent);
    });
  }
}
