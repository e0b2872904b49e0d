// What a page knows of its visitor, in the words of targeting.

import type { Occurrence, Visitor } from "../assign/visitor";
import { addressOf, referrerOf } from "../assign/page";
import type { Experiment } from "../ruleset";
import type { Identity } from "./identity";
import { cookies } from "./storage";
import { agent, now, place } from "./world";

/** The first of the words whose expression fits. */
const named = (text: string, words: [string | null, RegExp][]): string | null => words.find(([, form]) => form.test(text))?.[0] ?? null;

/** Device, browser and system, in the server's words; null for those that have none there. */
export function device(ua: string, touches: number): { device: string; browser: string | null; os: string | null } {
  // An iPad says that it is a Mac, but no Mac has a screen to touch.
  const pad = /ipad/i.test(ua) || (/macintosh/i.test(ua) && touches > 1);
  const os = pad
    ? "ios"
    : named(ua, [
        ["ios", /iphone|ipod/i],
        ["android", /android/i],
        ["windows", /windows nt/i],
        ["chromeOS", /cros/i],
        ["macOS", /macintosh/i],
        ["linux", /linux|x11/i],
      ]);
  return {
    os,
    device: pad || /tablet|kindle|silk/i.test(ua) || (os === "android" && !/mobile/i.test(ua)) ? "tablet" : /mobi|iphone|ipod/i.test(ua) ? "mobile" : "desktop",
    browser: named(ua, [
      // A page inside an app is the app's.
      [null, /fban|fbav|instagram|samsungbrowser|ucbrowser|yabrowser|vivaldi|duckduckgo/i],
      ["edge", /edg/i],
      ["opera", /opr\/|opera/i],
      ["ie", /msie|trident/i],
      ["firefox", /firefox|fxios/i],
      ["chrome", /chrome|crios/i],
      ["safari", /safari/i],
    ]),
  };
}

/** The visitor of a decision that is made now. */
export function visitorOf({ id, session, arms }: Identity, audiences: string[] | undefined, events: Occurrence[], experiments: Experiment[]): Visitor {
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
    audiences,
    attributes: new Map(Object.entries(session.about)),
    events,
    sticky: new Map(
      experiments.flatMap(({ experiment_key, test_id }): [string, number][] => (arms.has(test_id) ? [[experiment_key, arms.get(test_id)!]] : [])),
    ),
  };
}
