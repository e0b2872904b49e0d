// Sends events: batches them, sends them in requests that outlive the page, and retries those that the server did not
// accept. The server deduplicates by id, so sending an event twice is harmless.

import type { Ruleset } from "../ruleset";
import type { EventFields } from "./events";
import {
  BATCH_MAX,
  REQUEST_BYTES_MAX,
  EVENT_BYTES_MAX,
  STORED_EVENTS_MAX,
  QUEUE_MAX,
  ATTEMPTS_MAX,
  UNANSWERED_ATTEMPTS_MAX,
} from "./limits";
import { endpoint } from "./settings";
import { domain, storeLocal, readLocal } from "./storage";
import {
  browser,
  doc,
  fetchNow,
  startTimer,
  listen,
  clearTimer,
  now,
  parse,
  quietly,
  random,
  stringify,
  win,
} from "./world";

/** An event with its id and timestamp. */
export type StampedEvent = EventFields & { id: string; at: string };

/** The last hexadecimal `digits` of a number. */
const hex = (number: number, digits: number): string => (number + 2 ** 48).toString(16).slice(-digits);

/** A UUID of version 7 (RFC 9562): 48 bits of time in milliseconds, 74 random bits. */
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

declare const RULESET: Ruleset;

/** Called with events that are dropped, each with the reason. */
export type DroppedListener = (events: [event: EventFields, why: string][]) => void;

export interface Transport {
  /** Queues an event, to be sent within two seconds, or at once with `soon`. */
  _send(event: StampedEvent, soon?: boolean): void;
  /** Sends the queue now: `_leave` by beacons, as the page is left, and `_resume` as sending is allowed from now on. */
  _leave(): void;
  _resume(): void;
  /** Empties the queue. */
  _drop(): void;
}

/**
 * Returns whether a text has at most this many bytes in UTF-8. They are counted only if three bytes per UTF-16 unit
 * would exceed the number.
 */
const fits = (text: string, bytes: number): boolean => text.length * 3 <= bytes || new Blob([text]).size <= bytes;

/**
 * Creates a transport. `visitor` returns the fields of a batch about its sender, or undefined while nothing may be
 * sent. `left` is called when the page is left, before the queue is sent. `dropped` is called with the events that the
 * server does not accept.
 */
export function transport(visitor: () => object | undefined, left: () => void, dropped: DroppedListener): Transport {
  // A server that is reached through the site renews our cookies, for this domain.
  const to = (): string => endpoint("events") + (domain() && "?d=" + domain());
  const stored = (what: string): EventFields[] => parse(readLocal(what) ?? "[]");
  /** The queue: events as JSON, until the server has accepted them. */
  let waiting =
    quietly(() =>
      [
        ...stored("q_"),
        // Earlier versions stored the events of all projects together. Only those with a `test_id` show their project.
        ...stored("q").filter(({ test_id: of }) => RULESET.experiments.some(({ test_id }) => test_id === of)),
      ].map(stringify),
    ) ?? [];
  storeLocal("q", "");
  /** The events of the queue that are in flight. */
  const flying = new Set<string>();
  let isKept = waiting[0];
  let timer = 0;
  let isPlannedNow = false;
  let tries = 0;
  let isAsking = false;
  /** Number of events that were refused as a batch and are now sent one by one. */
  let alone = 0;

  /** The first events that fit into one request, and the body of the request. */
  function batch(events: string[], who: object): [some: string[], text: string] {
    for (let count = alone ? 1 : BATCH_MAX; ; count >>= 1) {
      const some = events.slice(0, count);
      const text = stringify({ sent_at: new Date().toISOString(), ...who }).slice(0, -1) + ',"events":[' + some + "]}";
      if (count < 2 || fits(text, REQUEST_BYTES_MAX)) return [some, text];
    }
  }

  function plan(wait: number): void {
    // A planned request is due sooner, or waits for its retry.
    if (timer && (wait || isPlannedNow)) return;
    isPlannedNow = !wait;
    clearTimer(timer);
    timer = startTimer(flush, wait);
  }

  async function flush(): Promise<void> {
    timer = 0;
    const who = visitor();
    const left = waiting.filter((event) => !flying.has(event));
    if (isAsking || !who || !left[0]) return;
    const [events, body] = batch(left, who);
    for (const event of events) flying.add(event);
    isAsking = true;
    // A text body needs no CORS preflight. Without an answer the browser is offline or the request is blocked.
    const answer = await fetchNow(to(), { method: "POST", body, keepalive: true }).catch(() => {});
    const status = answer ? answer.status : 0;
    isAsking = false;
    for (const event of events) flying.delete(event);
    if (status && status !== 429 && status < 500) {
      // Accepted, or refused permanently. The events of a refused batch are sent one by one, so that an invalid event
      // does not lose the others.
      tries = 0;
      if (status > 399 && events[1]) alone = events.length;
      else {
        if (alone) alone--;
        waiting = waiting.filter((event) => !events.includes(event));
        void tell(events, answer!);
      }
      if (waiting[0]) plan(0);
    } else if (++tries < (status ? ATTEMPTS_MAX : UNANSWERED_ATTEMPTS_MAX)) plan(1_000 * 2 ** tries * (0.5 + random()));
    save(tries > 0);
  }

  /** Stores the visitor's signature, and reports the events that the server did not accept, with its messages. */
  async function tell(events: string[], answer: Response): Promise<void> {
    const {
      results = [],
      error = "refused",
      visitor_signature: signature,
    } = (await answer.json().catch(() => ({}))) as {
      results?: { message?: string }[];
      error?: string;
      visitor_signature?: string;
    };
    if (signature && visitor()) storeLocal("v_", signature);
    dropped(
      events.flatMap((event, at) => {
        // Only results of invalid events have a message.
        const why = answer.ok ? results[at]?.message : error;
        return why ? [[parse(event), why]] : [];
      }),
    );
  }

  /** Stores the queue for the next page, or removes it from the storage. */
  function save(isWanted: boolean): void {
    if (isWanted || isKept)
      isKept = storeLocal("q_", isWanted && waiting[0] ? "[" + waiting.slice(0, STORED_EVENTS_MAX) + "]" : "") as
        | string
        | undefined;
  }

  /**
   * Sends the queue by beacons, as the visitor may not return to the page. Beacons have no response, so the next page
   * sends the events again.
   */
  function leave(): void {
    quietly(left);
    const who = visitor();
    if (!who) return;
    clearTimer(timer);
    timer = 0;
    for (let left: typeof waiting; (left = waiting.filter((event) => !flying.has(event)))[0]; ) {
      const [events, body] = batch(left, who);
      if (!quietly(() => browser.sendBeacon(to(), body))) break;
      for (const event of events) flying.add(event);
    }
    save(true);
  }

  /** Called when the page is visible again or online: sends the queue, including events that were sent by beacons. */
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
    _send(event, soon) {
      const text = quietly(() => stringify(event));
      // An event that cannot be sent must not block the others. When the queue is full, the newest event is dropped:
      // the first ones are exposures, without which later events count for no arm.
      if (!text || !fits(text, EVENT_BYTES_MAX) || waiting.length >= QUEUE_MAX) return dropped([[event, "limit"]]);
      waiting.push(text);
      // Do not shorten the backoff of a failing server.
      if (tries < UNANSWERED_ATTEMPTS_MAX) plan(soon && !tries ? 0 : 2_000);
    },
    _drop() {
      waiting = [];
      storeLocal("q_", "");
    },
  };
}
