// Launch of an experiment, changes of a live one, and approvals by a second person.

/** Creates two projects: Shop requires a second person for changes that visitors meet, Blog does not. */
export async function seed(company, text) {
  const blog = (await company.post("/v2/projects", { name: text("Blog", 200) })).project_key;
  const draft = await experiment(company, company.shop, text, {
    configuration: { end_test_date: "2038-03-01T09:00:00Z", completion_visitor: 20_000 },
  });
  const live = await experiment(company, company.shop, text, { status: 1 });
  const outdated = await experiment(company, company.shop, text, { status: 1 });
  const changing = await experiment(company, blog, text, { status: 1 });
  const concluded = await experiment(company, blog, text, { status: 1 });
  await company.post(`/v2/project/${blog}/experiment/${concluded}/conclude`, {
    outcome: "stopped_early",
    note: text("Yes", 200),
  });

  await company.patch("/settings", { approve_live: true, editors_have_code: true });
  const note = text("Support wants it before the sale begins.", 2_000);
  const as = { as: "editor" };
  await company.post(`/experiment/${draft}/proposals`, { status: 1, note }, as);
  await company.post(`/experiment/${outdated}/proposals`, { variants: arms(text, 3), note }, as);
  await company.patch(`/experiment/${outdated}`, { tags: [text("checkout", 40)] });
  const change = { url: "https://shop.example/basket", variants: arms(text, 3) };
  const { proposal_id } = await company.post(`/experiment/${live}/proposals`, { ...change, note }, as);
  await company.post(`/proposals/${proposal_id}/reject`, { reason: text("Not in the week of the sale.", 2_000) });
  await company.post(`/experiment/${live}/proposals`, { ...change, note }, as);
  const at = (project, id) => `/p/${project}/experiments/${id}`;
  return {
    proposals: `/p/${company.shop}/proposals`,
    none: `/p/${blog}/proposals`,
    draft: at(company.shop, draft),
    live: at(company.shop, live),
    changing: at(blog, changing),
    concluded: at(blog, concluded),
  };
}

async function experiment(company, project, text, fields) {
  const { test_id } = await company.post(`/v2/project/${project}/create-experiment`, {
    test_name: text("Shorter checkout form", 200),
    url: "https://shop.example/checkout?step=1",
    variants: arms(text, 2),
    primary_goal: { goal_name: text("Order placed", 200), goal_type: "event", goal_value: "purchase" },
    ...fields,
  });
  return test_id;
}

function arms(text, rows) {
  const code = ["const form = document.forms[0];", "form.dataset.rows = 2;", "form.hidden = false;"];
  code[1] = `form.dataset.rows = ${rows};`;
  const data = [{ target: "h1", innerText: text(`Pay in ${rows} steps`, 200) }];
  return [{ name: "Variant 1", nickname: text(`Form of ${rows} rows`, 100), customJS: code.join("\n"), data }];
}

const button = (page, name) => page.getByRole("button", { name, exact: true });

async function more(page, item) {
  await button(page, "More actions").click();
  await page.getByRole("menuitem", { name: item }).click();
  await page.getByRole("dialog").waitFor();
}

export const PAGES = {
  launch: { path: ({ draft }) => `${draft}/launch` },
  "launch-read": { path: ({ draft }) => `${draft}/launch`, as: "viewer" },
  "launch-live": { path: ({ live }) => `${live}/launch` },
  "launch-concluded": { path: ({ concluded }) => `${concluded}/launch` },
  "launch-start": {
    path: ({ draft }) => `${draft}/launch`,
    act: async (page) => {
      await button(page, "Start").click();
      await page.getByRole("dialog").getByText("Look at this first").waitFor();
    },
  },
  "launch-stop": {
    path: ({ live }) => live,
    act: async (page) => {
      await button(page, "Stop").click();
      await page.getByRole("dialog").waitFor();
    },
  },
  "launch-more": { path: ({ live }) => live, act: (page) => button(page, "More actions").click() },
  "launch-duplicate": { path: ({ live }) => live, act: (page) => more(page, "Duplicate") },
  "launch-serve": { path: ({ live }) => live, act: (page) => more(page, "Serve a winner to visitors") },
  "launch-delete": { path: ({ live }) => live, act: (page) => more(page, "Delete") },
  "change-live": {
    path: ({ changing }) => `${changing}/setup`,
    act: async (page) => {
      await page.getByLabel("Name").fill("Shorter checkout");
      await page.getByLabel("Page").fill("https://shop.example/basket");
      await button(page, "Save page").click();
      await page.getByText("Change the live experiment?").waitFor();
    },
  },
  "change-proposed": {
    path: ({ live }) => `${live}/setup`,
    act: async (page) => {
      await page.getByLabel("Page").fill("https://shop.example/basket");
      await button(page, "Save page").click();
      await page.getByText("Propose this change?").waitFor();
    },
  },
  proposals: { path: ({ proposals }) => proposals },
  "proposals-all": { path: ({ proposals }) => `${proposals}?state=all` },
  "proposals-none": { path: ({ none }) => none },
  "proposals-read": { path: ({ proposals }) => proposals, as: "viewer" },
  "proposals-own": { path: ({ proposals }) => proposals, as: "editor" },
  "experiment-proposals": { path: ({ live }) => `${live}/proposals` },
  "proposal-approve": {
    path: ({ live }) => `${live}/proposals`,
    act: async (page) => {
      await button(page, "Approve").click();
      await page.getByText("What this does").waitFor();
    },
  },
};
