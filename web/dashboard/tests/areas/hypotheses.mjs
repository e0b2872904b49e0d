// Hypotheses of a project, at every stage, and one with all optional data.

const IDEAS = [
  [
    "Half of the visitors on phones leave at the address.",
    "The form asks for twelve fields, and phones show three at a time.",
    "Ask for the postcode, and fill in street and town from it.",
    [4, 5, 3],
  ],
  [
    "Nobody opens the size table.",
    "The size table is a PDF that phones do not show.",
    "Show it beside the sizes.",
    [3, 2, 1],
  ],
  [
    "Many look for delivery costs.",
    "Delivery costs are told at the last step only.",
    "Tell them in the basket.",
    [4, 5, 3],
  ],
  [
    "Returning visitors search for what they bought.",
    "What one bought before cannot be found again.",
    "Offer last orders on top.",
    [2, 4, 5],
  ],
  [null, "The newsletter box covers the price.", null, [null, 3, null]],
];

export async function seed(company, text) {
  const hypotheses = [];
  for (const [observation, problem, solution, [confidence, importance, difficulty]] of IDEAS) {
    const { hypothesis_id } = await company.post("/hypothesis", {
      observation: observation && text(observation, 2_000),
      problem: text(problem, 2_000),
      solution: solution && text(solution, 2_000),
      confidence,
      importance,
      difficulty,
      hypothesis_url: "https://research.example/checkout?week=31",
    });
    hypotheses.push(hypothesis_id);
  }
  const experiment = async (at, test_name, status = 9) => {
    const { test_id } = await company.post("/create-experiment", {
      test_name: text(test_name, 200),
      url: "https://shop.example/checkout",
      variants: [{ name: "Variant 1" }],
      hypothesis_id: hypotheses[at],
      status,
    });
    return test_id;
  };
  await experiment(0, "Postcode first");
  await experiment(0, "Postcode first, on phones", 1);
  await experiment(1, "Sizes as a table");
  for (const [name, outcome] of [
    ["Costs in the basket", "won"],
    ["Costs on the product", "inconclusive"],
  ]) {
    const id = await experiment(2, name, 1);
    await company.patch(`/experiment/${id}/status`, { status: 0 });
    const body = { outcome, note: text("Seen for two weeks.", 500), override_reason: text("A study said so.", 500) };
    await company.post(`/experiment/${id}/conclude`, body);
  }
  await company.patch(`/hypothesis/${hypotheses[4]}`, { archived: true });
  await company.post(`/hypothesis/${hypotheses[0]}/comments`, {
    text: text("Support hears of this every week.", 2_000),
  });
  const empty = await company.post("/v2/projects", { name: text("Blog", 60) });
  return { base: `/p/${company.shop}/hypotheses`, hypotheses, empty: empty.project_key };
}

const waitsFor = (name) => async (page) => page.getByText(name).first().waitFor();

export const PAGES = {
  hypotheses: { path: ({ base }) => base },
  "hypotheses-table": { path: ({ base }) => `${base}?view=table&archived=include` },
  "hypotheses-none": { path: ({ empty }) => `/p/${empty}/hypotheses` },
  "hypotheses-nothing-found": { path: ({ base }) => `${base}?search=nothing+has+this` },
  "hypotheses-new": { path: ({ base }) => `${base}/new` },
  hypothesis: { path: ({ base, hypotheses }) => `${base}/${hypotheses[0]}`, act: waitsFor("Others with the same") },
  "hypothesis-archived": { path: ({ base, hypotheses }) => `${base}/${hypotheses[4]}` },
  "hypothesis-read": { path: ({ base, hypotheses }) => `${base}/${hypotheses[2]}`, as: "viewer" },
};
