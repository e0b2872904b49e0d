// Notifications: an inbox with entries of every kind, one that was read, an empty one; and comments with mentions.

async function experiment(company, test_name, more = {}) {
  const body = { test_name, url: "https://shop.example/checkout", variants: [{ name: "Variant 1" }], ...more };
  return (await company.post("/create-experiment", body)).test_id;
}

export async function seed(company, text) {
  const editor = { as: "editor" };
  const { people } = await company.get("/people");
  const of = (name) => people.find((one) => one.name.startsWith(name)).person_id;
  const [ada, mary] = [of("Ada"), of("Mary")];
  // The mentions below are by id, so they do not depend on names.
  await company.patch(`/v2/person/${mary}`, { name: text("Mary Somerville", 200) });

  const test_id = await experiment(company, text("Checkout with two fields", 200));
  const one = `/experiment/${test_id}`;
  await company.patch(`${one}/status`, { status: 1 }, editor);
  await company.patch(one, { tags: [text("forms", 40)], test_name: text("Checkout with three fields", 200) }, editor);
  await company.post(`${one}/comments`, { text: text("On phones the button was below the fold.", 2_000) }, editor);
  const said = text("@Ada Lovelace, the numbers of Tuesday are odd.\n\nCan we leave that day out?", 2_000);
  await company.post(`${one}/comments`, { text: said, mentions: [ada] }, editor);
  await company.post(`${one}/comments`, { text: text("I have looked at it.", 2_000), mentions: [mary] });
  const proposal = { configuration: { traffic_allocation: 60 }, note: text("Half is too slow.", 2_000) };
  await company.post(`${one}/proposals`, proposal, editor);

  const done = await experiment(company, text("Free returns in the header", 200), { status: 1 });
  const outcome = { outcome: "stopped_early", note: text("The shop moves in March.", 2_000) };
  await company.post(`/experiment/${done}/conclude`, outcome, editor);
  const gone = await experiment(company, text("A shorter footer", 200));
  await company.call("DELETE", `/experiment/${gone}`, undefined, editor);

  const { hypothesis_id } = await company.post("/hypothesis", {
    solution: text("Tell the costs in the basket.", 2_000),
  });
  const question = { text: text("@Ada Lovelace, is there a study?", 2_000), mentions: [ada] };
  await company.post(`/hypothesis/${hypothesis_id}/comments`, question, editor);

  const { entries } = await company.get("/v2/inbox");
  for (const { entry_id } of entries.slice(-3)) await company.patch(`/v2/inbox/${entry_id}`, { read: true });
  await company.post("/v2/inbox/read", {}, editor);
  return { one: `/p/${company.shop}/experiments/${test_id}` };
}

const box = (page) => page.getByRole("textbox", { name: "Your comment" });

/** Types until the list of people is shown. */
async function typeMention(page) {
  await box(page).fill("Have you seen this, @");
  await page.getByRole("option").first().waitFor();
}

export const PAGES = {
  inbox: { path: () => "/inbox" },
  "inbox-unread": { path: () => "/inbox?show=unread" },
  "inbox-read": { path: () => "/inbox?show=unread", as: "editor" },
  "inbox-none": { path: () => "/inbox", as: "viewer" },
  "mention-typed": { path: ({ one }) => one, act: typeMention },
  "mention-read": { path: ({ one }) => one, as: "viewer" },
};
