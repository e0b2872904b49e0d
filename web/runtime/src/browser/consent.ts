// Whether the visitor may be recorded.

import { type Settings, settings } from "./settings";
import { recall, remember } from "./storage";
import { agent } from "./world";

/** The answer, or what the project does with those who have not given any. */
export type Consent = "granted" | "denied" | Settings["consent"];

/** The answer that was given on this page, where it can be written nowhere. */
let said: Consent | undefined;

/** What was said before, on any page of the site, else what the project assumes of those who said nothing. */
export const consented = (): Consent =>
  (recall("c") as Consent | undefined) ||
  said ||
  // A signal of the browser is an answer, too.
  (settings.gpc && (agent as { globalPrivacyControl?: boolean }).globalPrivacyControl ? "denied" : settings.consent);

/** Takes the visitor's answer, and keeps it. */
export function answer(isGranted: boolean): void {
  said = isGranted ? "granted" : "denied";
  remember("c", said);
}
