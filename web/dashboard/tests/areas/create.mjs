// Creation of an experiment, and the setup steps for its page, goals and schedule.

import { browse } from "../crowd.mjs";

export async function seed(company, text) {
  const { hypothesis_id } = await company.post("/hypothesis", {
    observation: text("Half of the visitors leave the checkout at the address.", 900),
    problem: text("The form asks for more than a parcel needs.", 900),
    solution: text("Ask for the address in two fields.", 900),
  });
  const goal = (goal_name, goal_type, goal_value, most = 60) =>
    company.post("/goal", { goal_name: text(goal_name, 200), goal_type, goal_value: text(goal_value, most) });
  const orders = await goal("Orders", "revenue", "purchase", 120);
  const started = await goal("Started the checkout", "clickOnElement", ".checkout");
  const letters = await goal("Newsletter", "event", "signed-up", 120);
  const { test_id } = await company.post("/create-experiment", {
    test_name: text("Shorter checkout form", 200),
    url: "https://shop.example/checkout",
    variants: [{ name: "Variant 1", nickname: text("Two fields", 100), customCSS: ".old { display: none }" }],
    tags: [text("checkout", 40), text("forms", 40)],
    hypothesis_id,
    primary_goal_key: orders.goal_key,
    secondary_goal_keys: [started.goal_key, letters.goal_key],
    event_metrics: [text("coupon-used", 100)],
    plan: { mde: 10 },
    configuration: {
      start_test_date: "2031-03-03T08:00:00Z",
      end_test_date: "2031-04-01T08:00:00Z",
      completion_visitor: 40_000,
      completion_stats_significant_flag: 1,
    },
  });
  const bare = await company.post("/create-experiment", {
    test_name: text("Larger pictures", 200),
    url: "https://shop.example/boots",
    variants: [{ name: "Variant 1" }],
  });
  await seen(company);
  const base = `/p/${company.shop}/experiments`;
  return { base, of: `${base}/${test_id}/setup`, bare: `${base}/${bare.test_id}/setup`, hypothesis_id, test_id };
}

/** Sends an order, so that the goal was seen. */
async function seen(company) {
  const order = { type: "order", name: "purchase", value: 20, currency: "EUR", order_id: "A-1" };
  await browse(company, { visitor: { id: "visitor-1" }, events: [order] });
}

const typedIn = (label, value) => (page) => page.getByLabel(label).fill(value);

export const PAGES = {
  "new-experiment": { path: ({ base }) => `${base}/new` },
  "new-experiment-hypothesis": { path: ({ base, hypothesis_id }) => `${base}/new?hypothesis=${hypothesis_id}` },
  "new-experiment-search": {
    path: ({ base }) => `${base}/new`,
    act: (page) => page.getByRole("combobox", { name: "Hypothesis" }).click(),
  },
  "new-experiment-copy": { path: ({ base, test_id }) => `${base}/new?copy=${test_id}` },
  "new-experiment-viewer": { path: ({ base }) => `${base}/new`, as: "viewer" },
  "setup-basics": { path: ({ of }) => of },
  "setup-goals": { path: ({ of }) => `${of}/goals` },
  "setup-goals-none": { path: ({ bare }) => `${bare}/goals` },
  "setup-goals-new": {
    path: ({ bare }) => `${bare}/goals`,
    act: (page) => page.getByRole("button", { name: "New goal" }).first().click(),
  },
  "setup-goals-read": { path: ({ of }) => `${of}/goals`, as: "viewer" },
  "setup-schedule": { path: ({ of }) => `${of}/schedule` },
  "setup-schedule-none": { path: ({ bare }) => `${bare}/schedule`, act: typedIn("End", "2031-05-01T12:00") },
  "setup-review": { path: ({ of }) => `${of}/review` },
  "setup-review-tried": {
    path: ({ bare }) => `${bare}/review`,
    act: async (page) => {
      await page.getByLabel("Visitors a day").fill("4000");
      await page.getByLabel("Conversion rate, in percent").fill("5");
      await page.getByRole("button", { name: "Calculate" }).click();
      await page.getByLabel("True lift").fill("20");
      await page.getByLabel("Days at most").fill("28");
      await page.getByLabel("Tries").selectOption("100");
      await page.getByRole("button", { name: "Try the plan" }).click();
      await page.getByRole("heading", { name: "If nothing differs" }).waitFor();
    },
  },
};
