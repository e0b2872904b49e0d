// Goals of a project, of every type, with recent activity.

import { collector, send } from "../crowd.mjs";

const GOALS = [
  ["Order", "revenue", "purchase"],
  ["Thank-you page", "pageview", "/thank-you"],
  ["Confirmation", "pageviewExact", "https://shop.example/confirmation"],
  ["Any order page", "pageviewWildcard", "https://shop.example/orders/*/done"],
  ["Order number", "pageviewRegex", "/orders/\\d+/done$"],
  ["Adds to the basket", "clickOnElement", ".product button.buy"],
  ["Opens the size table", "clickOnText", "Which size fits me?"],
  ["Goes to the payment", "externalLink", "pay.example"],
  ["Newsletter", "formSubmit", "form#newsletter"],
  ["Sees the reviews", "elementAppears", "#reviews"],
  ["Reads on", "scrolling", 75],
  ["Stays half a minute", "duration", 30],
  ["Signs up", "event", "signed-up"],
  ["Ends the tour", "script", "tour-finished"],
];

const DAY_MS = 86_400_000;

/** Sends events of some visitors on each of the last days. */
async function happen(company) {
  const visitors = [];
  for (let visitor = 0; visitor < 12; visitor += 1) {
    const events = [];
    for (let day = 0; day < 14; day += 1) {
      if ((visitor * 5 + day * day * 3) % 14 > 4 + (day % 7)) continue;
      const at = new Date(Date.now() - day * DAY_MS - visitor * 60_000).toISOString();
      const page = { url: "https://shop.example/thank-you", at };
      events.push({ type: "pageview", ...page });
      if (day > 2) events.push({ type: "custom", name: "signed-up", ...page });
      if (visitor % 3 === 0)
        events.push({
          type: "order",
          name: "purchase",
          value: 40 + day,
          currency: "EUR",
          order_id: `A-${visitor}-${day}`,
          ...page,
        });
    }
    visitors.push({ visitor: { id: `visitor-${visitor}` }, events });
  }
  await send(company, await collector(company), visitors);
}

export async function seed(company, text) {
  const goals = [];
  for (const [at, [name, goal_type, plain]] of GOALS.entries()) {
    const isFree = ["pageview", "clickOnElement", "clickOnText", "formSubmit", "event"].includes(goal_type);
    const made = await company.post("/goal", {
      goal_name: text(name, 200),
      goal_type,
      goal_value: isFree ? text(plain, 120) : plain,
      goal_key: `goal-${at}`,
      goal_purpose: at % 3 === 0 ? "sell" : "engage",
    });
    goals.push(made.goal_profile_id);
  }
  for (const [name, status, secondary] of [
    ["Shorter checkout form", 1, ["goal-12", "goal-5"]],
    ["Larger pictures", 9, ["goal-1"]],
  ])
    await company.post("/create-experiment", {
      test_name: text(name, 200),
      url: "https://shop.example/checkout",
      variants: [{ name: "Variant 1" }],
      primary_goal_key: "goal-0",
      secondary_goal_keys: secondary,
      status,
    });
  await happen(company);
  const empty = await company.post("/v2/projects", { name: text("Blog", 60) });
  return { base: `/p/${company.shop}/goals`, goals, empty: empty.project_key };
}

export const PAGES = {
  goals: { path: ({ base }) => base },
  "goals-none": { path: ({ empty }) => `/p/${empty}/goals` },
  "goals-new": { path: ({ base }) => `${base}/new` },
  "goals-new-order": {
    path: ({ base }) => `${base}/new`,
    async act(page) {
      await page.getByLabel("Counts when").selectOption("revenue");
      await page.getByLabel("Name of the order event").fill("purchase");
      await page.getByText("muriel.push").waitFor();
    },
  },
  goal: { path: ({ base, goals }) => `${base}/${goals[0]}` },
  "goal-read": { path: ({ base, goals }) => `${base}/${goals[1]}`, as: "viewer" },
  "goal-watched": {
    path: ({ base, goals }) => `${base}/${goals[12]}`,
    async act(page) {
      await page.getByLabel("Your visitor id").fill("visitor-1");
      await page.getByRole("button", { name: "Watch" }).click();
      await page.getByText("Watching.").waitFor();
    },
  },
  "goal-delete": {
    path: ({ base, goals }) => `${base}/${goals[0]}`,
    async act(page) {
      await page.getByRole("button", { name: "Delete goal" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete goal" }).click();
      await page.getByRole("alert").waitFor();
    },
  },
};
