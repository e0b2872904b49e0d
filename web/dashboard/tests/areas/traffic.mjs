// Traffic of experiments, and the exclusion groups and holdouts of a project.

import { collector, send } from "../crowd.mjs";
import { until } from "../rig.mjs";

const DAY_MS = 86_400_000;

export async function seed(company, text) {
  const goal = { goal_name: text("Order placed", 200), goal_key: "order", goal_type: "event", goal_value: "bought" };
  await company.post("/goal", goal);
  const make = async (name, more = {}) => {
    const { test_id } = await company.post("/create-experiment", {
      test_name: text(name, 200),
      url: "https://shop.example/checkout",
      variants: [{ name: "Variant 1", nickname: text("One page", 200) }],
      primary_goal_key: "order",
      ...more,
    });
    return test_id;
  };
  const three = [1, 2, 3].map((at) => ({ name: `Variant ${at}`, nickname: text(`Headline ${at}`, 200) }));
  const bandit = await make("Headline of the shop", { configuration: { is_mab: 1, is_autopilot: 1 }, variants: three });
  const live = await make("Shorter checkout form", { status: 1 });
  const draft = await make("Free delivery above 50 €", { configuration: { traffic_allocation: 40 } });
  const shop = await company.post("/exclusion-group", {
    name: text("Checkout", 200),
    kind: "exclusion",
    members: [
      { test_id: live, percent: 30 },
      { test_id: draft, percent: 45.5 },
    ],
  });
  const holdout = { name: text("Sees no experiment", 200), kind: "holdout", percent: 20, scope: "project" };
  const all = await company.post("/exclusion-group", holdout);
  const some = { name: text("Loyal visitors", 200), kind: "holdout", percent: 2.5, scope: { tests: [live, bandit] } };
  const few = await company.post("/exclusion-group", some);
  await company.post("/exclusion-group", { name: text("Homepage", 200), kind: "exclusion", members: [] });
  await past(company, bandit);
  await crowd(company);
  const other = await company.post("/v2/projects", { name: text("Journal", 200) });
  const base = `/p/${company.shop}`;
  const traffic = (id) => `${base}/experiments/${id}/setup/traffic`;
  const group = (made) => `${base}/groups/${made.group_id}`;
  return { base, traffic, bandit, live, draft, shop: group(shop), all: group(all), few: group(few), other };
}

/** Sends visits of many visitors with an API key, so that their times are trusted. */
export async function visits(company, visits) {
  await send(
    company,
    await collector(company),
    visits.map(({ id, events }) => ({ visitor: { id }, events })),
  );
}

/** Creates a bandit of three days, and waits until the clock has changed its weights. */
export async function past(company, bandit) {
  const before = (days) => new Date(Date.now() - days * DAY_MS).toISOString();
  const arm = (number, rate) =>
    Array.from({ length: 150 }, (_, at) => ({
      id: `past-${number}-${at}`,
      events: [
        { type: "exposure", test_id: bandit, variant_id: String(number), at: before(2) },
        ...(at < rate ? [{ type: "custom", name: "bought", at: before(1.9) }] : []),
      ],
    }));
  await visits(company, [arm(0, 20), arm(1, 28), arm(2, 35), arm(3, 22)].flat());
  // Wait until the visits are counted: the clock checks the result when the experiment starts, and then only once a
  // minute.
  await company.get(`/experiment/${bandit}/result`);
  await company.patch(`/experiment/${bandit}/status`, { status: 1, started_at: before(3) });
  await until(async () => {
    const { experiment } = await company.get(`/experiment/${bandit}`);
    return experiment.schedule.last?.rule === "bandit";
  }, "the move of the bandit");
}

/** Visitors of today, some of whom are in a holdout. */
async function crowd(company) {
  const at = new Date().toISOString();
  const visitor = (_, number) => ({
    id: `today-${number}`,
    events: [
      { type: "pageview", url: "https://shop.example/", at },
      ...(number % 7 === 0 ? [{ type: "custom", name: "bought", at }] : []),
    ],
  });
  await visits(company, Array.from({ length: 900 }, visitor));
}

const share = (page) => page.getByRole("spinbutton", { name: /^Share of/ });

export const PAGES = {
  traffic: { path: ({ traffic, bandit }) => traffic(bandit) },
  "traffic-draft": { path: ({ traffic, draft }) => traffic(draft) },
  "traffic-wrong": {
    path: ({ traffic, draft }) => traffic(draft),
    act: async (page) => {
      await page.getByLabel("Visitors who enter, in percent").fill("140");
      await page.getByLabel("Weight of Control, in percent").fill("70");
      await page.getByRole("button", { name: "Save traffic" }).click();
      await page.getByText("must sum to 100").waitFor();
    },
  },
  "traffic-read": { path: ({ traffic, live }) => traffic(live), as: "viewer" },
  groups: { path: ({ base }) => `${base}/groups` },
  "groups-empty": { path: ({ other }) => `/p/${other.project_key}/groups` },
  group: { path: ({ shop }) => shop },
  "group-read": { path: ({ shop }) => shop, as: "viewer" },
  "group-wrong": {
    path: ({ shop }) => shop,
    act: async (page) => {
      await share(page).first().fill("80");
      await page.getByRole("button", { name: "Save group" }).click();
      await page.getByText("must be at most 100").waitFor();
    },
  },
  "group-moves": {
    path: ({ shop }) => shop,
    act: async (page) => {
      await share(page).first().fill("10");
      await page.getByRole("button", { name: "Save group" }).click();
      await page.getByRole("dialog", { name: "This moves visitors" }).waitFor();
    },
  },
  "group-gone": { path: ({ base }) => `${base}/groups/999` },
  holdout: { path: ({ all }) => all },
  "holdout-some": { path: ({ few }) => few },
  "group-new": {
    path: ({ base }) => `${base}/groups/new`,
    act: async (page) => {
      await page.getByRole("combobox", { name: "Add an experiment" }).click();
      await page.getByRole("option").first().waitFor();
    },
  },
  "group-new-holdout": { path: ({ base }) => `${base}/groups/new?kind=holdout` },
};
