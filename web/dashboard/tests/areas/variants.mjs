// Step "Variants": the list, a variant with every kind of change and code, the common code, previews.

export async function seed(company, text) {
  const { test_id } = await company.post("/create-experiment", {
    test_name: text("Shorter checkout form", 200),
    url: "https://shop.example/checkout",
    custom_css: ".hero { color: rebeccapurple }",
    variants: [
      {
        name: "Variant 1",
        nickname: text("Only what is needed", 200),
        customCSS: `/* ${text("Smaller", 200).replaceAll("*/", "")} */\n.form { gap: 4px }\n`,
        customJS: `// A mistake, in the third line.\nexperiment.waitFor(".buy", (buy) => {\n  buy.focus((\n});\n`,
        data: [
          { target: text(".buy", 100), innerText: text("Buy now", 200), alternates: [text("#buy", 50)] },
          { target: "a.more", href: "/pricing", style: { fontSize: "20px" }, class: "big -quiet" },
          { rm: ".banner", pageUrl: "https://shop.example/checkout", sitewide: false },
          { refEl: "h1", dir: "a", htmlBlock: text("<p>Repaired for life</p>", 300) },
          { oriEl: "#a", refEl: "#b", dir: "p" },
        ],
      },
      { name: "Variant 2", nickname: text("One page", 200) },
    ],
  });
  const { test_id: split } = await company.post("/create-experiment", {
    test_name: "Two pages",
    test_type: "split",
    url: "https://shop.example/",
    variants: [{ name: "Variant 1", data: [{ url: "https://shop.example/new", relay_param: false }] }],
  });
  const base = (id) => `/p/${company.shop}/experiments/${id}/setup/variants`;
  return { base: base(test_id), split: base(split) };
}

/** Waits for the editors, which load later. */
const editors = (page, count) =>
  page.waitForFunction(
    (most) => [...document.querySelectorAll("[data-editor]")].filter((one) => one.shadowRoot).length === most,
    count,
  );

async function openChanges(page) {
  await editors(page, 2);
  for (const row of await page.locator("details > summary").all()) await row.click();
}

export const PAGES = {
  variants: {
    path: ({ base }) => base,
    act: async (page) => {
      await editors(page, 2);
      await page.getByText("This is not valid JavaScript").first().waitFor();
    },
  },
  "variants-changes": { path: ({ base }) => base, act: openChanges },
  "variants-json": { path: ({ base }) => `${base}?view=json`, act: (page) => editors(page, 3) },
  "variants-shared": { path: ({ base }) => `${base}?arm=all`, act: (page) => editors(page, 2) },
  "variants-control": { path: ({ base }) => `${base}?arm=0`, act: (page) => editors(page, 2) },
  "variants-split": { path: ({ split }) => split, act: openChanges },
  "variants-qr": {
    path: ({ base }) => base,
    act: async (page) => {
      await page.getByRole("button", { name: "QR code of Variant 1" }).click();
      await page.getByRole("img", { name: "QR code of the preview of Variant 1" }).waitFor();
    },
  },
  "variants-read": { path: ({ base }) => base, as: "viewer", act: openChanges },
  "variants-without-code": { path: ({ base }) => base, as: "editor", act: openChanges },
};
