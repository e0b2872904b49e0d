// What pages call. Nothing of it throws.

import type { Plain } from "../ruleset";
import { variantOf } from "./arms";
import { ABOUT_MAX, NAMES_MAX } from "./limits";
import { on } from "./listeners";
import { consentGiven, record, who } from "./recorder";
import { track } from "./stage";
import { reread } from "./storage";
import { plain } from "./values";
import { quietly, stringify } from "./world";

/** The page API. `look` decides again, with what the page has said by then. */
export function pageApi(look: () => void) {
  const calls = {
    track,
    /** Fires a `script` goal. */
    trigger: (trigger: string): void => record({ type: "script", trigger: trigger + "" }),
    identify(user: string | null, attributes?: Record<string, Plain | string[]> | null): void {
      reread();
      const { session } = who();
      const audiences = attributes?.audiences;
      if (audiences) session.audiences = ([] as unknown[]).concat(audiences).map(String);
      const about: typeof session.about = {
        ...session.about,
        ...plain(attributes),
        ...(user != null && { user_id: user + "" }),
      };
      if (user === null) delete about.user_id;
      // It goes with every batch: with too much of it the server would take none.
      if (Object.keys(about).length <= NAMES_MAX && stringify(about).length <= ABOUT_MAX) session.about = about;
      record({ type: "identify", attributes: session.about });
      look();
    },
    /** In the words of consent managers, too. */
    consent(said: unknown): void {
      reread();
      consentGiven(said === true || said === "granted");
      look();
    },
    variant: variantOf,
    on,
  };
  const call = ([name, ...given]: [keyof typeof calls, ...unknown[]]): unknown =>
    (calls[name] as (...given: unknown[]) => unknown)(...given);
  const safe = Object.keys(calls).map((name) => [
    name,
    (...given: unknown[]) => quietly(() => call([name as keyof typeof calls, ...given])),
  ]);
  return {
    ...(Object.fromEntries(safe) as typeof calls),
    push(...entries: unknown[]): void {
      for (const entry of entries) quietly(() => call(entry as never));
    },
  };
}
