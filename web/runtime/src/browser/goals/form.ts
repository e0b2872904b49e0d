import type { RecordAction } from ".";
import { URL_CHARS_MAX } from "../limits";
import { listen, pageLocation, startTimer, win } from "../world";
import { isNamed } from "./selector";

const address = (): string => pageLocation.href.slice(0, URL_CHARS_MAX);

/**
 * Watches for submitted forms. Invalid forms and calls of `submit()` fire no event.
 *
 * An event whose default is prevented counts, too: a script may send the form itself, or may have found a mistake, and
 * the browser does not say which. The recorded event has this information, so it is recorded after the page's listeners
 * have been called.
 */
export function watchForms(forms: string[], tell: RecordAction): void {
  const sent = (event: Event): void => {
    const { target } = event;
    const named = forms.filter((form) => isNamed(target, form));
    if (!named[0]) return;
    // The listeners of the page may change the address.
    const url = address();
    let isTold = false;
    const told = (): void => {
      if (isTold) return;
      isTold = true;
      const more = {
        ...(url !== address() && { url }),
        ...(event.defaultPrevented && { properties: { prevented: true } }),
      };
      for (const form of named) tell("submit", form, more);
    };
    startTimer(told);
    listen(win, "pagehide", told);
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
