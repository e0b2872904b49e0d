// Support for strict policies of a page: the nonce of this script, and Trusted Types.

import { quietly } from "../world";

interface TrustedPolicy {
  createHTML(text: string): string;
  createScript(text: string): string;
  createScriptURL(text: string): string;
}

const same = (text: string): string => text;
const identityPolicy: TrustedPolicy = { createHTML: same, createScript: same, createScriptURL: same };

let policy: TrustedPolicy | undefined;

/** The nonce of this script; empty without one. */
let nonce = "";

/** Sets the nonce for elements that are added to the page. */
export const setNonce = (given: string): void => {
  nonce = given;
};

/** Sets the nonce of an element, and returns it. */
export const signed = <T extends HTMLElement>(element: T): T => {
  element.nonce = nonce;
  return element;
};

/**
 * Converts a text by the Trusted Types policy.
 *
 * The policy is named `muriel` and created on first use, so that pages without HTML changes and code need not allow it. A page may allow each
 * name only once: parts get this function from the kit, and never bundle a copy of this module. If the page does not allow the name, the text
 * stays a string, and the assignment that follows throws if the page requires Trusted Types.
 */
export const trusted = (kind: keyof TrustedPolicy, text: string): string =>
  (policy ??=
    quietly(() =>
      (
        window as unknown as { trustedTypes?: { createPolicy(name: string, rules: TrustedPolicy): TrustedPolicy } }
      ).trustedTypes?.createPolicy("muriel", identityPolicy),
    ) ?? identityPolicy)[kind](text);
