// What only rules ask of a visitor: it comes with them, as most rulesets have none.

import { referrerOf } from "../assign/page";
import type { Occurrence, Visitor } from "../assign/visitor";
import type { Session } from "./identity";
import { now, quietly, win } from "./world";

/** The first word whose expression fits, of `word=expression,…`, or of the word itself; null where none does, or its word is empty. */
const named = (text: string, words: string): string | null =>
  words
    .split(",")
    .find((entry) => RegExp(entry.replace(/.*=/, ""), "i").test(text))
    ?.replace(/=.*/, "") || null;

/** Device, browser and system, in the server's words; null for those that have none there. */
export function device(agent: string, touches: number): { device: string; browser: string | null; os: string | null } {
  // An iPad says that it is a Mac, but no Mac has a screen to touch.
  const ua = /macintosh/i.test(agent) && touches > 1 ? "ipad" + agent : agent;
  return {
    os: named(ua, "ios=ipad|iphone|ipod,android,windows=windows nt,chromeOS=cros,macOS=macintosh,linux=linux|x11"),
    device:
      named(ua, "tablet=ipad|tablet|kindle|silk|^(?!.*(mobile|iphone|ipod)).*android,mobile=mobi|iphone|ipod") ??
      "desktop",
    browser: named(
      ua,
      // A page inside an app is the app's.
      "=fban|fbav|instagram|samsungbrowser|ucbrowser|yabrowser|vivaldi|duckduckgo,edge=edg,opera=opr/|opera,ie=msie|trident,firefox=firefox|fxios,chrome=chrome|crios,safari",
    ),
  };
}

/** The first of cookies with one name is the most specific. */
const cookiesOf = (text: string): Map<string, string> =>
  new Map(
    [...text.matchAll(/(?:^|; *)([^=;]+)=([^;]*)/g)]
      .reverse()
      .map(([, name, value]) => [name!, quietly(() => decodeURIComponent(value!)) ?? value!]),
  );

/** What is known now, of the visit, what happened in it, and the text of all cookies. */
export function factsOf(
  { geo, from, type, audiences }: Session,
  events: Occurrence[],
  cookies: string,
): Partial<Visitor> {
  const { userAgent, maxTouchPoints, language } = win.navigator;
  const time = new Date(now());
  return {
    ...geo,
    ...device(userAgent, maxTouchPoints),
    language: language || null,
    visitor_type: type,
    referrer: from ? referrerOf(from) : null,
    cookies: cookiesOf(cookies),
    local_time: { weekday: time.getDay(), time: time.toTimeString().slice(0, 5) },
    audiences,
    events,
  };
}
