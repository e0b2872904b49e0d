// Who the visitor is, on this site and its subdomains: an id, the arms given before, and the visit that goes on.

import { DAY_MS } from "../assign/visitor";
import type { Plain } from "../ruleset";
import { ARMS_MAX, TOLD_MAX, VISIT_MS } from "./limits";
import { isKept, keep, kept, recall, remember } from "./storage";
import { uuid } from "./transport";
import { doc, now, parse, here, quietly, stringify } from "./world";

/** A visit: it ends half an hour after the last page or event. */
export interface Session {
  id: string;
  /** When something happened last. */
  at: number;
  /** The first page, and where the visitor came from to it. */
  land: string;
  from: string;
  type: "new" | "returning";
  /** Exposures that were told of: `test.arm.epoch`. */
  told: string[];
  /** What `identify` told. */
  about: Record<string, Plain>;
  audiences?: string[];
  /** When id and arms were last written to last for a year. */
  kept?: number;
  /** Where the connection comes from, once a rule asked for it. */
  geo?: Geography;
}

export interface Geography {
  country: string | null;
  region: string | null;
  city: string | null;
}

export interface Identity {
  id: string;
  session: Session;
  /** The arms met on this page, by test. */
  met: Map<number, number>;
}

const begin = (type: Session["type"], id = uuid()): Session => ({
  id,
  at: now(),
  land: here(),
  from: doc.referrer,
  type,
  told: [],
  about: {},
});

/** What was last read of the visit here, or written. */
let seen: string | undefined;

/** The visit that is written down, if it still goes on. */
const written = (): Session | undefined => {
  seen = kept("s");
  const session = quietly(() => parse(seen ?? "null") as Partial<Session> | null);
  // Another version of the script may have written less.
  return session && now() - session.at! < VISIT_MS ? { ...begin("returning", session.id), ...session } : undefined;
};

/** Reads who this is; a new visitor has an id that is kept nowhere yet. */
export function recognise(): Identity {
  const known = recall("id");
  const isKnown = known && known.length <= 128;
  return {
    id: isKnown ? known : uuid(),
    session: (isKnown && written()) || begin(isKnown ? "returning" : "new"),
    met: new Map(),
  };
}

/** Takes over what the visitor's other pages have written since, and begins another visit where this one has ended. */
export function refresh(who: Identity): void {
  const { session } = who;
  who.id = recall("id") || who.id;
  if (seen && seen === kept("s") && now() - session.at < VISIT_MS) return;
  const other = written();
  if (other?.id === session.id) {
    const told = [...new Set([...other.told, ...session.told])].slice(-TOLD_MAX);
    Object.assign(session, other, { told });
  } else if (other || now() - session.at >= VISIT_MS) who.session = other ?? begin("returning");
}

/** The arms given before, by test. */
export const armsOf = ({ met }: Identity): Map<number, number> =>
  new Map([
    ...[...(recall("a") ?? "").matchAll(/(\d+)\.(\d+)/g)].map(([, test, arm]) => [+test!, +arm!] as const),
    ...met,
  ]);

/** Writes it down, with every page and event. */
export function store(who: Identity): void {
  const { id, session } = who;
  session.at = now();
  // Of paused experiments too; those of long ago are pushed out.
  const given = [...armsOf(who)]
    .slice(-ARMS_MAX)
    .map((arm) => arm.join("."))
    .join("~");
  // Some browsers forget after a week without; and either place heals the other.
  const isDue = now() - (session.kept ?? 0) > DAY_MS;
  if (isDue) session.kept = now();
  for (const [what, value] of [
    ["id", id],
    ["a", given],
  ] as const)
    if (value && (isDue || !isKept(what, value))) remember(what, value);
  keep("s", (seen = stringify(session)));
}

/** Leaves nothing of the visitor. */
export function erase(): void {
  for (const what of ["id", "a", "s", "q", "e", "d"]) remember(what, "");
}
