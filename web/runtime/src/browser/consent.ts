// The visitor's consent to being recorded.

import { type Settings, settings } from "./settings";
import { recall, remember } from "./storage";
import { browser } from "./world";

/** The visitor's answer, or the project's setting for visitors who have not answered. */
export type Consent = "granted" | "denied" | Settings["consent"];

/** The answer given on this page, for browsers that store nothing. */
let lastAnswer: Consent | undefined;

/** The stored answer from any page of the site, else the project's setting for visitors who have not answered. */
export const currentConsent = (): Consent =>
  (recall("c") as Consent | undefined) ||
  lastAnswer ||
  // Global Privacy Control counts as an answer.
  (settings.gpc && (browser as { globalPrivacyControl?: boolean }).globalPrivacyControl ? "denied" : settings.consent);

/** Stores the visitor's answer. */
export function storeConsent(isGranted: boolean): void {
  lastAnswer = isGranted ? "granted" : "denied";
  remember("c", lastAnswer);
}
