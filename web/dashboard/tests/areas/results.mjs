// Results of experiments that have not started, that wait, run, have won, are broken, have money, or have many
// variants.

import { among, before, collector, crowd, send } from "../crowd.mjs";

const COUNTRIES = ["DE", "FR", "US", "NL"];

export async function seed(company, text) {
  const key = await collector(company);
  const goal = async (goal_key, name, more) =>
    company.post("/goal", { goal_key, goal_name: text(name, 200), goal_type: "event", goal_value: goal_key, ...more });
  await goal("order", "Order placed");
  await goal("basket", "Put something into the basket");
  await goal("revenue", "Revenue", { goal_type: "revenue", goal_value: "Purchase" });
  const make = async (name, more = {}) => {
    const { test_id } = await company.post("/create-experiment", {
      test_name: text(name, 200),
      url: "https://shop.example/checkout",
      variants: arms(text, 1),
      primary_goal_key: "order",
      secondary_goal_keys: ["basket"],
      builtin_metrics: ["bounce_rate", "engagement"],
      ...more,
    });
    return test_id;
  };
  const start = (id, days) =>
    company.patch(`/experiment/${id}/status`, { status: 1, ...(days && { started_at: before(days + 0.5) }) });

  const draft = await make("Free delivery above 50 €");
  const empty = await make("Headline of the shop", { plan: { mde: 10 } });
  await start(empty);

  const running = await make("Fewer fields", { plan: { mde: 10, visitors: 20_000 } });
  const shop = (rates) => (arm, at) => [
    { type: "pageview", url: `https://shop.example/${at % 12}` },
    ...(among(at, 40, 3) ? [{ type: "custom", name: "basket" }] : []),
    ...(among(at, rates[arm], 7) ? [{ type: "custom", name: "order" }] : []),
  ];
  const visitorOf = (at) => ({ country: COUNTRIES[(at >> 1) % 4] });
  await send(company, key, crowd(running, { visitors: 1_600, days: 6, does: shop([10, 11]), visitorOf }));
  await start(running, 6);

  const won = await make("Shorter checkout form", {
    plan: { mde: 5, visitors: 4_000 },
    configuration: { bayesian: 0 },
  });
  // Visitors send the addresses, so some are very long.
  const pageOf = (at) => `https://shop.example/${at % 7 === 0 ? "long".repeat(60) : (at >> 1) % 12}`;
  await send(company, key, crowd(won, { visitors: 4_000, days: 14, does: shop([10, 16]), visitorOf, pageOf }));
  await start(won, 14);

  const broken = await make("New product page");
  const armOf = (at) => (at % 10 < 6 ? 0 : 1);
  await send(company, key, crowd(broken, { visitors: 2_000, days: 9, armOf, does: shop([10, 14]), visitorOf }));
  await start(broken, 9);

  const revenue = await make("Recommendations in the basket", { primary_goal_key: "revenue" });
  const buys = (arm, at) =>
    among(at, arm === 1 ? 12 : 9, 5)
      ? [{ type: "order", name: "Purchase", value: 20 + ((at * 37) % 120), currency: "EUR" }]
      : [];
  await send(company, key, crowd(revenue, { visitors: 3_000, days: 12, does: buys, visitorOf }));
  await start(revenue, 12);

  const many = await make("Ten headlines", { variants: arms(text, 9) });
  const rates = [10, 11, 9, 12, 10, 10.5, 4, 10, 11, 19];
  await send(company, key, crowd(many, { visitors: 12_000, days: 20, arms: 10, does: shop(rates), visitorOf }));
  await start(many, 20);

  const changes = [{ target: "h1", innerText: "Shorter" }];
  const slow = await make("Pictures that are larger", { variants: [{ name: "Variant 1", data: changes }] });
  const pages = (arm, at) => {
    const of = { type: "health", test_id: slow, variant_id: String(arm) };
    const lcp_ms = 1_100 + ((at * 389) % 900) + arm * 420;
    return [
      { ...of, lcp_ms, cls: ((at * 7) % 10) / 100, inp_ms: 40 + ((at * 31) % 90) },
      {
        ...of,
        hidden_ms: arm * 12,
        late: 0,
        errors: arm === 1 && among(at, 4, 11) ? 1 : 0,
        ...(arm === 1 && { changes: "1" }),
      },
    ];
  };
  await send(company, key, crowd(slow, { visitors: 3_000, days: 5, does: pages, visitorOf }));
  await start(slow, 5);

  const attacked = await make("Stickers on the pictures");
  // All visitors with this browser are in the variant, and convert.
  const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  const oddOf = (at) => (at % 12 === 1 ? { user_agent: agent } : {});
  const does = (_arm, at) => (at % 12 === 1 || among(at, 10, 7) ? [{ type: "custom", name: "order" }] : []);
  await send(company, key, crowd(attacked, { visitors: 600, days: 3, does, visitorOf: oddOf }));
  await start(attacked, 3);

  const at = (id) => `/p/${company.shop}/experiments/${id}/results`;
  const suspects = (id) => at(id).replace("/results", "/suspects");
  return {
    ...Object.fromEntries(
      Object.entries({ draft, empty, running, won, broken, revenue, many, slow }).map(([name, id]) => [name, at(id)]),
    ),
    suspects: { some: suspects(attacked), none: suspects(running) },
  };
}

function arms(text, number) {
  return Array.from({ length: number }, (_, at) => ({
    name: `Variant ${at + 1}`,
    nickname: text(`Form of ${at + 2} rows`, 100),
  }));
}

export const PAGES = {
  "results-draft": { path: ({ draft }) => draft },
  "results-empty": { path: ({ empty }) => empty },
  "results-running": { path: ({ running }) => running },
  results: { path: ({ won }) => won },
  "results-read": { path: ({ won }) => won, as: "viewer" },
  "results-help": {
    path: ({ won }) => won,
    act: async (page) => {
      for (const summary of await page.locator("summary").all()) await summary.click();
    },
  },
  "results-broken": { path: ({ broken }) => broken },
  "results-revenue": { path: ({ revenue }) => revenue },
  "results-slow": { path: ({ slow }) => slow },
  "results-many": { path: ({ many }) => many },
  "results-parts": {
    path: ({ won }) => `${won}?breakdown_by=landing_page&filter_by=country-DE,country-FR&goal=basket`,
  },
  "results-choose": {
    path: ({ won }) => `${won}?breakdown_by=country&start_date=2026-01-01&tz=Europe%2FBerlin`,
    act: async (page) => {
      await page.getByRole("button", { name: "Choose visitors" }).click();
      await page.getByLabel("Device").waitFor();
    },
  },
  "results-nobody": { path: ({ won }) => `${won}?filter_by=country-IS` },
  suspects: { path: ({ suspects }) => suspects.some },
  "suspects-none": { path: ({ suspects }) => suspects.none },
  "suspects-exclude": {
    path: ({ suspects }) => suspects.some,
    act: async (page) => {
      await page.getByRole("button", { name: "Exclude" }).first().click();
      await page.getByRole("dialog").waitFor();
    },
  },
  "results-refused": { path: ({ won }) => `${won}?epoch=99&tz=Nowhere` },
};
