// What is known about a visitor: docs/assignment.md, The context.

import type { Plain, Targeting } from "../ruleset";
import type { Address, Referrer } from "./page";
import type { Tri } from "./tri";

/**
 * A fact is `undefined` while it is not known and `null` when it is known that there is none. It is never the empty
 * text.
 */
export type Fact<T> = T | null | undefined;

export const DAY_MS = 864e5;

/** The visitor's clock. */
export interface LocalTime {
  /** 0 is Sunday, as `Date.getDay` counts. */
  weekday: number;
  /** `HH:MM`, with leading zeros: compared as text. */
  time: string;
}

/** Something that the visitor did. */
export interface Occurrence {
  /** At least one character. */
  name: string;
  /** Milliseconds since 1970. */
  at: number;
  attributes: ReadonlyMap<string, Plain>;
}

export interface Visitor {
  id: string;
  country?: Fact<string>;
  region?: Fact<string>;
  city?: Fact<string>;
  device?: Fact<string>;
  browser?: Fact<string>;
  os?: Fact<string>;
  language?: Fact<string>;
  visitor_type?: Fact<string>;
  /** The page. */
  url?: Fact<Address>;
  referrer?: Fact<Referrer>;
  /** Where the visitor came from, where that is not to be told from referrer and page. */
  source?: Fact<string>;
  audiences?: Fact<readonly string[]>;
  events?: Fact<readonly Occurrence[]>;
  cookies?: Fact<ReadonlyMap<string, string>>;
  local_time?: Fact<LocalTime>;
  /** What is not in here is known to be none. */
  attributes: ReadonlyMap<string, Plain>;
  /** The arm given before, by experiment key. */
  _sticky: ReadonlyMap<string, number>;
}

/** The circumstances of a decision. */
export interface At {
  /** Milliseconds since 1970. */
  now: number;
  /** What a preview asks for: an arm, in plain decimal, of one experiment. */
  _forced?: { test_id: number; variant_id: string } | undefined;
  /**
   * `isEligible` of audience.ts, which rulesets without rules do without. Without it nobody is where there are rules.
   */
  _isEligible?: ((rules: Targeting, visitor: Visitor, at: At) => Tri) | undefined;
  /**
   * `sourceOf` of source.ts. Its lists of hosts are long and few rulesets ask for them, so it is handed over instead of
   * imported; what asks for it is unknown without.
   */
  _sourceOf?: ((from: Referrer | null, page: Address | null | undefined) => string) | undefined;
}
