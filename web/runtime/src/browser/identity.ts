// Who the visitor is, on this site and its subdomains: an id, the arms given before, and the visit that goes on.

import type { Plain } from "../ruleset";
import type { Settings } from "./settings";
import { forget, keep, kept, recall, remember } from "./storage";
import { uuid } from "./transport";
import { doc, now, parse, place, quietly, stringify } from "./world";

const VISIT_MS = 1_800_000;

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
export function recognise({ global }: Settings): Identity {
  const known = recall(global + "_id");
  const id = known && known.length <= 128 ? known : uuid(now());
  const before = quietly(() => parse(kept(global + "_s") as string) as Session);
  const goesOn = id === known && before && now() - before.at < VISIT_MS;
  return {
    id,
    session: goesOn
      ? before
      : { id: uuid(now()), at: 0, land: place.href, from: doc.referrer, type: id === known ? "returning" : "new", told: [], about: {} },
    arms: new Map(
      (recall(global + "_a") ?? "").split("~").flatMap((entry): [number, number][] => {
        const [test, arm] = entry.split(".");
        return test && arm ? [[+test, +arm]] : [];
      }),
    ),
  };
}

/** Writes it down. Called with every page and exposure, as some browsers forget after a week without. */
export function store({ global }: Settings, { id, session, arms }: Identity): void {
  session.at = now();
  remember(global + "_id", id);
  if (arms.size > 0) remember(global + "_a", [...arms].map((entry) => entry.join(".")).join("~"));
  keep(global + "_s", stringify(session));
}

/** Leaves nothing of the visitor. */
export function erase({ global }: Settings): void {
  for (const what of ["_id", "_a", "_s", "_q", "_e"]) forget(global + what);
}
