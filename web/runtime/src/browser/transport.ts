// Events on their way: gathered for a moment, sent in one request that outlives the page, and sent again where the server did
// not take them. The server counts each id once, so sending twice harms nobody.

import type { EventFields } from "./events";
import { BATCH_MAX, BYTES_MAX, KEPT_MAX, QUEUE_MAX, TRIES_MAX, UNANSWERED_MAX } from "./limits";
import { settings } from "./settings";
import { domain, keep, kept } from "./storage";
import { agent, doc, fetching, later, listen, never, now, parse, quietly, random, stringify, win } from "./world";

/** An event with its id and time. */
export type Stamped = EventFields & { id: string; at: Date | string };

/** Now in the first 48 bits of a UUID, chance in the others but four (RFC 9562, version 7). */
export const uuid = (): string =>
  ((now() + 2 ** 48).toString(16).slice(-12) + [...win.crypto.getRandomValues(new Uint8Array(10))].map((byte) => (byte + 256).toString(16).slice(1)).join(""))
    .replace(/(.{8})(.{4}).(.{3}).(.{3})/, "$1-$2-7$3-8$4-");

export interface Transport {
  /** Takes an event to be sent within two seconds, or at once. */
  send(event: Stamped, soon?: boolean): void;
  /** Sends what waits now: the page is left, or may send from here on. */
  leave(): void;
  resume(): void;
  /** Drops what waits. */
  drop(): void;
}

/** `visitor` gives what a batch says of its sender at the moment it leaves, or nothing while nothing may be sent. */
export function transport(visitor: () => object | undefined): Transport {
  // Where the server is reached through the site it renews our cookies, for the same domain.
  const to = (): string => settings.base + settings.events + (domain && "?d=" + domain);
  let waiting: Stamped[] = quietly(() => parse(kept("q")!) as Stamped[]) ?? [];
  let timer = 0;
  let tries = 0;
  let isFlying = false;

  /** Hands over the first events that fit into one request, as text. What was not taken waits again. */
  function take(who: object): [text: string, back: () => void] {
    for (let count = BATCH_MAX; ; count >>= 1) {
      const events = waiting.slice(0, count);
      const text = stringify({ sent_at: new Date(), ...who, events });
      if (count < 2 || new Blob([text]).size <= BYTES_MAX) {
        waiting = waiting.slice(count);
        return [text, () => (waiting = [...events, ...waiting])];
      }
    }
  }

  function plan(wait: number): void {
    // What waits already waits less, or for a server that has trouble.
    if (timer && wait) return;
    never(timer);
    timer = later(flush, wait);
  }

  async function flush(): Promise<void> {
    timer = 0;
    const who = visitor();
    if (isFlying || !who || !waiting[0]) return;
    const [body, back] = take(who);
    isFlying = true;
    // A body that is a text asks no other origin for leave first. Without an answer it is offline, or blocked.
    const { status } = await fetching(to(), { method: "POST", body, keepalive: true }).catch(() => ({ status: 0 }));
    isFlying = false;
    if (status && status !== 429 && status < 500) {
      // Taken; or refused, as it would be again.
      tries = 0;
      if (waiting[0]) plan(0);
    } else {
      back();
      if (++tries < (status ? TRIES_MAX : UNANSWERED_MAX)) plan(1_000 * 2 ** tries * (0.5 + random()));
    }
    save();
  }

  /** What was not taken yet goes on the next page, or when the connection is back. */
  function save(): void {
    if (visitor()) keep("q", tries ? stringify(waiting.slice(-KEPT_MAX)) : "");
  }

  /** The page may not come back: all that waits leaves now. */
  function leave(): void {
    const who = visitor();
    while (who && waiting[0]) {
      const [body, back] = take(who);
      if (!quietly(() => agent.sendBeacon(to(), body))) {
        back();
        tries ||= 1;
        return save();
      }
    }
  }

  const resume = (): void => {
    tries = 0;
    plan(0);
  };
  listen(doc, "visibilitychange", () => doc.visibilityState === "hidden" && leave());
  listen(win, "pagehide", leave);
  listen(win, "online", resume);
  listen(doc, "prerenderingchange", resume);

  return {
    leave,
    resume,
    send(event, soon) {
      waiting = [...waiting, event].slice(-QUEUE_MAX);
      if (tries < UNANSWERED_MAX) plan(soon ? 0 : 2_000);
    },
    drop() {
      waiting = [];
      keep("q", "");
    },
  };
}
