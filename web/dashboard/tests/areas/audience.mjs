// Step "Audience" of an experiment's setup.

const url = "https://shop.example/checkout";

export async function seed(company, text) {
  const arms = { variants: [{ name: "Variant 1", nickname: text("Short form", 200) }], url };
  const create = async (test_name, more) => {
    const { test_id } = await company.post("/create-experiment", { ...arms, test_name: text(test_name, 200), ...more });
    return `/p/${company.shop}/experiments/${test_id}/setup/audience`;
  };
  const targeting = everyKind(text);
  const { url_rule: _, ...audience } = targeting;
  return {
    plain: await create("Shorter checkout form"),
    few: await create("Checkout in the evening", {
      targeting: {
        url_rule: [
          { url: "/checkout", rule: "contain", allowed: true },
          { url: "/checkout/done", rule: "contain", allowed: false },
        ],
        allowed_country: ["DE", "AT"].map((code) => ({ name: code, code, rule: "whitelist" })),
        device_rule: ["mobile"],
        user_rule: "returning",
      },
    }),
    all: await create("Every kind of rule", { targeting }),
    personal: await create("Offers for some", {
      test_type: "personalization",
      variants: [
        { name: "Variant 1", nickname: text("Buyers", 200), targeting: audience },
        { name: "Variant 2", nickname: text("Everybody else", 200) },
      ],
    }),
  };
}

/** A rule of each of the sixteen kinds. */
export function everyKind(text) {
  const name = (plain) => text(plain, 100);
  const groups = (criteria) => [
    [
      { criteria, operator: "==", value: text("pro", 500) },
      { criteria, operator: "ex" },
    ],
    [{ criteria: `${criteria}_since`, operator: "days_lte", value: "30" }],
  ];
  return {
    url_rule: [
      { url: text("/checkout", 500), rule: "contain", allowed: true },
      { url, rule: "simple", allowed: true },
      { url: `${url}/*`, rule: "wildcard", allowed: false },
      { url: "/checkout/[0-9]+$", rule: "regex", allowed: false },
      { url, rule: "exact", allowed: false },
    ],
    allowed_country: [
      { name: name("Germany"), code: "DE", rule: "whitelist" },
      { name: name("Austria"), code: "AT", rule: "whitelist" },
      { name: name("Switzerland"), code: "CH", rule: "blacklist" },
    ],
    allowed_region: [{ name: name("Bavaria (DE)"), rule: "equal" }],
    allowed_city: [
      { name: name("Munich (Bavaria)"), rule: "equal" },
      { name: name("Munich (Texas)"), rule: "notEqual" },
    ],
    device_rule: ["mobile", "tablet"],
    os_rule: ["ios", "android"],
    browser_rule: ["chrome", "safari"],
    browser_language_rule: ["de", "en-GB"],
    user_rule: ["returning"],
    segment_rule: groups(name("plan")),
    ga4_rule: [name("Buyers"), name("Subscribers")],
    event_rule: [
      {
        rule: "equal",
        name: name("add_to_cart"),
        attributes: [
          [
            { key: name("price"), operand: "gt", value: 20 },
            { key: "gift", operand: "bt" },
          ],
          [{ key: "color", operand: "==", value: text("red", 500) }],
        ],
        min_count: 2,
        timeframe_days: 30,
      },
      { rule: "notEqual", name: name("Purchase"), attributes: [], min_count: 1, timeframe_days: 0 },
    ],
    cookie_rule: groups(name("beta")),
    referral_rule: [
      [
        { criteria: "source", operator: "==", value: "search" },
        { criteria: "host", operator: "**", value: text("google", 500) },
      ],
    ],
    parameter_rule: groups(name("utm_source")),
    schedule_rule: {
      schedule_groups: [
        {
          days: ["monday", "tuesday", "wednesday", "thursday", "friday"],
          time_ranges: [
            { start: "09:00", end: "12:00" },
            { start: "13:00", end: "17:30" },
          ],
        },
        { days: ["saturday"], time_ranges: [{ start: "22:00", end: "02:00" }] },
      ],
    },
  };
}

export const PAGES = {
  audience: { path: ({ plain }) => plain },
  "audience-few": {
    path: ({ few }) => few,
    act: async (page) => {
      await page.getByLabel("Visitor", { exact: true }).fill("visitor-2");
      await page.getByRole("combobox", { name: "Country" }).selectOption("DE");
      await page.getByRole("button", { name: "Try this visitor" }).click();
      await page.getByRole("list", { name: "Steps" }).waitFor();
    },
  },
  "audience-menu": {
    path: ({ plain }) => plain,
    act: async (page) => {
      await page.getByRole("button", { name: "Add a rule" }).click();
      await page.getByRole("menuitem", { name: "Country" }).waitFor();
    },
  },
  "audience-countries": {
    path: ({ few }) => few,
    act: async (page) => {
      await page.getByRole("combobox", { name: "Only these" }).fill("land");
      await page.getByRole("listbox").getByRole("option", { name: "Poland" }).waitFor();
    },
  },
  "audience-all": {
    path: ({ all }) => all,
    act: async (page) => {
      await page.getByRole("button", { name: "Try this visitor" }).click();
      await page.getByRole("list", { name: "Steps" }).waitFor();
    },
  },
  "audience-personalization": { path: ({ personal }) => personal },
  "audience-read": { path: ({ few }) => few, as: "viewer" },
};
