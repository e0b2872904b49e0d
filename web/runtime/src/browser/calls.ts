// The methods of the page API, which may throw: boot.ts puts them on the page.

import type { Scalar } from "../ruleset";
import { variantOf } from "./arms";
import { ATTRIBUTES_CHARS_MAX, PROPERTIES_MAX } from "./limits";
import { on } from "./listeners";
import { consentGiven, record, reportLost, currentVisitor } from "./recorder";
import { track } from "./stage";
import { clearCookieCache } from "./storage";
import { scalarsOf } from "./values";
import { stringify } from "./world";

/**
 * Creates the methods. `look` decides all experiments again with the attributes and consent that the page has passed.
 */
export function pageApi(look: () => void) {
  return {
    track,
    /** Fires a `script` goal. */
    trigger: (trigger: string): void => record({ type: "script", trigger: trigger + "" }),
    identify(user: string | null, attributes?: Record<string, Scalar | string[]> | null): void {
      clearCookieCache();
      const { _session: session } = currentVisitor();
      const audiences = attributes?.audiences;
      if (audiences) session.audiences = ([] as unknown[]).concat(audiences).map(String);
      const about: typeof session.about = {
        ...session.about,
        ...scalarsOf(attributes),
        ...(user != null && { user_id: user + "" }),
      };
      if (user === null) delete about.user_id;
      // The attributes are part of every batch: the server would refuse all batches if they were too large.
      if (Object.keys(about).length <= PROPERTIES_MAX && stringify(about).length <= ATTRIBUTES_CHARS_MAX)
        session.about = about;
      else reportLost([[{ type: "identify", attributes: about }, "limit"]]);
      record({ type: "identify", attributes: session.about });
      look();
    },
    /** Also accepts the words of consent managers. */
    consent(said: unknown): void {
      clearCookieCache();
      consentGiven(said === true || said === "granted");
      look();
    },
    variant: variantOf,
    on,
  };
}
