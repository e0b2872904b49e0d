// Initial data of the development server. `many` is the number of experiments.

const NOW = Date.now();
const at = (daysAgo) => new Date(NOW - daysAgo * 86_400_000).toISOString();

export const SHOP = "prj_Q2f8kX3mD7tYwR5vB9cN1s";
export const BLOG = "prj_7hTq2LmZ0aRkV4xWcE8yUf";

/** @typedef {import("../src/api/schema.d.ts").components["schemas"]} Schemas */

/** @type {Schemas["Person"][]} */
export const people = [
  person(1, "ada@example.com", "Ada Lovelace", "owner", { has_totp: true, last_seen_at: at(0) }),
  person(2, "grace@example.com", "Grace Hopper", "admin", { last_seen_at: at(0.2), passkeys: 1 }),
  person(3, "mary.somerville@example.com", "Mary Somerville", "editor", {
    last_seen_at: at(3),
    projects: [
      { project_key: SHOP, role: "editor" },
      { project_key: BLOG, role: "viewer" },
    ],
  }),
  person(4, "charles@example.com", "Charles Babbage", "viewer", { has_password: false }),
];

/** @returns {Schemas["Person"]} */
function person(person_id, email, name, role, more = {}) {
  return {
    person_id,
    email,
    name,
    role,
    projects: null,
    has_password: true,
    has_totp: false,
    passkeys: 0,
    created_at: at(100 - person_id),
    last_seen_at: null,
    ...more,
  };
}

/** @type {Schemas["Invitation"][]} */
export const invitations = [
  {
    invitation_id: 1,
    email: "emmy@example.com",
    role: "editor",
    projects: null,
    invited_by: "Ada Lovelace",
    created_at: at(1),
    expires_at: at(-6),
  },
];

/** @type {Schemas["ApiKeyItem"][]} */
export const keys = [
  key("Q2f8kX3m", "nightly export", ["read"], { last_used_at: at(0.3) }),
  key("a81Kd0Pz", "shop backend", ["evaluate"], { projects: [SHOP], expires_at: null, last_used_at: at(0) }),
  key("Zz19ffQe", "old script", ["read", "write", "code"], { revoked_at: at(20) }),
];

/** @returns {Schemas["ApiKeyItem"]} */
function key(prefix, name, scopes, more) {
  return {
    prefix,
    name,
    scopes,
    projects: null,
    created_at: at(40),
    created_by: null,
    expires_at: at(-300),
    revoked_at: null,
    last_used_at: null,
    ...more,
  };
}

const SENTENCES = {
  win: "Ship Variant 1: it beats the control by 4.1 %, at least 1.2 %.",
  loss: "Stop it: Variant 1 loses 3.4 % of orders, at least 0.9 %.",
  no_difference: "There is no difference of 2 % or more. Keep what is cheaper to maintain.",
  keep_running: "Keep it running: about 9 days until the planned number of visitors.",
  do_not_trust: "Do not use these numbers: Variant 1 gets fewer visitors than its share. Look at the redirect.",
};
const TITLES = [
  "Shorter checkout form",
  "Free shipping banner above the fold",
  "Larger product pictures",
  "One-page checkout",
  "Sticky add-to-cart button on phones",
  "Reviews next to the price",
  "Guest checkout first",
  "Newsletter prompt after reading, with a very long name that has to be cut somewhere because nobody reads it to its end",
];
const TAGS = [["checkout"], ["mobile", "checkout", "q4"], [], ["pricing"]];
/** @type {(Pick<Schemas["OverviewItem"], "status" | "verdict" | "health" | "days" | "days_left"> & Partial<Schemas["OverviewItem"]>)[]} */
const SCENES = [
  { status: 1, verdict: "win", health: "ok", days: 21, days_left: 0 },
  { status: 1, verdict: "keep_running", health: "ok", days: 5, days_left: 9 },
  { status: 1, verdict: "do_not_trust", health: "fail", days: 3, days_left: 18 },
  { status: 9, verdict: null, health: "unknown", days: null, days_left: null },
  { status: 1, verdict: "keep_running", health: "warn", days: 12, days_left: 30 },
  { status: 0, verdict: "loss", health: "ok", days: 14, days_left: null, outcome: "lost" },
  { status: 0, verdict: "no_difference", health: "ok", days: 28, days_left: null },
];

/** @returns {Schemas["OverviewItem"][]} */
export function experiments(many) {
  return Array.from({ length: many }, (_, index) => {
    const scene = SCENES[index % SCENES.length];
    const id = index + 1;
    const owner = people[index % 3];
    return {
      test_id: id,
      test_name: index < TITLES.length ? TITLES[index] : `${TITLES[index % 7]} ${id}`,
      experiment_key: `experiment-${id}`,
      project_key: index % 4 === 3 ? BLOG : SHOP,
      url: "https://shop.example.com/checkout",
      tags: TAGS[index % TAGS.length],
      owner: { kind: "person", id: String(owner.person_id), name: owner.name },
      archived: index % 29 === 28,
      outcome: null,
      sentence: scene.verdict ? SENTENCES[scene.verdict] : "Finish the draft: it has no goal yet.",
      visitors: scene.days === null ? null : (scene.days * 977 * (1 + (index % 5))) | 0,
      last_change: {
        at: at(index / 3),
        actor: { kind: "person", id: String(owner.person_id), name: owner.name },
        action: "update",
      },
      as_of: scene.days === null ? null : at(0),
      hypothesis_id: null,
      is_completed: scene.outcome ? 1 : 0,
      is_deploy: 0,
      created_at: at(50 + index / 2),
      updated_at: at(index / 3),
      ...scene,
    };
  });
}

/**
 * Details of an experiment. Its item in the overview has a part of them.
 *
 * @param {Schemas["OverviewItem"]} item
 * @returns {Schemas["ExperimentDetails"]}
 */
export function details(item) {
  const { status, created_at } = item;
  return {
    test_id: item.test_id,
    test_name: item.test_name,
    experiment_key: item.experiment_key,
    project_key: item.project_key,
    url: item.url,
    tags: item.tags,
    archived: item.archived,
    status,
    is_completed: item.is_completed,
    is_deploy: item.is_deploy,
    hypothesis_id: item.hypothesis_id,
    created_at,
    updated_at: item.updated_at,
    company_id: 1,
    test_type: "abtest",
    control: { nickname: "", customJS: "", customCSS: "" },
    variants: [{ name: "Variant 1", nickname: "Two fields", customJS: "", customCSS: "", data: [] }],
    variants_data_key: "data",
    custom_js: "",
    custom_css: "",
    configuration: { traffic_allocation: 100, confidence_interval: 95, integration: [] },
    targeting: {},
    plan: { mde: 2, visitors: null },
    primary_goal: null,
    primary_goal_key: null,
    secondary_goal_keys: [],
    builtin_metrics: [],
    event_metrics: [],
    epochs:
      status === 9
        ? []
        : [
            {
              epoch: 1,
              started_at: created_at,
              reasons: ["status"],
              traffic_allocation: 100,
              weights: { Control: 50, "Variant 1": 50 },
            },
          ],
    schedule: { next: null, last: null },
    integrations: [],
  };
}

/** @type {Schemas["Hypothesis"]} */
export const hypothesis = {
  hypothesis_id: 1,
  observation: null,
  problem: "Shipping costs surprise people",
  solution: null,
  confidence: null,
  importance: null,
  difficulty: null,
  hypothesis_url: null,
  created_at: at(60),
  updated_at: at(60),
  linked_test_ids: [],
};

/** @type {Schemas["Goal"]} */
export const goal = {
  goal_profile_id: 1,
  goal_key: "order",
  goal_name: "Order",
  goal_type: "event",
  goal_value: "order",
  goal_purpose: "sell",
  element_url: null,
  window_days: null,
  min_count: 1,
  cap: null,
  max_order_value: null,
  currency: null,
  created_at: at(60),
};

/** @type {Schemas["AuditEntry"][]} */
export const audit = [
  entry(
    6,
    0.01,
    "update",
    "experiment",
    "1",
    "Shorter checkout form",
    { traffic_allocation: 50 },
    { traffic_allocation: 100 },
  ),
  entry(5, 0.4, "create", "key", "Q2f8kX3m", "nightly export", null, { name: "nightly export", scopes: ["read"] }),
  entry(4, 1, "invite", "invitation", "1", "emmy@example.com", null, { email: "emmy@example.com", role: "editor" }),
  entry(3, 2, "start", "experiment", "2", "Free shipping banner above the fold", { status: 9 }, { status: 1 }),
  entry(2, 30, "create", "project", SHOP, "Shop", null, { name: "Shop" }),
  entry(1, 100, "create", "person", "1", "Ada Lovelace", null, { email: "ada@example.com", role: "owner" }),
];

/** @returns {Schemas["AuditEntry"]} */
function entry(number, daysAgo, action, kind, id, name, before, after) {
  return {
    entry: number,
    at: at(daysAgo),
    actor:
      number === 1
        ? { kind: "system", id: "first start", name: "first start" }
        : { kind: "person", id: "1", name: "Ada Lovelace" },
    action,
    object: { kind, id, name },
    project_key: kind === "experiment" ? SHOP : null,
    before,
    after,
    hash: number.toString(16).repeat(64).slice(0, 64),
  };
}

/** @returns {Schemas["SessionItem"][]} */
export const sessions = (userAgent) => [
  session(1, true, userAgent, 0.1),
  session(
    2,
    false,
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Mobile/15E148 Safari/604.1",
    3,
  ),
];

function session(session_id, is_current, user_agent, daysAgo) {
  return {
    session_id,
    is_current,
    method: "password",
    user_agent,
    network: "203.0.113.0/24",
    created_at: at(daysAgo + 4),
    last_seen_at: at(daysAgo / 10),
    expires_at: at(-1),
  };
}
