// What a page knows of its visitor, in the words of targeting.

import type { Occurrence, Visitor } from "../assign/visitor";
import { addressOf, referrerOf } from "../assign/page";
import type { Experiment } from "../ruleset";
import { armsOf, type Identity } from "./identity";
import { cookies } from "./storage";
import { agent, now, place } from "./world";

/** The first word whose expression fits, of `word=expression,…`, or of the word itself; null where none does, or its word is empty. */
const named = (text: string, words: string): string | null =>
  words.split(",").find((entry) => RegExp(entry.replace(/.*=/, ""), "i").test(text))?.replace(/=.*/, "") || null;

/** Device, browser and system, in the server's words; null for those that have none there. */
export function device(agent: string, touches: number): { device: string; browser: string | null; os: string | null } {
  // An iPad says that it is a Mac, but no Mac has a screen to touch.
  const ua = /macintosh/i.test(agent) && touches > 1 ? "ipad" + agent : agent;
  return {
    os: named(ua, "ios=ipad|iphone|ipod,android,windows=windows nt,chromeOS=cros,macOS=macintosh,linux=linux|x11"),
    device: named(ua, "tablet=ipad|tablet|kindle|silk|^(?!.*(mobile|iphone|ipod)).*android,mobile=mobi|iphone|ipod") ?? "desktop",
    browser: named(
      ua,
      // A page inside an app is the app's.
      "=fban|fbav|instagram|samsungbrowser|ucbrowser|yabrowser|vivaldi|duckduckgo,edge=edg,opera=opr/|opera,ie=msie|trident,firefox=firefox|fxios,chrome=chrome|crios,safari",
    ),
  };
}

/** The visitor of a decision that is made now. */
export function visitorOf(who: Identity, events: Occurrence[], experiments: Experiment[]): Visitor {
  const { id, session } = who;
  const arms = armsOf(who);
  const time = new Date(now());
  return {
    ...session.geo,
    ...device(agent.userAgent, agent.maxTouchPoints),
    id,
    language: agent.language || null,
    visitor_type: session.type,
    referrer: session.from ? referrerOf(session.from) : null,
    url: addressOf(place.href),
    cookies: cookies(),
    local_time: { weekday: time.getDay(), time: time.toTimeString().slice(0, 5) },
    audiences: session.audiences,
    attributes: new Map(Object.entries(session.about)),
    events,
    // An arm that is not known is `undefined`, as if it were not in here.
    sticky: new Map(experiments.map(({ experiment_key, test_id }) => [experiment_key, arms.get(test_id)!])),
  };
}
