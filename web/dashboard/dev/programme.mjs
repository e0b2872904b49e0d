// Made-up results of many concluded experiments over three years, with numbers like those of a real team.

import { BLOG, SHOP } from "./data.mjs";

/** @typedef {import("../src/api/query").Schemas} Schemas */

/** @type {Schemas["ConclusionOutcome"][]} */
const OUTCOMES = [
  "won",
  "inconclusive",
  "lost",
  "inconclusive",
  "won",
  "stopped_early",
  "inconclusive",
  "lost",
  "invalid",
];
const NAMES = [
  "Shorter checkout form",
  "Free shipping banner",
  "Larger pictures",
  "Guest checkout first",
  "Reviews beside the price",
];
const LEARNED = [
  "Every field that we left out brought orders. Ask what the shop does with each of them before it is asked for.",
  "",
  "Nobody looks at them before the second visit.\n\nNew visitors and those who come back want different things, so plan the next one for one of them.",
];
const MONTH_MS = 30 * 86_400_000;

/** @returns {Schemas["ProgrammeItem"]} */
function item(index) {
  const outcome = OUTCOMES[index % OUTCOMES.length];
  const middle = { won: 6, lost: -5, inconclusive: 0.6, stopped_early: 1.5, invalid: 9 }[outcome] + (index % 7) - 3;
  const half = 2 + (index % 5) * 1.2;
  const isOld = index % 11 === 10;
  const no_estimate = isOld ? "no_result" : outcome === "invalid" ? "invalid" : null;
  return {
    project_key: index % 4 === 3 ? BLOG : SHOP,
    test_id: index + 1,
    test_name: `${NAMES[index % NAMES.length]} ${index + 1}`,
    experiment_key: `experiment-${index + 1}`,
    hypothesis_id: index % 3 === 0 ? index + 1 : null,
    outcome,
    concluded_at: new Date(Date.now() - index * 0.4 * MONTH_MS).toISOString(),
    concluded_by: isOld ? null : "Mary Somerville",
    note: "It ran for two whole weeks.",
    learned: LEARNED[index % LEARNED.length],
    serving_variant_id: outcome === "won" && index % 2 === 0 ? "1" : null,
    goal_key: isOld ? null : "order",
    goal_name: isOld ? null : "Order placed",
    visitors: isOld ? null : 12_000 + index * 431,
    variant_id: isOld ? null : "1",
    lift: isOld ? null : middle,
    lift_interval: isOld ? null : [middle - half, middle + half],
    expected_lift: no_estimate === null ? middle * 0.6 : null,
    expected_interval: no_estimate === null ? [middle * 0.6 - half * 0.8, middle * 0.6 + half * 0.8] : null,
    no_estimate,
    confidence: index % 3 === 0 ? (index % 5) + 1 : null,
    importance: null,
    difficulty: null,
  };
}

/**
 * @param {number} many
 * @param {URLSearchParams} query
 * @returns {Schemas["Programme"]}
 */
export function programme(many, query) {
  const from = Number(query.get("cursor") ?? 0);
  const next = from + Number(query.get("limit") ?? 50);
  const isNone = many === 0;
  const sum = isNone
    ? { tests: 0, without_lift: 0, expected: null, expected_interval: null, shown: 0 }
    : { tests: 24, without_lift: 3, expected: 61.3, expected_interval: [38.2, 86.9], shown: 104.6 };
  return {
    success: true,
    totals: {
      concluded: many,
      exploratory: isNone ? 0 : 2,
      outcomes: isNone
        ? { won: 0, lost: 0, inconclusive: 0, stopped_early: 0, invalid: 0 }
        : { won: 27, lost: 21, inconclusive: 48, stopped_early: 11, invalid: 9 },
      win_rate: isNone ? null : 25.2,
      win_rate_interval: isNone ? null : [17.9, 34.3],
      per_month: isNone ? null : 3.05,
      months: Array.from({ length: isNone ? 0 : 38 }, (_, at) => {
        const concluded = (at * 7) % 11 < 2 ? 0 : ((at * 5) % 7) + 1;
        const month = new Date(Date.UTC(2023, 9 + at, 1)).toISOString().slice(0, 7);
        return { month, concluded, won: Math.min(concluded, at % 3) };
      }),
    },
    cumulative: {
      won_or_served: sum,
      served: isNone
        ? sum
        : { ...sum, tests: 13, without_lift: 0, expected: 35.1, expected_interval: [20.4, 51], shown: 58.2 },
    },
    learned_from: isNone ? 0 : 96,
    without_estimate: isNone
      ? { invalid: 0, personalization: 0, no_result: 0, not_trusted: 0, too_few_conversions: 0 }
      : { invalid: 9, personalization: 1, no_result: 6, not_trusted: 2, too_few_conversions: 3 },
    truncated: false,
    calibration: isNone ? [] : [1, 2, 3, 4, 5].map(rated),
    holdouts: [],
    total: many,
    items: Array.from({ length: many }, (_, index) => item(index)).slice(from, next),
    next_cursor: next < many ? String(next) : null,
  };
}

/** @returns {Schemas["ProgrammeCalibration"]} */
function rated(value) {
  const [tests, won] = [
    [2, 0],
    [9, 1],
    [21, 5],
    [17, 6],
    [6, 3],
  ][value - 1];
  return {
    rating: "confidence",
    value,
    tests,
    won,
    win_rate: (won / tests) * 100,
    win_rate_interval: [
      [0, 65.8],
      [2, 43.5],
      [10.6, 45.1],
      [17.3, 58.7],
      [18.8, 81.2],
    ][value - 1],
    with_lift: tests - 1,
    expected_lift: value - 1.6,
    expected_interval: [value - 5 / value - 1.6, value + 5 / value - 1.6],
  };
}
