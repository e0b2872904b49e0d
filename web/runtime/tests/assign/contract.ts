// Runs the cases of contract/assignment, in Node and in browsers. contract/assignment/README.md describes them.

import { isEligible } from "../../src/assign/audience";
import { bucket, murmur3 } from "../../src/assign/bucket";
import { rulesetOf } from "../../src/assign/check";
import { isoMs } from "../../src/assign/condition";
import { visitorOf } from "../../src/assign/context";
import { armName, decide, isInExperiment } from "../../src/assign/decide";
import { addressOf } from "../../src/assign/page";
import { parameterOf, referrerOf } from "../../src/assign/referrer";
import { Refused } from "../../src/assign/refused";
import { enforceable, unenforced } from "../../src/assign/server";
import { sourceOf } from "../../src/assign/source";
import { isPage } from "../../src/assign/url-rule";
import type { DecisionContext, Visitor } from "../../src/assign/visitor";
import type { Experiment, PageRule } from "../../src/ruleset";

export interface Results {
  passed: number;
  failed: number;
  /** Messages of the first hundred failures. */
  failures: string[];
}

interface Answer {
  variant: string | null;
  reason: string;
  in_experiment: boolean;
  unenforced: string;
}

interface DecisionCase {
  name?: string;
  place: "server" | "browser";
  now: string | number;
  visitor: unknown;
  forced?: { test_id: number; variant_id: string };
  expect: { refused: string[] } | Record<string, Partial<Answer>>;
}

type Cases =
  | { feature: "hashing"; cases: { text: string; hash: number; bucket: number }[] }
  | { feature: "refusals"; cases: { name: string; ruleset: unknown; refused: string[] | null }[] }
  | { feature: "url"; cases: { name: string; rule: PageRule; address: string; matches: boolean }[] }
  | { feature: "parameter"; cases: { address: string; name: string; value: string | null }[] }
  | { feature: "source"; cases: { referrer: string | null; url: string | null; source: string }[] };

/** JSON with sorted members, so that equal values have equal texts. */
const stable = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    each && typeof each === "object" && !Array.isArray(each) ? Object.fromEntries(Object.entries(each).sort()) : each,
  );

/** The places that a parser refuses; null for a wrong shape, empty if the value is valid. */
function refusedBy(read: () => unknown): string[] | null {
  try {
    read();
    return [];
  } catch (refused) {
    if (!(refused instanceof Refused)) throw refused;
    return refused.places && [...new Set(refused.places)].sort();
  }
}

function answerOf(experiment: Experiment, visitor: Visitor, { place, now, forced }: DecisionCase): Answer {
  const isServer = place === "server";
  const at: DecisionContext = {
    now: typeof now === "number" ? now : isoMs(now),
    _forced: forced,
    _isEligible: isEligible,
    _sourceOf: sourceOf,
  };
  const decision = decide(isServer ? enforceable(experiment) : experiment, visitor, at);
  return {
    variant: decision._arm === null ? null : armName(decision._arm),
    reason: decision.reason,
    in_experiment: isInExperiment(decision),
    unenforced: isServer ? unenforced(experiment) : "",
  };
}

/** The actual result of a case, in the form of its `expect`. */
function outcomeOf(experiments: readonly Experiment[], each: DecisionCase): unknown {
  const refused = refusedBy(() => visitorOf(each.visitor));
  if (refused === null || refused.length > 0) return { refused };
  const visitor = visitorOf(each.visitor);
  return Object.fromEntries(
    Object.entries(each.expect).map(([key, asked]) => {
      const experiment = experiments.find(({ experiment_key }) => experiment_key === key);
      const answer = experiment ? answerOf(experiment, visitor, each) : {};
      // Only the members that the case names are compared.
      return [key, Object.fromEntries(Object.entries(answer).filter(([part]) => part in asked))];
    }),
  );
}

function collector(): { results: Results; check: (name: string, actual: unknown, expected: unknown) => void } {
  const results: Results = { passed: 0, failed: 0, failures: [] };
  const check = (name: string, actual: unknown, expected: unknown): void => {
    if (stable(actual) === stable(expected)) {
      results.passed += 1;
    } else {
      results.failed += 1;
      if (results.failed <= 100) {
        results.failures.push(`${name}\n  expected ${stable(expected)}\n  decided  ${stable(actual)}`);
      }
    }
  };
  return { results, check };
}

function checkFeature(file: Cases, check: (name: string, actual: unknown, expected: unknown) => void): void {
  switch (file.feature) {
    case "hashing":
      for (const { text, ...expected } of file.cases) {
        check(`hashing: ${JSON.stringify(text)}`, { hash: murmur3(text), bucket: bucket(text) }, expected);
      }
      return;
    case "refusals":
      for (const { name, ruleset, refused } of file.cases) {
        check(
          `refusals: ${name}`,
          refusedBy(() => rulesetOf(ruleset)),
          refused,
        );
      }
      return;
    case "url":
      for (const { name, rule, address, matches } of file.cases) {
        const page = addressOf(address);
        check(`url: ${name}`, page !== null && isPage(rule, page), matches);
      }
      return;
    case "parameter":
      for (const { address, name, value } of file.cases) {
        const page = addressOf(address);
        check(`parameter: ${name} of ${address}`, page && parameterOf(page, name), value);
      }
      return;
    case "source":
      for (const { referrer, url, source } of file.cases) {
        const page = url === null ? null : addressOf(url);
        check(`source: ${referrer} on ${url}`, sourceOf(referrer ? referrerOf(referrer) : null, page), source);
      }
      return;
    default:
      check("a feature that is known here", (file satisfies never as { feature: string }).feature, null);
  }
}

/** Runs whole files. Each has a name, for messages, and its parsed JSON. */
export function run(files: readonly { name: string; json: unknown }[]): Results {
  const { results, check } = collector();
  for (const { name, json } of files) {
    const { ruleset, cases } = json as { ruleset?: unknown; cases: DecisionCase[] };
    if (ruleset) {
      const { experiments } = rulesetOf(ruleset);
      for (const each of cases) check(`${name}: ${each.name}`, outcomeOf(experiments, each), each.expect);
    } else {
      checkFeature(json as Cases, check);
    }
  }
  return results;
}

/**
 * Repeats decisions of the Rust core and compares the results. `lines` are JSON, each with its own ruleset; empty ones
 * are skipped.
 */
export function replay(lines: readonly string[]): Results {
  const { results, check } = collector();
  for (const line of lines) {
    if (line === "") continue;
    const { ruleset, ...each } = JSON.parse(line) as DecisionCase & { ruleset: unknown };
    check(line, outcomeOf(rulesetOf(ruleset).experiments, each), each.expect);
  }
  return results;
}
