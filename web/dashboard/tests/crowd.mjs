// Visitors of an experiment for results. They are sent with an API key, so that their times are trusted.

import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";

const DAY_MS = 86_400_000;

export const before = (days) => new Date(Date.now() - days * DAY_MS).toISOString();

/** Creates a key that may send events. */
export async function collector(company) {
  const { api_key } = await company.post("/v2/keys", { name: "collector", scopes: ["write", "evaluate"] });
  return api_key;
}

const withIds = ({ visitor, events }) => ({ visitor, events: events.map((event) => ({ id: randomUUID(), ...event })) });

/** Sends visitors with their events. Events without an id get one. */
export async function send(company, key, visitors) {
  const body = visitors.map((one) => JSON.stringify(withIds(one))).join("\n");
  await post(company, "/batch", { authorization: `Bearer ${key}`, "content-type": "application/x-ndjson" }, body);
}

/** Sends the events of one visitor from a browser. */
export async function browse(company, visitor, agent = "Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0") {
  // Without a browser's user agent, the request would count as a bot's.
  const headers = { "content-type": "application/json", "user-agent": agent };
  await post(company, "", headers, JSON.stringify(withIds(visitor)));
}

/** On a busy machine, a server answers 503 and when to try again. Events have ids, so none counts twice. */
const TRIES = 30;

async function post(company, path, headers, body, tries = TRIES) {
  const answer = await fetch(`${company.muriel.url}/events/${company.shop}${path}`, { method: "POST", headers, body });
  // Always read: a process does not end while the body of an answer is unread.
  const text = await answer.text();
  if (answer.status === 503 && tries > 1) {
    await setTimeout(answer.headers.get("retry-after") * 1_000);
    return await post(company, path, headers, body, tries - 1);
  }
  const refused = text.split("\n").find((line) => /"status":"(invalid|failed)"/.test(line));
  if (!answer.ok || refused) throw new Error(`events: ${answer.status} ${refused ?? text.slice(0, 500)}`);
}

/**
 * Visitors of an experiment, from `days` ago until now.
 *
 * - `arms`: the number of variants, with the control; `armOf(at)` is the variant of a visitor.
 * - `does(arm, at)`: events of a visitor after entry, which get their time here.
 * - `visitorOf(at)`: additional fields of the visitor.
 * - `pageOf(at)`: the address where the visitor entered.
 */
export function crowd(
  testId,
  { visitors, days = 10, arms = 2, armOf = (at) => at % arms, does, visitorOf = () => ({}), pageOf },
) {
  return Array.from({ length: visitors }, (_, at) => {
    const arm = armOf(at);
    const entered = 0.02 + days * (1 - at / visitors);
    const then = before(entered - 0.005);
    return {
      visitor: { id: `${testId}-${at}`, ...visitorOf(at) },
      events: [
        {
          type: "exposure",
          test_id: testId,
          variant_id: String(arm),
          at: before(entered),
          ...(pageOf && { url: pageOf(at) }),
        },
        ...does(arm, at).map((event) => ({ at: then, ...event })),
      ],
    };
  });
}

/** Returns whether a visitor is among `percent` of a hundred. `salt` makes an independent choice. */
export function among(at, percent, salt = 1) {
  // The fractional parts of multiples of the golden ratio are spread evenly.
  return ((at * 0.6180339887 * salt + salt * 0.37) % 1) * 100 < percent;
}
