// Pictures of results: lifts, days, weights of a bandit.

import { past, visits } from "./traffic.mjs";

const DAY_MS = 86_400_000;
const DAYS = 12;

/** Visitors of twelve days and of today. The number increases each day; one variant is better and one is worse. */
export async function days(company, id, most = 60) {
  const all = [];
  for (let day = DAYS; day >= 0; day -= 1) {
    const begin = Date.now() - day * DAY_MS - 3_600_000;
    const at = (minutes) => new Date(begin + minutes * 60_000).toISOString();
    [0.2, 0.33, 0.14].forEach((rate, arm) => {
      const visitors = Math.round(most * (1 - day / 30));
      for (let one = 0; one < visitors; one += 1) {
        // Deterministic, but different on each day.
        const converts = ((one * 7 + day * 13 + arm * 5) % 97) / 97 < rate;
        all.push({
          id: `days-${id}-${day}-${arm}-${one}`,
          events: [
            { type: "exposure", test_id: id, variant_id: String(arm), at: at(1) },
            ...(converts ? [{ type: "custom", name: "bought", at: at(2) }] : []),
          ],
        });
      }
    });
  }
  await visits(company, all);
  // Starts with the first visit, so that both are on one day at any time of the day.
  const { at: started } = all[0].events[0];
  await company.patch(`/experiment/${id}/status`, { status: 1, started_at: started });
}

export async function make(company, text, more = {}) {
  const { test_id } = await company.post("/create-experiment", {
    test_name: text("Shorter checkout form", 200),
    url: "https://shop.example/checkout",
    variants: [
      { name: "Variant 1", nickname: text("One page", 200) },
      { name: "Variant 2", nickname: text("Accordion", 200) },
    ],
    primary_goal_key: "order",
    ...more,
  });
  return test_id;
}

export async function seed(company, text) {
  const goal = { goal_name: text("Order placed", 200), goal_key: "order", goal_type: "event", goal_value: "bought" };
  await company.post("/goal", goal);
  const decided = await make(company, text);
  await days(company, decided);
  // Opens an epoch, and changes what visitors see.
  const merge = { headers: { "content-type": "application/merge-patch+json" } };
  await company.call("PATCH", `/experiment/${decided}`, { configuration: { traffic_allocation: 80 } }, merge);
  await company.call("PATCH", `/experiment/${decided}`, { custom_css: "h1 { color: teal }" }, merge);
  const young = await make(company, text, { status: 1 });
  const three = [1, 2, 3].map((at) => ({ name: `Variant ${at}`, nickname: text(`Headline ${at}`, 200) }));
  const bandit = await make(company, text, { configuration: { is_mab: 1 }, variants: three });
  await past(company, bandit);
  const page = (id) => `/p/${company.shop}/experiments/${id}/results`;
  return { decided: page(decided), young: page(young), bandit: page(bandit) };
}

export const PAGES = {
  charts: { path: ({ decided }) => decided },
  "charts-tables": {
    path: ({ decided }) => decided,
    act: async (page) => {
      const button = page.getByRole("button", { name: "Show as table" });
      while ((await button.count()) > 0) await button.first().click();
    },
  },
  "charts-rate": {
    path: ({ decided }) => decided,
    act: (page) => page.getByRole("button", { name: "Conversion rate" }).click(),
  },
  "charts-young": { path: ({ young }) => young },
  "charts-bandit": { path: ({ bandit }) => bandit },
};
