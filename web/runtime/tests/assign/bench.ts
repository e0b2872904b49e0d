// Measures the cost of a decision: `node build/assign/bench.mjs`. Like crates/assign/examples/bench.rs, it uses fifty
// experiments with two conditions, and another visitor for each decision. About half of the visitors take part.

import { isEligible } from "../../src/assign/audience";
import { decide, isInExperiment } from "../../src/assign/decide";
import type { Visitor } from "../../src/assign/visitor";
import type { Experiment } from "../../src/ruleset";

const VISITORS = 20_000;
const ROUNDS = 50;

const experiments = Array.from(
  { length: 50 },
  (_, at): Experiment => ({
    test_id: at + 1,
    experiment_key: `experiment-${at + 1}`,
    test_type: "abtest",
    live: true,
    epoch: 1,
    salt: `${at + 1}`,
    traffic_allocation: 90,
    ranges: [
      [5_000, 0],
      [10_000, 1],
    ],
    targeting: {
      allowed_country: [
        { name: "Germany", code: "DE", rule: "whitelist" },
        { name: "France", code: "FR", rule: "whitelist" },
      ],
      segment_rule: [
        [
          { criteria: "plan", operator: "==", value: "pro" },
          { criteria: "plan", operator: "==", value: "team" },
        ],
      ],
    },
    variants_data_key: "https://example.com/",
    variants: [{}],
  }),
);
const visitors = Array.from(
  { length: VISITORS },
  (_, at): Visitor => ({
    id: `visitor-${at}`,
    country: ["DE", "FR", "US", "DE"][at % 4]!,
    device: "desktop",
    attributes: new Map([["plan", ["free", "pro", "team", "trial"][(at >> 2) % 4]!]]),
    _sticky: new Map(),
  }),
);

const ROUND = 1_000;
let best = Infinity;
let included = 0;
let decided = 0;
const before = process.cpuUsage();
for (let round = 0; round < ROUNDS * (VISITORS / ROUND); round++) {
  const start = performance.now();
  for (let nth = 0; nth < ROUND; nth++, decided++) {
    const decision = decide(experiments[decided % 50]!, visitors[decided % VISITORS]!, {
      now: 0,
      _isEligible: isEligible,
    });
    included += +isInExperiment(decision);
  }
  best = Math.min(best, performance.now() - start);
}
const { user, system } = process.cpuUsage(before);
console.log(
  `best thousand ${((best * 1e6) / ROUND).toFixed(0)} ns per decision, CPU ${(((user + system) * 1e3) / decided).toFixed(0)} ns, ` +
    `${((100 * included) / decided).toFixed(1)} % included`,
);
