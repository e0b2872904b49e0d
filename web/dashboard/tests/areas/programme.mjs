// Concluded experiments: with results of every kind and without, with rated hypotheses, and of another project.

import { among, before, collector, crowd, send } from "../crowd.mjs";

/** Outcome, orders per hundred visitors of control and variant, learning, and hypothesis. */
const CONCLUDED = [
  [
    "Fewer fields",
    "won",
    [10, 15],
    "Every field that we left out brought orders.\nAsk what the shop does with each.",
    0,
  ],
  [
    "Delivery costs in the basket",
    "won",
    [10, 13.5],
    "People leave when costs come as a surprise, not when they are high.",
    1,
  ],
  ["Larger pictures", "inconclusive", [11, 11.4], "", 2],
  ["Chat on every page", "lost", [12, 9], "It covered the button on phones. Look at a phone first.", 3],
  ["Stars beside the price", "inconclusive", [10, 10.8], "Nobody looks at them before the second visit.", undefined],
];

const LONG =
  "Visitors who come back know what they want, so what helps them is not what helps new ones.\n\n" +
  "Plan the next experiment for new visitors alone: with both together the one effect hides the other.\n" +
  "Also: the sale began in the second week, and orders of the control went up with it. Begin after a sale, not before.";

export async function seed(company, text) {
  const key = await collector(company);
  await company.post("/exclusion-group", {
    name: text("Sees no experiment", 200),
    kind: "holdout",
    percent: 5,
    scope: "project",
  });
  const goal = { goal_key: "order", goal_name: text("Order placed", 200), goal_type: "event", goal_value: "order" };
  await company.post("/goal", goal);
  const hypotheses = [];
  for (const [confidence, importance, difficulty] of [
    [5, 4, 2],
    [4, 5, 1],
    [2, 3, 3],
    [4, 2, 5],
  ]) {
    const body = { problem: text("The form asks for too much.", 2_000), confidence, importance, difficulty };
    hypotheses.push((await company.post("/hypothesis", body)).hypothesis_id);
  }
  const make = async (name, more = {}, path = "") => {
    const made = await company.post(`${path}/create-experiment`, {
      test_name: text(name, 200),
      url: "https://shop.example/checkout",
      variants: [{ name: "Variant 1" }],
      ...more,
    });
    return made.test_id;
  };
  const conclude = (id, outcome, learned, more = {}, path = "") =>
    company.post(`${path}/experiment/${id}/conclude`, {
      outcome,
      note: text("It ran for two whole weeks.", 1_000),
      ...(learned && { learned: text(learned, 4_000) }),
      override_reason: text("A study says so, too.", 500),
      ...more,
    });
  /** Creates an experiment that has run, with its visitors. */
  const run = async (name, rates, visitors, more = {}, armOf) => {
    const id = await make(name, { primary_goal_key: "order", ...more });
    const does = (arm, at) => (among(at, rates[arm], 7) ? [{ type: "custom", name: "order" }] : []);
    await send(company, key, crowd(id, { visitors, days: 14, does, ...(armOf && { armOf }) }));
    await company.patch(`/experiment/${id}/status`, { status: 1, started_at: before(14.5) });
    return id;
  };

  const { project_key: blog } = await company.post("/v2/projects", { name: text("Blog", 200) });
  const inBlog = `/v2/project/${blog}`;
  await conclude(
    await make("Newsletter box", {}, inBlog),
    "stopped_early",
    "Nobody reads what is below the fold.",
    {},
    inBlog,
  );
  const broken = await run("New product page", [10, 13], 1_200, {}, (at) => (at % 10 < 6 ? 0 : 1));
  await conclude(broken, "inconclusive", "Redirects lose visitors on slow phones.");
  const few = await run("Gift wrapping", [8, 12], 60);
  await conclude(few, "stopped_early", "Too few come to the basket in summer.");
  await conclude(await run("Sticky header", [10, 14], 900), "invalid", "The event was sent twice.");
  for (const [name, outcome, rates, learned, hypothesis] of CONCLUDED) {
    const about = hypothesis === undefined ? {} : { hypothesis_id: hypotheses[hypothesis] };
    const id = await run(name, rates, 2_400, about);
    await conclude(id, outcome, learned, outcome === "won" ? { serve_variant_id: "1" } : {});
  }
  const long = await run("Orders of last time on top", [10, 12], 1_600, { hypothesis_id: hypotheses[0] });
  await conclude(long, "won", LONG);
  const empty = await company.post("/v2/projects", { name: text("Journal", 200) });
  return { blog, empty: empty.project_key };
}

async function more(page) {
  await page
    .getByRole("button", { name: /^More about/ })
    .first()
    .click();
  for (const summary of await page.locator("summary").all()) await summary.click();
}

export const PAGES = {
  learnings: { path: () => "/programme" },
  "learnings-more": { path: () => "/programme", act: more },
  "learnings-read": { path: () => "/programme?outcome=won,lost", as: "viewer" },
  "learnings-project": { path: ({ blog }) => `/programme?project=${blog}&from=2026-01-01` },
  "learnings-nothing-matches": { path: () => "/programme?search=nothing+has+this" },
  "learnings-none-there": { path: ({ empty }) => `/programme?project=${empty}` },
  "learnings-calibration": {
    path: () => "/programme",
    act: async (page) => {
      await page.getByRole("button", { name: "Difficulty" }).click();
      await page.getByRole("table", { name: "By difficulty" }).waitFor();
    },
  },
};
