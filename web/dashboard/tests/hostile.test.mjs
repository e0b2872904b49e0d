// Texts that try to become markup or code, in all names by users and servers: none is executed, and each is shown
// literally.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SHOP } from "../dev/data.mjs";
import { PAYLOADS } from "./payloads.mjs";
import { Visit } from "./rig.mjs";
import { browser } from "./worker.mjs";

const at = new Date().toISOString();
const actor = (name) => ({ kind: "person", id: "9", name });

/** Puts one of the texts into everything that is shown. `take` returns the next one. */
function poison(state) {
  let next = 0;
  const take = () => PAYLOADS[next++ % PAYLOADS.length];
  const experiment = state.experiments[0];
  state.experiments = PAYLOADS.map((text, index) => ({
    ...experiment,
    test_id: index + 1,
    test_name: text,
    sentence: take(),
    url: take(),
    experiment_key: take(),
    tags: [take(), take()],
    owner: actor(take()),
    last_change: { at, actor: actor(take()), action: take() },
  }));
  state.people.push(
    ...PAYLOADS.map((text, index) => ({ ...state.people[3], person_id: 100 + index, name: text, email: take() })),
  );
  state.invitations.push(
    ...PAYLOADS.slice(0, 50).map((text, index) => ({
      ...state.invitations[0],
      invitation_id: 100 + index,
      email: text,
      invited_by: take(),
    })),
  );
  state.keys.push(...PAYLOADS.map((text, index) => ({ ...state.keys[0], prefix: `p${index}`, name: text })));
  state.audit = PAYLOADS.map((text, index) => ({
    ...state.audit[0],
    entry: index + 1,
    action: take(),
    actor: actor(take()),
    object: { kind: take(), id: take(), name: text },
    before: { [take()]: take() },
    after: { [take()]: { nested: take() } },
  }));
  for (const project of state.projects) project.name = take();
}

test("more than five hundred texts are text wherever they are shown", async () => {
  assert.ok(new Set(PAYLOADS).size > 500, `${new Set(PAYLOADS).size} texts`);
  const visit = await Visit.begin(browser, {});
  try {
    poison(visit.server.state);
    const { page } = visit;
    await page.goto(`${visit.address}/sign-in`);
    await visit.signIn();
    const others = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(visit.address)) others.push(request.url());
    });
    const isShown = async (text, where) => {
      const whole = await page.evaluate(() => document.body.innerText.replace(/\s+/g, " "));
      const plain = text.replace(/\s+/g, " ").trim();
      assert.ok(whole.includes(plain), `${plain} in ${where}`);
    };
    await visit.open("/experiments?sort=created_at");
    await visit.settled();
    for (const index of [0, 3, 5]) await isShown(PAYLOADS[index], "the list");
    // Scroll, so that every row is in the document once.
    for (let place = 0; ; place += 600) {
      const end = await page.evaluate((y) => {
        scrollTo(0, y);
        return document.documentElement.scrollHeight;
      }, place);
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      if (place > end) break;
    }
    for (const path of ["/settings/people", "/settings/keys", "/settings/audit", "/settings/projects"]) {
      await visit.open(path);
      if (path === "/settings/people") for (const text of PAYLOADS.slice(0, 40)) await isShown(text, path);
      if (path === "/settings/audit") {
        for (const entry of (await page.locator("li > button[aria-expanded]").all()).slice(0, 40)) await entry.click();
      }
    }
    for (const id of [1, 200, 400, 500]) await visit.open(`/p/${SHOP}/experiments/${id}`);
    await page.keyboard.press("Control+k");
    await page.getByRole("option").nth(5).waitFor();

    const scripts = await page.evaluate(() => document.querySelectorAll("script").length);
    assert.equal(scripts, 1);
    assert.deepEqual(others, []);
    visit.nothingWrong();
  } finally {
    await visit.end();
  }
});

test("they are text in fields, in what is kept, and in errors", async () => {
  const visit = await Visit.begin(browser, {
    answer: ({ method, body }) =>
      method === "PATCH" &&
      body?.name !== undefined && [
        400,
        {
          success: false,
          error: `name ${body.name}`,
          code: "invalid_field",
          errors: [{ field: "name", message: body.name }],
          request_id: body.name,
        },
      ],
  });
  try {
    await visit.signIn();
    await visit.open(`/settings/projects/${SHOP}`);
    const { page } = visit;
    for (const text of PAYLOADS.filter((_, index) => index % 25 === 0)) {
      const line = text.replace(/[\r\n\t]/g, " ");
      await page.getByLabel("Name", { exact: true }).fill(line);
      await page.getByRole("button", { name: "Save settings" }).click();
      await page.locator("p", { hasText: line.trim() }).first().waitFor();
    }
    await page.reload();
    await page.getByText("Your unsaved changes were kept.").waitFor();
    visit.nothingWrong();
  } finally {
    await visit.end();
  }
});

test("an address that is hostile is an address that is not known", async () => {
  const visit = await Visit.begin(browser, {});
  try {
    await visit.signIn();
    for (const text of PAYLOADS.filter((_, index) => index % 40 === 0)) {
      const word = encodeURIComponent(text);
      await visit.open(
        `/experiments?search=${word}&status=${word}&sort=${word}&tag=${word}&owner=${word}&project=${word}`,
      );
      await visit.open(`/settings/audit?actor=${word}&object=${word}&from=${word}`);
    }
    await visit.open("/sign-in?to=//evil.example/");
    await visit.page.waitForURL((url) => url.pathname === "/experiments");
    await visit.open("/sign-in?to=javascript:alert(1)");
    await visit.page.waitForURL((url) => url.pathname === "/experiments");
    visit.nothingWrong();
  } finally {
    await visit.end();
  }
});
