// Runs the cases with reference.mjs: `node run.mjs` all of them; `node run.mjs --replay` decisions that come as JSON lines
// on standard input, see README.md. The last line is `assignment: N passed, N failed`.

import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import * as reference from "./reference.mjs";

let passed = 0;
let failed = 0;

/** Members in one order, so that equal values have equal texts. */
const stable = (value) =>
  JSON.stringify(value, (_, each) =>
    each && typeof each === "object" && !Array.isArray(each) ? Object.fromEntries(Object.entries(each).sort()) : each,
  );

function check(name, actual, expected) {
  if (stable(actual) === stable(expected)) {
    passed += 1;
  } else {
    failed += 1;
    if (failed <= 20) console.error(`FAILED ${name}\n  expected ${stable(expected)}\n  decided  ${stable(actual)}`);
  }
}

/** What the reference makes of a case, in the form of `expect`. */
function outcome(experiments, { place, now, visitor: context, forced }, expect) {
  let visitor;
  try {
    visitor = reference.visitorOf(context);
  } catch (refused) {
    if (!(refused instanceof reference.Refused)) throw refused;
    return { refused: refused.places.sort() };
  }
  if (expect.refused) return { refused: [] };
  const at = { place, now: typeof now === "number" ? now : reference.dateMs(now), forced };
  return Object.fromEntries(
    Object.entries(expect).map(([key, wanted]) => {
      const experiment = experiments.find((each) => each.experiment_key === key);
      const decision = reference.decide(experiment, visitor, at);
      // What a case does not say, it does not ask.
      return [key, Object.fromEntries(Object.keys(wanted).map((part) => [part, decision[part]]))];
    }),
  );
}

function placesRefused(ruleset) {
  try {
    reference.rulesetOf(ruleset);
    return [];
  } catch (refused) {
    if (!(refused instanceof reference.Refused)) throw refused;
    return refused.places === null ? null : [...new Set(refused.places)].sort();
  }
}

// How the cases of each feature are run; where a file has a ruleset, decisions.
const RUNS = {
  hashing: ({ text }) => ({ text, hash: reference.murmur3(text), bucket: reference.bucket(text) }),
  refusals: ({ name, ruleset }) => ({ name, ruleset, refused: placesRefused(ruleset) }),
  url: ({ name, rule, address }) => {
    const page = reference.addressOf(address);
    return { name, rule, address, matches: page !== null && reference.isPage(rule, page) };
  },
  parameter: ({ address, name }) => {
    const page = reference.addressOf(address);
    return { address, name, value: (page && reference.parameterOf(page, name)) ?? null };
  },
  source: ({ referrer, url }) => {
    const from = referrer ? reference.referrerOf(referrer) : null;
    return { referrer, url, source: reference.sourceOf(from, url === null ? null : reference.addressOf(url)) };
  },
};

function run(file) {
  const { feature, ruleset, cases } = JSON.parse(readFileSync(new URL(file, import.meta.url)));
  if (ruleset) {
    const experiments = reference.rulesetOf(ruleset);
    for (const each of cases) check(`${feature}: ${each.name}`, outcome(experiments, each, each.expect), each.expect);
  } else {
    for (const each of cases) check(`${feature}: ${each.name ?? JSON.stringify(each)}`, RUNS[feature](each), each);
  }
}

async function replay() {
  for await (const line of createInterface({ input: process.stdin })) {
    const { ruleset, ...each } = JSON.parse(line);
    check(line, outcome(reference.rulesetOf(ruleset), each, each.expect), each.expect);
  }
}

if (process.argv.includes("--replay")) {
  await replay();
} else {
  for (const file of readdirSync(new URL(".", import.meta.url)).sort()) if (file.endsWith(".json")) run(file);
}

console.log(`assignment: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
