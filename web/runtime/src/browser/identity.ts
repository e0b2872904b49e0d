// The visitor's identity on this site and its subdomains: an id, the arms assigned earlier, and the current session.

import { DAY_MS } from "../assign/visitor";
import type { Scalar } from "../ruleset";
import { ARMS_MAX, EXPOSURES_MAX, SESSION_TIMEOUT_MS } from "./limits";
import { isRemembered, storeLocal, readLocal, recall, remember } from "./storage";
import { uuid } from "./transport";
import { doc, now, parse, pageUrl, quietly, stringify } from "./world";

/** A session, as it is stored. It ends half an hour after the last page view or event. */
export interface Session {
  id: string;
  /** Time of the last activity. */
  at: number;
  /** The landing page, and its referrer. */
  land: string;
  from: string;
  type: "new" | "returning";
  /** Recorded exposures: `test.arm.epoch`. */
  told: string[];
  /** Attributes from `identify`. */
  about: Record<string, Scalar>;
  audiences?: string[];
  /** Time of the last renewal of the cookies with the id and the arms. */
  kept?: number;
  /** Location of the visitor's connection, once a rule has needed it. */
  geo?: GeoLocation;
}

export interface GeoLocation {
  country: string | null;
  region: string | null;
  city: string | null;
}

export interface Identity {
  id: string;
  _session: Session;
  /** The arms that the visitor was exposed to on this page, by `test_id`. */
  _met: Map<number, number>;
}

const newSession = (type: Session["type"], id = uuid()): Session => ({
  id,
  at: now(),
  land: pageUrl(),
  from: doc.referrer,
  type,
  told: [],
  about: {},
});

/** The stored session as this page last read or wrote it. */
let lastStored: string | undefined;

/** The stored session, if it has not ended. */
const storedSession = (): Session | undefined => {
  lastStored = readLocal("s_");
  const session = quietly(() => parse(lastStored ?? "null") as Partial<Session> | null);
  // An earlier version of the script may have stored fewer fields.
  return session && now() - session.at! < SESSION_TIMEOUT_MS
    ? { ...newSession("returning", session.id), ...session }
    : undefined;
};

/** Reads the stored identity, or creates one that is not stored yet. */
export function recognise(): Identity {
  const known = recall("id");
  const isKnown = known && known.length <= 128;
  // Another project may have created the id a moment ago, on this page or the one before: the visitor is then new to
  // this project, too. The id begins with the time in milliseconds.
  const isNew = !isKnown || now() - parseInt(known.replace("-", ""), 16) < SESSION_TIMEOUT_MS;
  return {
    id: isKnown ? known : uuid(),
    _session: (isKnown && storedSession()) || newSession(isNew ? "new" : "returning"),
    _met: new Map(),
  };
}

/**
 * Merges the state that other pages of the visitor have stored since, and starts a new session if this one has ended.
 */
export function refresh(who: Identity): void {
  const { _session: session } = who;
  who.id = recall("id") || who.id;
  if (lastStored && lastStored === readLocal("s_") && now() - session.at < SESSION_TIMEOUT_MS) return;
  const other = storedSession();
  if (other?.id === session.id) {
    const told = [...new Set([...other.told, ...session.told])].slice(-EXPOSURES_MAX);
    Object.assign(session, other, { told });
  } else if (other || now() - session.at >= SESSION_TIMEOUT_MS) who._session = other ?? newSession("returning");
}

/** The arms assigned earlier, by `test_id`. Earlier versions of the script stored the arms of all projects together. */
export const armsOf = ({ _met: met }: Identity): Map<number, number> =>
  new Map([
    ...[...(recall("a_") ?? recall("a") ?? "").matchAll(/(\d+)\.(\d+)/g)].map(
      ([, test, arm]) => [+test!, +arm!] as const,
    ),
    ...met,
  ]);

/** Stores the identity, on every page view and event. */
export function store(who: Identity): void {
  const { id, _session: session } = who;
  session.at = now();
  // Includes arms of paused experiments; the oldest arms are dropped.
  const given = [...armsOf(who)]
    .slice(-ARMS_MAX)
    .map((arm) => arm.join("."))
    .join("~");
  // Some browsers expire script cookies after a week, so they are renewed daily. Cookie and local storage restore each other.
  const isDue = now() - (session.kept ?? 0) > DAY_MS;
  if (isDue) session.kept = now();
  for (const [what, value] of [
    ["id", id],
    ["a_", given],
  ] as const)
    if (value && (isDue || !isRemembered(what, value))) remember(what, value);
  storeLocal("s_", (lastStored = stringify(session)));
}
