// Derives the traffic source from the referrer and the page: docs/assignment-pages.md, Sources. Its lists are longer than
// the rest of the core, so the core does not import it: callers pass `sourceOf` in where they need it.

import { type Address, withoutWww } from "./page";
import { parameterOf, type Referrer } from "./referrer";
import { asciiLowercase } from "./text";

/** A source, the prefix of its `utm_medium`, other values of `utm_medium`, and hosts. */
const SOURCES: readonly (readonly [source: string, medium: string, mediums: string, hosts: string])[] = [
  ["paid", "paid", "affiliate affiliates banner cpa cpc cpm cpv display ppc remarketing retargeting", ""],
  [
    "email",
    "email",
    "mail newsletter",
    "mail webmail outlook e.mail.ru fastmail.com hey.com deref-gmx.net deref-web.de com.google.android.gm",
  ],
  [
    "social",
    "social",
    "sm",
    "facebook.com instagram.com threads.com threads.net messenger.com whatsapp.com x.com twitter.com t.co linkedin.com " +
      "lnkd.in reddit.com pinterest pinterest.com tiktok.com youtube.com youtu.be snapchat.com tumblr.com quora.com " +
      "vk.com ok.ru weibo.com xing.com bsky.app mastodon.social discord.com t.me telegram.org news.ycombinator.com " +
      "com.linkedin.android com.reddit.frontpage org.telegram.messenger",
  ],
  [
    "search",
    "organic",
    "",
    "google bing.com duckduckgo.com yandex ya.ru baidu.com search.yahoo.com search.yahoo.co.jp ecosia.org " +
      "qwant.com startpage.com search.brave.com kagi.com mojeek.com swisscows.com metager.org " +
      "metager.de search.naver.com search.daum.net search.seznam.cz sogou.com so.com " +
      "coccoc.com search.aol.com ask.com com.google.android.googlequicksearchbox",
  ],
];

/** The traffic source of a visitor: `direct`, `search`, `social`, `email`, `paid` or `referral`. */
export function sourceOf(from: Referrer | null, page: Address | null | undefined): string {
  const parameter = (name: string): string => (page && parameterOf(page, name)) || "";
  if ("gclid gbraid wbraid dclid msclkid ttclid li_fat_id twclid".split(" ").some(parameter)) return "paid";
  const medium = asciiLowercase(parameter("utm_medium").replace(/[^A-Za-z]+/g, ""));
  // A referrer on the same site does not count.
  const way = from?.host && page && withoutWww(from.host) === withoutWww(page.host) ? null : from;
  const host = way?.host && withoutWww(way.host);
  const means = (entry: string): boolean =>
    !!host && (entry.includes(".") ? `.${host}`.endsWith(`.${entry}`) : host.startsWith(`${entry}.`));
  for (const [source, beginning, mediums, hosts] of SOURCES) {
    const isMedium = medium.startsWith(beginning) || (medium && mediums.split(" ").includes(medium));
    // An empty list has no hosts, but splitting the empty string gives one empty name.
    // biome-ignore lint/complexity/useOptionalChain: the empty text has to end it, too.
    if (isMedium || (hosts && hosts.split(" ").some(means))) return source;
  }
  return way ? "referral" : "direct";
}
