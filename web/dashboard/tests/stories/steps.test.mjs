// Setup in steps: each step is saved and leads to the next, shows whether it is done, and has the focus when it opens.
// The plan comes before the choice of a lift.

import assert from "node:assert/strict";
import { test } from "node:test";
import { among, before, collector, crowd, send } from "../crowd.mjs";
import { until, Visit } from "../rig.mjs";
import { browser, company } from "../stage.mjs";

async function begin(as = "editor") {
  const visit = await Visit.begin(browser, { address: company.address });
  await company.enter(visit, as);
  return visit;
}

/** Waits until the heading has the focus. The link that led there has the same text, and the focus until then. */
const hasFocus = (page, text) =>
  until(async () => (await page.locator("h1:focus, h2:focus").allTextContents())[0] === text, `the focus on ${text}`);
const steps = (page) => page.getByRole("navigation", { name: "Setup" });

test("a draft is set up step by step, with the focus where one is", async () => {
  await company.post("/goal", { goal_key: "step-order", goal_name: "Order", goal_type: "event", goal_value: "order" });
  const visit = await begin();
  const { page } = visit;
  await visit.open(`/p/${company.shop}/experiments/new`);
  await page.getByLabel("Name").fill("Fewer steps");
  await page.getByLabel("Page").fill("https://shop.example/steps");
  await page.getByRole("button", { name: "Create draft" }).press("Enter");
  // The page is loaded on its first visit, so its heading comes late.
  await hasFocus(page, "Step 1 of 7: Page");
  await steps(page).getByRole("link", { name: "Page (done)" }).waitFor();
  await steps(page).getByRole("link", { name: "Goals (needed)" }).waitFor();
  await steps(page).getByRole("link", { name: "Schedule (optional)" }).waitFor();

  // Nothing was typed, so the button only continues.
  await page.getByRole("button", { name: "Continue to Variants" }).press("Enter");
  await hasFocus(page, "Step 2 of 7: Variants");
  await page.getByRole("button", { name: "Continue to Goals" }).press("Enter");
  await hasFocus(page, "Step 3 of 7: Goals");

  await page.getByLabel("Primary goal").selectOption("step-order");
  await page.getByRole("button", { name: "Save and continue" }).click();
  await hasFocus(page, "Step 4 of 7: Audience");
  await steps(page).getByRole("link", { name: "Goals (done)" }).waitFor();
  const id = Number(/experiments\/(\d+)/.exec(page.url())[1]);
  assert.equal((await company.get(`/experiment/${id}`)).experiment.primary_goal_key, "step-order");

  // A refusal by the server keeps the user on the step.
  await steps(page)
    .getByRole("link", { name: /^Schedule/ })
    .press("Enter");
  await hasFocus(page, "Step 6 of 7: Schedule");
  await page.getByLabel("Start", { exact: true }).fill("2031-03-01T09:00");
  await page.getByLabel("End", { exact: true }).fill("2031-02-01T09:00");
  await page.getByRole("button", { name: "Save and continue" }).click();
  await page.getByText("must be after start_test_date").waitFor();
  assert.match(page.url(), /schedule$/);

  // After a change of tabs, the focus is on the opened one, too.
  await page.getByRole("button", { name: "Discard changes" }).click();
  await page.getByRole("navigation", { name: "Experiment" }).getByRole("link", { name: "History" }).press("Enter");
  await hasFocus(page, "History");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Hypotheses" }).press("Enter");
  await hasFocus(page, "Hypotheses");
  visit.nothingWrong();
  await visit.end();
});

test("what is typed for one experiment stays with it when another one is opened", async () => {
  const [typed, other] = await Promise.all(
    ["Typed", "Other"].map((test_name) =>
      company.post("/create-experiment", {
        test_name,
        url: `https://shop.example/${test_name}`,
        variants: [{ name: "Variant 1" }],
      }),
    ),
  );
  const visit = await begin();
  const { page } = visit;
  const setup = ({ test_id }) => `/p/${company.shop}/experiments/${test_id}/setup`;
  const shows = (address) => until(async () => (await page.getByLabel("Page").inputValue()) === address, address);
  await visit.open(setup(other));
  await visit.go(setup(typed));
  await page.getByLabel("Page").fill("https://shop.example/unsaved");
  await page.goBack();
  await page.getByRole("button", { name: "Leave and keep" }).click();
  await shows("https://shop.example/Other");
  assert.equal(await page.getByRole("button", { name: "Discard changes" }).count(), 0);
  await page.goForward();
  await shows("https://shop.example/unsaved");
  visit.nothingWrong();
  await visit.end();
});

test("the form proposes the lifts that the traffic can find, and says what a smaller one costs", async () => {
  const visit = await begin();
  const { page } = visit;
  const { test_id: id } = await company.post("/create-experiment", {
    test_name: "Plan first",
    url: "https://shop.example/plan",
    variants: [{ name: "Variant 1" }],
  });
  await visit.open(`/p/${company.shop}/experiments/${id}/setup/goals`);
  await page.getByLabel("Visitors a day").fill("1000");
  await page.getByLabel("Conversion rate, in percent").fill("5");
  // The default lift takes years.
  const plan = (mde) => company.get(`/experiment/${id}/plan?mde=${mde}&daily_visitors=1000&baseline_rate=5`);
  const digits = new Intl.NumberFormat("en-GB");
  const stored = (await company.get(`/experiment/${id}`)).experiment.plan.mde;
  const costly = await plan(stored);
  assert.ok(costly.days > 90);
  await page
    .getByRole("status")
    .getByText(`takes ${digits.format(costly.visitors_needed)} visitors, about ${digits.format(costly.days)} days.`)
    .first()
    .waitFor();
  await page.getByText("Few teams wait that long").waitFor();
  const found = page.getByRole("list", { name: "Lifts that your traffic can find" });
  const four = found.getByRole("listitem").filter({ hasText: "In 4 weeks" });
  await four.getByRole("button").click();
  const mde = Number(await page.getByLabel("Smallest lift worth acting on").inputValue());
  assert.ok(mde > stored, `${mde} % is proposed`);
  await four.getByRole("button", { name: "Chosen" }).waitFor();
  const cheap = await plan(mde);
  assert.ok(cheap.days <= 28, `${mde} % takes ${cheap.days} days`);
  await page.getByText(`about ${cheap.days} days.`).waitFor();
  await page.getByText("Few teams wait that long").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Save goals" }).click();
  await until(async () => (await company.get(`/experiment/${id}`)).experiment.plan.mde === mde, "the plan");
  // The review shows a warning while the plan takes longer than three months.
  await company.patch(`/experiment/${id}`, { plan: { mde: 2 } });
  await visit.open(`/p/${company.shop}/experiments/${id}/setup/review`);
  await page.getByLabel("Visitors a day").fill("1000");
  await page.getByLabel("Conversion rate, in percent").fill("5");
  await page.getByRole("button", { name: "Calculate" }).click();
  await page.getByText("This takes longer than 90 days").waitFor();
  visit.nothingWrong();
  await visit.end();
});

test("an ended winner is served by the button beside the sentence, and days agree", async () => {
  const key = await collector(company);
  await company.post("/goal", { goal_key: "won-order", goal_name: "Order", goal_type: "event", goal_value: "won" });
  const { test_id: id } = await company.post("/create-experiment", {
    test_name: "A winner",
    url: "https://shop.example/won",
    variants: [{ name: "Variant 1" }, { name: "Variant 2", nickname: "Two fields" }],
    primary_goal_key: "won-order",
    plan: { mde: 10, visitors: 6_000 },
  });
  const does = (arm, at) => (among(at, [8, 8, 22][arm], 7) ? [{ type: "custom", name: "won" }] : []);
  await send(company, key, crowd(id, { visitors: 6_000, days: 6, arms: 3, does }));
  await company.patch(`/experiment/${id}/status`, { status: 1, started_at: before(6.5) });
  await company.patch(`/experiment/${id}/status`, { status: 0 });
  const item = () =>
    company.get(`/v2/overview?search=%23${id}`).then(({ items }) => items.find((one) => one.test_id === id));
  const won = await until(async () => {
    const one = await item();
    return one.verdict === "win" && one;
  }, "the verdict");
  const visit = await begin("owner");
  const { page } = visit;
  await visit.open(`/p/${company.shop}/experiments/${id}`);
  const days = async () => {
    const figure = page.locator("main").getByText("Days", { exact: true }).locator("xpath=following-sibling::*[1]");
    return Number.parseInt(await figure.first().innerText(), 10);
  };
  assert.equal(await days(), won.days);
  await page.getByRole("navigation", { name: "Experiment" }).getByRole("link", { name: "Results" }).click();
  await page.getByRole("heading", { level: 2, name: /^Variant 2 does better/ }).waitFor();
  await visit.settled();
  assert.equal(await days(), won.days);

  // The statistical method, in the terms of analysts.
  await page.getByText("Method for Order").click();
  await page.getByText("Sequential test (always-valid)").first().waitFor();
  await page.getByText("Correction for several variants (Holm), over 2.").waitFor();

  await page.getByRole("button", { name: "Serve Variant 2" }).click();
  const dialog = page.getByRole("dialog");
  assert.ok(await dialog.getByRole("radio", { name: /Variant 2/ }).isChecked());
  await dialog.getByRole("button", { name: "Serve it" }).click();
  await page.getByRole("link", { name: "Conclude" }).waitFor();
  await page.getByRole("button", { name: "Serve Variant 2" }).waitFor({ state: "detached" });
  assert.equal((await company.get(`/experiment/${id}`)).experiment.serving_variant_id, "2");
  visit.nothingWrong();
  await visit.end();
});

test("a new variant without a change is told from the control before it goes live, in words", async () => {
  const { test_id: id } = await company.post("/create-experiment", {
    test_name: "Two of three",
    url: "https://shop.example/empty",
    variants: [{ name: "Variant 1", customCSS: "h1 { color: teal }" }],
  });
  await company.patch(`/experiment/${id}/status`, { status: 1 });
  const visit = await begin("owner");
  const { page } = visit;
  await visit.open(`/p/${company.shop}/experiments/${id}/setup/variants`);
  await page.getByRole("button", { name: "Add variant" }).click();
  await page.getByRole("button", { name: "Save variants" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Variant 2 changes nothing: its visitors see the same page as the control.").waitFor();
  const text = await dialog.innerText();
  assert.doesNotMatch(text, /customJS|customCSS|nickname|\[\]/);
  await dialog.getByText("no changes: the same as the control").waitFor();
  await page.keyboard.press("Escape");
  await visit.end();
});
