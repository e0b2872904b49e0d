// Whether the visitor may be recorded.

import type { Settings } from "./settings";
import { keep, kept } from "./storage";
import { agent } from "./world";

export type Consent = "granted" | "denied" | "pending";

/** What was said before, else what the project assumes of those who said nothing. */
export function consented(settings: Settings): Consent {
  const said = kept(settings.global + "_c");
  if (said) return said as Consent;
  // A signal of the browser is an answer, too.
  if (settings.gpc && (agent as { globalPrivacyControl?: boolean }).globalPrivacyControl) return "denied";
  return settings.consent === "assumed" ? "granted" : "pending";
}

/** Remembers the answer: it is the visitor's own wish that it is. */
export const answer = (settings: Settings, consent: Consent): void => keep(settings.global + "_c", consent);
