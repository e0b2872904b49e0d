// What strict policies of a page ask for: the nonce of our own script, and Trusted Types where they are required.

import { quietly } from "../world";

interface Policy {
  createHTML(text: string): string;
  createScript(text: string): string;
  createScriptURL(text: string): string;
}

const same = (text: string): string => text;
const plain: Policy = { createHTML: same, createScript: same, createScriptURL: same };

let policy: Policy | undefined;

/** Nonce that the page gave to our own script; nothing where it gave none. */
let nonce = "";

/** Takes the nonce of our own script, for what is added to the page. */
export const setNonce = (given: string): void => {
  nonce = given;
};

/** Gives an element the nonce of our own script, and gives it back. */
export const signed = <T extends HTMLElement>(element: T): T => {
  element.nonce = nonce;
  return element;
};

/**
 * The text as the page's policy takes it.
 *
 * The policy is named `muriel` and made when first wanted, so that pages without html blocks and code need not allow it. A page may allow a name
 * once only: parts get this function from the kit, and never bundle a copy of this module. Where the page does not allow the name, the text stays
 * a string: the assignment that follows throws if the page requires more.
 */
export const trusted = (kind: keyof Policy, text: string): string =>
  (policy ??=
    quietly(() =>
      (
        window as unknown as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }
      ).trustedTypes?.createPolicy("muriel", plain),
    ) ?? plain)[kind](text);
