// The facts about a visitor: docs/assignment.md, The context.

import type { Scalar, Targeting } from "../ruleset";
import type { Address } from "./page";
import type { Referrer } from "./referrer";
import type { Tri } from "./tri";

/**
 * `undefined` while the fact is unknown, `null` when it is known to be absent. Never the empty string.
 */
export type Fact<T> = T | null | undefined;

export const DAY_MS = 864e5;

/** The visitor's local time. */
export interface LocalTime {
  /** 0 is Sunday, as `Date.getDay` counts. */
  weekday: number;
  /** `HH:MM` with leading zeros, so that it can be compared as text. */
  time: string;
}

/** An event that the visitor triggered earlier. */
export interface PastEvent {
  /** At least one character. */
  name: string;
  /** Milliseconds since 1970. */
  at: number;
  attributes: ReadonlyMap<string, Scalar>;
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
  /** The traffic source, if it is not to be derived from referrer and page. */
  source?: Fact<string>;
  audiences?: Fact<readonly string[]>;
  events?: Fact<readonly PastEvent[]>;
  cookies?: Fact<ReadonlyMap<string, string>>;
  local_time?: Fact<LocalTime>;
  /** An attribute that is missing here is known to be absent. */
  attributes: ReadonlyMap<string, Scalar>;
  /** The arm assigned earlier, by experiment key. */
  _sticky: ReadonlyMap<string, number>;
}

/** Inputs of a decision besides the experiment and the visitor. */
export interface DecisionContext {
  /** Milliseconds since 1970. */
  now: number;
  /** The arm of one experiment that a preview requests, in decimal. */
  _forced?: { test_id: number; variant_id: string; shown?(missing: string[]): void } | undefined;
  /**
   * `isEligible` of audience.ts, which rulesets without targeting rules do not need. Without it nobody is eligible for an
   * experiment with rules.
   */
  _isEligible?: ((rules: Targeting, visitor: Visitor, at: DecisionContext) => Tri) | undefined;
  /**
   * `sourceOf` of source.ts. Its lists of hosts are long and few rulesets need them, so it is passed in instead of imported.
   * Without it the source is unknown.
   */
  _sourceOf?: ((from: Referrer | null, page: Address | null | undefined) => string) | undefined;
}
