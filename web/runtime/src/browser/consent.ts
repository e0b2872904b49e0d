// Whether the visitor may be recorded.

import { settings } from "./settings";
import { kept } from "./storage";
import { agent } from "./world";

export type Consent = "granted" | "denied" | "pending";

/** What was said before, else what the project assumes of those who said nothing. */
export function consented(): Consent {
  const said = kept("c");
  if (said) return said as Consent;
  // A signal of the browser is an answer, too.
  if (settings.gpc && (agent as { globalPrivacyControl?: boolean }).globalPrivacyControl) return "denied";
  return settings.consent === "assumed" ? "granted" : "pending";
}
