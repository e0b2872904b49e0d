// Who the visitor is, on this site and its subdomains: an id, the arms given before, and the visit that goes on.

import type { Experiment, Plain } from "../ruleset";
import { VISIT_MS } from "./limits";
import { keep, kept, recall, remember } from "./storage";
import { uuid } from "./transport";
import { doc, now, parse, place, quietly, stringify } from "./world";

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
  /** The arm given before, by test. */
  arms: Map<number, number>;
}

/** Reads who this is; a new visitor has an id that is kept nowhere yet. */
export function recognise(): Identity {
  const known = recall("id");
  const id = known && known.length <= 128 ? known : uuid();
  const before = quietly(() => parse(kept("s")!) as Session);
  return {
    id,
    session:
      id === known && before && now() - before.at < VISIT_MS
        ? before
        : { id: uuid(), at: 0, land: place.href, from: doc.referrer, type: id === known ? "returning" : "new", told: [], about: {} },
    arms: new Map([...(recall("a") ?? "").matchAll(/(\d+)\.(\d+)/g)].map(([, test, arm]) => [+test!, +arm!])),
  };
}

/** Writes it down. Called with every page and exposure, as some browsers forget after a week without. */
export function store({ id, session, arms }: Identity, experiments: Experiment[]): void {
  session.at = now();
  remember("id", id);
  // Ended experiments need not be remembered.
  const given = experiments.flatMap(({ test_id }) => (arms.has(test_id) ? test_id + "." + arms.get(test_id) : [])).join("~");
  if (given) remember("a", given);
  keep("s", stringify(session));
}

/** Leaves nothing of the visitor. */
export const erase = (): void => ["id", "a", "s", "q", "e"].forEach((what) => remember(what, ""));
