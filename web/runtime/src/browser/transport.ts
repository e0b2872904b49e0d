// Events on their way: gathered for a moment, sent in one request that outlives the page, and sent again where the server did
// not take them. The server counts each id once, so sending twice harms nobody.

import type { EventFields } from "./events";
import { BATCH_MAX, BYTES_MAX, EVENT_MAX, KEPT_MAX, QUEUE_MAX, TRIES_MAX, UNANSWERED_MAX } from "./limits";
import { settings } from "./settings";
import { domain, keep, kept } from "./storage";
import { agent, doc, fetching, later, listen, never, now, parse, quietly, random, stringify, win } from "./world";

/** An event with its id and time. */
export type Stamped = EventFields & { id: string; at: string };

/** The last `digits` of a number, in hexadecimal. */
const hex = (number: number, digits: number): string => (number + 2 ** 48).toString(16).slice(-digits);

/** Now in the first 48 bits of a UUID, chance in the others but six (RFC 9562, version 7). */
export function uuid(): string {
  const at = hex(now(), 12);
  const [a, b, c, d, e] = win.crypto.getRandomValues(new Uint16Array(5)) as unknown as [
    number,
    number,
    number,
    number,
    number,
  ];
  return `${at.slice(0, 8)}-${at.slice(8)}-7${hex(a, 3)}-8${hex(b, 3)}-${hex(c, 4)}${hex(d, 4)}${hex(e, 4)}`;
}

/** Events that are not sent any more, each with why. */
export type Dropped = (events: [event: EventFields, why: string][]) => void;

export interface Transport {
  /** Takes an event to be sent within two seconds, or at once. */
  send(event: Stamped, soon?: boolean): void;
  /** Sends what waits now: the page is left, or may send from here on. */
  _leave(): void;
  _resume(): void;
  /** Drops what waits. */
  _drop(): void;
}

/** Whether a text as it is sent has no more bytes; counted only where its letters, three bytes each at most, leave that open. */
const fits = (text: string, bytes: number): boolean => text.length * 3 <= bytes || new Blob([text]).size <= bytes;

/**
 * `visitor` gives what a batch says of its sender at the moment it leaves, or nothing while nothing may be sent. `left` is called
 * when the page is left, before what waits is sent; `dropped` with the events that the server does not take.
 */
export function transport(visitor: () => object | undefined, left: () => void, dropped: Dropped): Transport {
  // Where the server is reached through the site it renews our cookies, for the same domain.
  const to = (): string => settings.base + settings.events + (domain() && "?d=" + domain());
  /** Events as they are sent, until it is known that they were taken. */
  let waiting: string[] = quietly(() => (parse(kept("q") ?? "[]") as unknown[]).map((event) => stringify(event))) ?? [];
  /** Those of them that are on their way. */
  const flying = new Set<string>();
  let isKept = waiting[0];
  let timer = 0;
  let isPlannedNow = false;
  let tries = 0;
  let isAsking = false;
  /** Events that were refused together and are now sent one by one. */
  let alone = 0;

  /** As many of the first events as fit into one request, and its text. */
  function batch(events: string[], who: object): [some: string[], text: string] {
    for (let count = alone ? 1 : BATCH_MAX; ; count >>= 1) {
      const some = events.slice(0, count);
      const text = stringify({ sent_at: new Date().toISOString(), ...who }).slice(0, -1) + ',"events":[' + some + "]}";
      if (count < 2 || fits(text, BYTES_MAX)) return [some, text];
    }
  }

  function plan(wait: number): void {
    // What waits already waits less, or for a server that has trouble.
    if (timer && (wait || isPlannedNow)) return;
    isPlannedNow = !wait;
    never(timer);
    timer = later(flush, wait);
  }

  async function flush(): Promise<void> {
    timer = 0;
    const who = visitor();
    const left = waiting.filter((event) => !flying.has(event));
    if (isAsking || !who || !left[0]) return;
    const [events, body] = batch(left, who);
    for (const event of events) flying.add(event);
    isAsking = true;
    // A body that is a text asks no other origin for leave first. Without an answer it is offline, or blocked.
    const answer = await fetching(to(), { method: "POST", body, keepalive: true }).catch(() => {});
    const status = answer ? answer.status : 0;
    isAsking = false;
    for (const event of events) flying.delete(event);
    if (status && status !== 429 && status < 500) {
      // Taken; or refused, as it would be again. But one that is refused must not take the others with it.
      tries = 0;
      if (status > 399 && events[1]) alone = events.length;
      else {
        if (alone) alone--;
        waiting = waiting.filter((event) => !events.includes(event));
        void tell(events, answer!);
      }
      if (waiting[0]) plan(0);
    } else if (++tries < (status ? TRIES_MAX : UNANSWERED_MAX)) plan(1_000 * 2 ** tries * (0.5 + random()));
    save(tries > 0);
  }

  /** Tells which of the events the server did not take, in its words. */
  async function tell(events: string[], answer: Response): Promise<void> {
    const { results = [], error = "refused" } = (await answer.json().catch(() => ({}))) as {
      results?: { message?: string }[];
      error?: string;
    };
    dropped(
      events.flatMap((event, at) => {
        // Only of an event that is invalid there is a message.
        const why = answer.ok ? results[at]?.message : error;
        return why ? [[parse(event), why]] : [];
      }),
    );
  }

  /** Keeps what waits for the next page, or no longer. */
  function save(isWanted: boolean): void {
    if (isWanted || isKept)
      isKept = keep("q", isWanted && waiting[0] ? "[" + waiting.slice(0, KEPT_MAX) + "]" : "") as string | undefined;
  }

  /** The page may not come back: all that waits leaves now. As nobody hears whether it was taken, the next page sends it again. */
  function leave(): void {
    quietly(left);
    const who = visitor();
    if (!who) return;
    never(timer);
    timer = 0;
    for (let left: typeof waiting; (left = waiting.filter((event) => !flying.has(event)))[0]; ) {
      const [events, body] = batch(left, who);
      if (!quietly(() => agent.sendBeacon(to(), body))) break;
      for (const event of events) flying.add(event);
    }
    save(true);
  }

  /** The page is there, or there again: then what was beaconed is sent once more. */
  const resume = (): void => {
    tries = 0;
    if (!isAsking) flying.clear();
    plan(0);
  };
  listen(doc, "visibilitychange", () => (doc.visibilityState === "hidden" ? leave : resume)());
  listen(win, "pagehide", leave);
  listen(win, "pageshow", (event: PageTransitionEvent) => event.persisted && resume());
  listen(win, "online", resume);
  listen(doc, "prerenderingchange", resume);

  return {
    _leave: leave,
    _resume: resume,
    send(event, soon) {
      const text = quietly(() => stringify(event));
      // What cannot be sent must not keep the others from it. The first are the exposures, without which those that follow are nobody's.
      if (!text || !fits(text, EVENT_MAX) || waiting.length >= QUEUE_MAX) return dropped([[event, "limit"]]);
      waiting.push(text);
      // A server that has trouble is not asked sooner.
      if (tries < UNANSWERED_MAX) plan(soon && !tries ? 0 : 2_000);
    },
    _drop() {
      waiting = [];
      keep("q", "");
    },
  };
}
