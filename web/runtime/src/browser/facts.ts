// Facts about the visitor that only targeting rules need. They are in the part `rules`, as most rulesets have no rules.

import { referrerOf } from "../assign/referrer";
import type { PastEvent, Visitor } from "../assign/visitor";
import type { Session } from "./identity";
import { now, quietly, win } from "./world";

/**
 * The first word of `word=expression,…` whose expression matches (without `=` the word is the expression). Null if none
 * matches or the word is empty.
 */
const firstMatch = (text: string, words: string): string | null =>
  words
    .split(",")
    .find((entry) => RegExp(entry.replace(/.*=/, ""), "i").test(text))
    ?.replace(/=.*/, "") || null;

/** Device, browser and operating system by the server's names; null for those that it does not know. */
export function device(agent: string, touches: number): { device: string; browser: string | null; os: string | null } {
  // An iPad claims to be a Mac, but Macs have no touch screen.
  const ua = /macintosh/i.test(agent) && touches > 1 ? "ipad" + agent : agent;
  return {
    os: firstMatch(ua, "ios=ipad|iphone|ipod,android,windows=windows nt,chromeOS=cros,macOS=macintosh,linux=linux|x11"),
    device:
      firstMatch(ua, "tablet=ipad|tablet|kindle|silk|^(?!.*(mobile|iphone|ipod)).*android,mobile=mobi|iphone|ipod") ??
      "desktop",
    browser: firstMatch(
      ua,
      // Browsers within apps, and others that rules do not know, have no name here.
      "=fban|fbav|instagram|samsungbrowser|ucbrowser|yabrowser|vivaldi|duckduckgo,edge=edg,opera=opr/|opera,ie=msie|trident,firefox=firefox|fxios,chrome=chrome|crios,safari",
    ),
  };
}

/** Cookies by name. If several have the same name, the first is the most specific, so it is set last. */
const cookiesOf = (text: string): Map<string, string> =>
  new Map(
    [...text.matchAll(/(?:^|; *)([^=;]+)=([^;]*)/g)]
      .reverse()
      .map(([, name, value]) => [name!, quietly(() => decodeURIComponent(value!)) ?? value!]),
  );

/** The facts that are known now, from the session, the past events and the cookie header. */
export function factsOf(
  { geo, from, type, audiences }: Session,
  events: PastEvent[],
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
