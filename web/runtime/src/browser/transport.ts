// Events on their way: gathered for a moment, sent in one request that outlives the page, and sent again where the server did
// not take them. The server counts each id once, so sending twice harms nobody.

import type { EventFields } from "./events";
import type { Settings } from "./settings";
import { keep, kept } from "./storage";
import { agent, doc, fetching, later, listen, min, never, now, parse, quietly, random, stringify, win } from "./world";

/** An event with its id and time. */
export type Stamped = EventFields & { id: string; at: string };

const QUEUE_MAX = 200;
const KEPT_MAX = 50;
const BATCH_MAX = 40;
// Browsers refuse more than 65,536 bytes from a page that is left.
const BYTES_MAX = 60_000;
const TRIES_MAX = 6;

/** The time of a UUID in its first 48 bits, chance in the others (RFC 9562, version 7). */
export function uuid(at: number): string {
  const bytes = win.crypto.getRandomValues(new Uint8Array(10));
  const hex = [...bytes].map((byte) => (byte + 256).toString(16).slice(1)).join("");
  const time = (at + 2 ** 48).toString(16).slice(-12);
  return [time.slice(0, 8), time.slice(8), "7" + hex.slice(0, 3), "89ab"[bytes[9]! & 3] + hex.slice(3, 6), hex.slice(6, 18)].join("-");
}

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
export function transport(settings: Settings, visitor: () => object | undefined): Transport {
  const name = settings.global + "_q";
  const to = settings.base + settings.events;
  let waiting: Stamped[] = quietly(() => parse(kept(name) || "[]") as Stamped[]) ?? [];
  let timer = 0;
  let due = 0;
  let tries = 0;
  /** On their way in a request that outlives the page. */
  let flying: Stamped[] = [];

  const body = (events: Stamped[], who: object): string =>
    stringify({ sent_at: new Date(now()).toISOString(), ...who, events });

  /** Takes the first events that fit into one request. */
  function batch(who: object): [Stamped[], string] {
    let count = BATCH_MAX;
    for (;;) {
      const events = waiting.slice(0, count);
      const text = body(events, who);
      if (count < 2 || new Blob([text]).size <= BYTES_MAX) {
        waiting = waiting.slice(events.length);
        return [events, text];
      }
      count = events.length >> 1;
    }
  }

  function plan(wait: number): void {
    const at = now() + wait;
    if (timer && due <= at) return;
    never(timer);
    due = at;
    timer = later(flush, wait);
  }

  async function flush(): Promise<void> {
    timer = 0;
    const who = visitor();
    if (flying[0] || !who || !waiting[0]) return;
    const [events, text] = batch(who);
    flying = events;
    let status = 0;
    try {
      // Plain text asks no other origin for leave first.
      status = (await fetching(to, { method: "POST", body: text, keepalive: true, headers: { "content-type": "text/plain" } })).status;
    } catch {
      // Offline, or blocked.
    }
    flying = [];
    if (status && status !== 429 && status < 500) {
      // Taken; or refused, as it would be again.
      tries = 0;
      if (waiting[0]) plan(0);
    } else {
      waiting = [...events, ...waiting];
      // Without an answer it is mostly a blocker.
      if (++tries < (status ? TRIES_MAX : 3)) plan(min(60_000, 1_000 * 2 ** tries) * (0.5 + random()));
    }
    save();
  }

  /** What was not taken yet goes on the next page, or when the connection is back. */
  function save(): void {
    if (visitor() && (tries || kept(name))) keep(name, stringify(tries ? waiting.slice(-KEPT_MAX) : []));
  }

  /** The page may not come back: all that waits leaves now. */
  function leave(): void {
    const who = visitor();
    while (who && waiting[0]) {
      const [events, text] = batch(who);
      if (!quietly(() => agent.sendBeacon(to, text))) {
        waiting = [...events, ...waiting];
        tries ||= 1;
        return save();
      }
    }
  }

  listen(doc, "visibilitychange", () => doc.visibilityState === "hidden" && leave());
  listen(win, "pagehide", leave);
  const resume = (): void => {
    tries = 0;
    plan(0);
  };
  listen(win, "online", resume);
  if (waiting[0]) plan(1_000);

  return {
    leave,
    resume,
    send(event, soon) {
      waiting.push(event);
      if (waiting.length > QUEUE_MAX) waiting.shift();
      if (tries < 3) plan(soon ? 0 : 2_000);
    },
    drop() {
      waiting = [];
      keep(name, "[]");
    },
  };
}
