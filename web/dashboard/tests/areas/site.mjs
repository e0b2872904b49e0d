// Installation, live view, webhooks, and empty states.

import { browse } from "../crowd.mjs";

export async function seed(company, text) {
  const { test_id } = await company.post("/create-experiment", {
    test_name: text("Trust row under the header", 200),
    url: "https://shop.example/boots",
    status: 1,
    variants: [{ name: "Variant 1" }],
    primary_goal: { goal_name: text("Purchases", 100), goal_type: "event", goal_value: "purchase" },
  });
  // Webhooks point to this machine, where nothing listens.
  const { webhook_id } = await company.post("/webhook", {
    url: "http://127.0.0.1:9/muriel",
    description: text("Posts to the team's channel", 200),
    events: ["experiment.started", "experiment.stopped", "health.failed", "verdict.reached"],
  });
  await company.post(`/webhook/${webhook_id}/test`, {});
  const other = await company.post("/webhook", { url: "http://127.0.0.1:9/hooks", events: ["experiment.changed"] });
  await company.patch(`/webhook/${other.webhook_id}`, { enabled: false });
  for (const body of [
    { kind: "network", value: "203.0.113.7" },
    { kind: "visitor", value: text("visitor of the office", 128), from: "2026-03-01T09:00:00Z" },
    { kind: "time", from: "2026-03-01T09:00:00Z", to: "2026-03-01T10:30:00Z" },
  ])
    await company.post("/exclusions", { ...body, reason: text("Load test of the new checkout", 500) });
  const later = await company.post("/v2/projects", { name: text("Journal", 60) });
  const { webhook_id: off } = other;
  const visits = () => visit(company, text, test_id);
  await visits();
  await (await fetch(`${company.muriel.url}/js/${company.shop}.js`)).text();
  const settings = (key) => `/settings/projects/${key}/exclusions`;
  const exclusions = { some: settings(company.shop), none: settings(later.project_key) };
  return { base: `/p/${company.shop}`, later: `/p/${later.project_key}`, webhook_id, off, visits, exclusions };
}

export const VISITOR = "01a21214-c981-7e47-8d37-06f42184b9de";

/** Sends the visit of a visitor who opens a page, meets a variant, and does several things. */
async function visit(company, text, test_id) {
  const url = `https://shop.example/boots?q=${encodeURIComponent(text("size 42", 200))}`;
  const events = [
    { type: "pageview", url },
    { type: "exposure", url, test_id, variant_id: "1" },
    { type: "click", url, by: "text", trigger: text("Add to basket", 60) },
    { type: "custom", url, name: text("signed-up", 60), properties: { plan: text("pro", 60) } },
    { type: "order", url, name: "purchase", value: 59.9, currency: "EUR", order_id: text("A-77", 60) },
    { type: "order", url, name: "refund", value: -19.9, currency: "EUR", refund_of: text("A-77", 60) },
    { type: "identify", url, attributes: { plan: text("pro", 60) } },
  ];
  await browse(company, { visitor: { id: VISITOR, country: "SE" }, events });
}

/** The live view reads a stream, so this waits for the page first. */
async function watch(page, { visits }) {
  await page.getByLabel("Visitor id").fill(`'${VISITOR}'`);
  await page.getByRole("button", { name: "Watch" }).click();
  await page.getByText("Listening").waitFor();
  await visits();
  await page.getByRole("list").getByText("Was identified").first().waitFor();
}

export const PAGES = {
  install: { path: ({ base }) => `${base}/install` },
  "install-new": { path: ({ later }) => `${later}/install` },
  "live-how": { path: ({ base }) => `${base}/live` },
  "live-empty": {
    path: ({ base }) => `${base}/live`,
    async act(page) {
      await page.getByLabel("Visitor id").fill("nobody");
      await page.keyboard.press("Enter");
      await page.getByText("Listening").waitFor();
    },
  },
  live: { path: ({ base }) => `${base}/live`, act: watch },
  "live-details": {
    path: ({ base }) => `${base}/live`,
    async act(page, seeded) {
      await watch(page, seeded);
      await page.getByRole("button", { name: "Pause" }).click();
      for (const one of await page.locator("summary").all()) if (await one.isVisible()) await one.click();
    },
  },
  webhooks: { path: ({ base }) => `${base}/webhooks` },
  "webhooks-none": { path: ({ later }) => `${later}/webhooks` },
  "webhooks-read": { path: ({ base }) => `${base}/webhooks`, as: "viewer" },
  "webhook-new": {
    path: ({ base }) => `${base}/webhooks`,
    async act(page) {
      await page.getByRole("button", { name: "New webhook" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  webhook: { path: ({ base, webhook_id }) => `${base}/webhooks/${webhook_id}` },
  "webhook-off": { path: ({ base, off }) => `${base}/webhooks/${off}` },
  "webhook-delete": {
    path: ({ base, webhook_id }) => `${base}/webhooks/${webhook_id}`,
    async act(page) {
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  exclusions: { path: ({ exclusions }) => exclusions.some },
  "exclusions-none": { path: ({ exclusions }) => exclusions.none },
  "exclusion-new": {
    path: ({ exclusions }) => exclusions.some,
    async act(page) {
      await page.getByRole("button", { name: "New exclusion" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  "exclusion-remove": {
    path: ({ exclusions }) => exclusions.some,
    async act(page) {
      await page.getByRole("button", { name: "Remove the exclusion" }).first().click();
      await page.getByRole("dialog").waitFor();
    },
  },
  "account-passkeys": { path: () => "/account" },
  "unknown-address": { path: ({ base }) => `${base}/nothing/here` },
  "unknown-project": { path: () => "/p/prj_nothing/install" },
  "unknown-experiment": { path: ({ base }) => `${base}/experiments/999999` },
};
