// Summary, history, comments and conclusion of an experiment.

import { until } from "../rig.mjs";

const CODE = Array.from({ length: 60 }, (_, at) => `document.querySelector(".step-${at}").hidden = ${at % 3 === 0};`);

async function full(company, text) {
  const { hypothesis_id } = await company.post("/hypothesis", {
    observation: text("Four of ten visitors leave at the address form.", 9_000),
    problem: text("It asks for what a shop does not need.", 9_000),
    solution: text("Ask for e-mail and postcode only.", 9_000),
  });
  const { test_id } = await company.post("/create-experiment", {
    test_name: text("Shorter checkout form", 200),
    url: "https://shop.example/checkout",
    variants: [
      {
        name: "Variant 1",
        nickname: text("Two fields", 100),
        customJS: CODE.join("\n"),
        data: [{ target: "h1", innerText: text("Almost there", 1_000) }],
      },
      { name: "Variant 2", customCSS: "form { padding: 0; }" },
    ],
    hypothesis_id,
    primary_goal: { goal_name: text("Order placed", 100), goal_type: "event", goal_value: "order" },
    configuration: { integration: ["ga4", "gtm"], completion_visitor: 20_000, end_test_date: "2030-01-01" },
    tags: [text("checkout", 40)],
    plan: { mde: 5, visitors: 12_000 },
  });
  return test_id;
}

export async function seed(company, text) {
  const test_id = await full(company, text);
  const one = `/experiment/${test_id}`;
  await company.patch(one, { test_name: text("Checkout with two fields", 200), tags: [text("forms", 40)] });
  await company.patch(`${one}/status`, { status: 1 });
  const { experiment } = await company.get(one);
  const customJS = CODE.map((line, at) => (at === 20 ? `${line} // ${text("a change", 200)}` : line)).join("\n");
  const variants = experiment.variants.map((variant, at) => (at === 0 ? { ...variant, customJS } : variant));
  await company.patch(one, { variants, targeting: { device_rule: ["mobile"] } }, { as: "owner" });
  await company.patch(one, { configuration: { traffic_allocation: 50 } }, { as: "editor", headers: MERGE });
  for (const [as, said] of [
    ["owner", "Support hears fewer questions about the form."],
    ["editor", "On phones the button was below the fold.\n\nIt is above it since Tuesday."],
  ]) {
    await company.post(`${one}/comments`, { text: text(said, 2_000) }, { as });
  }

  // An experiment that the clock has ended, and that was concluded.
  const ended = (
    await company.post("/create-experiment", {
      test_name: text("Free returns in the header", 200),
      url: "https://shop.example/",
      variants: [{ name: "Variant 1" }],
      status: 1,
    })
  ).test_id;
  const past = { configuration: { end_test_date: "2026-01-01" } };
  await company.patch(`/experiment/${ended}`, past, { headers: MERGE });
  await until(async () => (await company.get(`/experiment/${ended}`)).experiment.status === 0, "its end");
  await company.post(`/experiment/${ended}/conclude`, {
    outcome: "stopped_early",
    note: text("The offer ended before the plan was met.", 3_000),
    learned: text("Ask how long an offer holds before planning.", 3_000),
    override_reason: text("It could not go on.", 3_000),
  });

  const draft = (
    await company.post("/create-experiment", {
      test_name: text("New size guide", 200),
      url: "https://shop.example/boots",
      variants: [{ name: "Variant 1" }],
    })
  ).test_id;
  const base = (id) => `/p/${company.shop}/experiments/${id}`;
  return { live: base(test_id), ended: base(ended), draft: base(draft) };
}

const MERGE = { "content-type": "application/merge-patch+json" };

export const PAGES = {
  summary: { path: ({ live }) => live },
  "summary-concluded": { path: ({ ended }) => ended },
  "summary-draft-read": { path: ({ draft }) => draft, as: "viewer" },
  "summary-reopen": {
    path: ({ ended }) => ended,
    async act(page) {
      await page.getByRole("button", { name: "Reopen" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  history: { path: ({ live }) => `${live}/history` },
  "history-clock": { path: ({ ended }) => `${ended}/history` },
  "history-chosen-read": { path: ({ live }) => `${live}/history?revision=2`, as: "viewer" },
  "history-restore": {
    path: ({ live }) => `${live}/history`,
    async act(page) {
      await page.getByRole("button", { name: "Restore this state" }).last().click();
      await page.getByRole("dialog").getByText("What this does").waitFor();
    },
  },
  conclude: { path: ({ live }) => `${live}/conclude` },
  "conclude-contradicted": {
    path: ({ live }) => `${live}/conclude`,
    async act(page) {
      await page.getByRole("radio", { name: "Won", exact: true }).check();
      await page.getByRole("button", { name: "Conclude experiment" }).click();
      await page.getByLabel("Why this outcome is still right").waitFor();
    },
  },
  "conclude-concluded": { path: ({ ended }) => `${ended}/conclude` },
};
