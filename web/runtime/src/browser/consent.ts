// Whether the visitor may be recorded.

import { type Settings, settings } from "./settings";
import { kept } from "./storage";
import { agent } from "./world";

/** The answer, or what the project does with those who have not given any. */
export type Consent = "granted" | "denied" | Settings["consent"];

/** What was said before, else what the project assumes of those who said nothing. */
export const consented = (): Consent =>
  (kept("c") as Consent | undefined) ||
  // A signal of the browser is an answer, too.
  (settings.gpc && (agent as { globalPrivacyControl?: boolean }).globalPrivacyControl ? "denied" : settings.consent);
