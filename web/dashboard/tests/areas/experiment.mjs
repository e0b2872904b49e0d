// Pages of one experiment.

export async function seed(company, text) {
  const { test_id } = await company.post("/create-experiment", {
    test_name: text("Shorter checkout form", 200),
    url: "https://shop.example/checkout",
    variants: [{ name: "Variant 1" }],
    tags: [text("checkout", 40), text("forms", 40)],
  });
  return { base: `/p/${company.shop}/experiments/${test_id}` };
}

export const PAGES = {
  experiment: { path: ({ base }) => base },
  "setup-page": { path: ({ base }) => `${base}/setup` },
  "setup-page-read": { path: ({ base }) => `${base}/setup`, as: "viewer" },
};
