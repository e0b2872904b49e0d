// Links to results: the public page in every state, and the dialog that creates and revokes them.

import { among, before, collector, crowd, send } from "../crowd.mjs";

export async function seed(company, text) {
  const key = await collector(company);
  for (const [goal_key, name] of [
    ["order", "Order placed"],
    ["basket", "Put something into the basket"],
  ])
    await company.post("/goal", { goal_key, goal_name: text(name, 200), goal_type: "event", goal_value: goal_key });
  const make = async (name, visitors, rates) => {
    const { test_id } = await company.post("/create-experiment", {
      test_name: text(name, 200),
      url: "https://shop.example/checkout",
      variants: [{ name: "Variant 1", nickname: text("One page in place of three", 100) }],
      primary_goal_key: "order",
      secondary_goal_keys: ["basket"],
      builtin_metrics: ["bounce_rate", "engagement"],
    });
    const does = (arm, at) => [
      { type: "pageview", url: text(`https://shop.example/${at % 4}`, 100) },
      ...(among(at, rates[arm], 7) ? [{ type: "custom", name: "order" }] : []),
      ...(among(at, 40, 3) ? [{ type: "custom", name: "basket" }] : []),
    ];
    const visitorOf = (at) => ({ country: at % 3 === 0 ? "FR" : "DE" });
    if (visitors > 0) await send(company, key, crowd(test_id, { visitors, days: 12, does, visitorOf }));
    await company.patch(`/experiment/${test_id}/status`, { status: 1, started_at: before(12.5) });
    return test_id;
  };
  const won = await make("Shorter checkout form", 3_000, [10, 17]);
  const empty = await make("Headline of the shop", 0, [0, 0]);

  const share = async (id, body = {}) => {
    const { url, share } = await company.post(`/experiment/${id}/shares`, body);
    return { path: new URL(url).pathname, id: share.share_id };
  };
  const parts = {
    filter_by: "country-DE,country-FR",
    breakdown_by: "country",
    goal_key: "basket",
    tz: "Europe/Berlin",
  };
  const [whole, part, nobody, revoked] = [
    await share(won),
    await share(won, { expires_in_days: 7, query: parts }),
    await share(empty),
    await share(won),
  ];
  await company.call("DELETE", `/share/${revoked.id}`);
  return { whole, part, nobody, revoked, results: `/p/${company.shop}/experiments/${won}/results` };
}

const openDialog = async (page) => {
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("table", { name: "Links" }).waitFor();
};

export const PAGES = {
  share: { path: ({ whole }) => whole.path },
  "share-part": { path: ({ part }) => part.path },
  "share-details": {
    path: ({ whole }) => whole.path,
    act: async (page) => {
      for (const summary of await page.locator("summary").all()) await summary.click();
    },
  },
  "share-empty": { path: ({ nobody }) => nobody.path },
  "share-revoked": { path: ({ revoked }) => revoked.path, isFixed: true },
  "share-unknown": { path: () => "/share/no-such-link", isFixed: true },
  "share-dialog": { path: ({ results }) => results, act: openDialog },
  "share-dialog-part": {
    path: ({ results }) => `${results}?filter_by=country-DE,country-FR&goal=basket&breakdown_by=country`,
    act: openDialog,
  },
  "share-revoking": {
    path: ({ results }) => results,
    act: async (page) => {
      await openDialog(page);
      await page
        .getByRole("button", { name: /^Revoke the link/ })
        .first()
        .click();
      await page.getByRole("button", { name: "Revoke link" }).waitFor();
    },
  },
};
