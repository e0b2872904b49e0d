// Every page, in every state with a different appearance. `pages.test.mjs` examines each in both themes and at both
// widths.

import { SHOP } from "../dev/data.mjs";

const dialog = (button) => async (page) => {
  await page.getByRole("button", { name: button }).first().click();
  await page.getByRole("dialog").waitFor();
};

const NOTHING = { many: 0 };

/**
 * - `path`: the address.
 * - `as`: the user; Grace, an admin, by default. `null` is nobody.
 * - `server`: settings of the development server. States with the same object share a server, so they must not change
 *   its data.
 * - `act`: actions before the page is examined.
 * - `reopen`: true if the state is lost when the width changes, so the page is opened again at 360 px.
 */
export const PAGES = {
  "sign-in": { path: "/sign-in", as: null },
  "sign-in-wrong": {
    path: "/sign-in",
    as: null,
    async act(page) {
      await page.getByLabel("E-mail").fill("nobody@example.com");
      await page.getByLabel("Password").fill("wrong");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("alert").waitFor();
    },
  },
  "sign-in-code": {
    path: "/sign-in",
    as: null,
    async act(page) {
      await page.getByLabel("E-mail").fill("ada@example.com");
      await page.getByLabel("Password").fill("correct horse battery");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByLabel("Code of your authenticator").waitFor();
    },
  },
  "first-owner": { path: "/invitation#owner", as: null },
  invitation: { path: "/invitation#join", as: null },
  "invitation-spent": { path: "/invitation#spent", as: null },
  experiments: { path: "/experiments" },
  "experiments-selected": {
    path: "/experiments?status=live",
    async act(page) {
      for (const box of (await page.getByRole("checkbox", { name: /^Select (?!all)/ }).all()).slice(0, 3))
        await box.check();
      await page.getByRole("toolbar").waitFor();
    },
  },
  "experiments-more": {
    path: "/experiments",
    async act(page) {
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("menu").waitFor();
    },
  },
  "experiments-none": { path: "/experiments", server: NOTHING },
  "experiments-nothing-matches": { path: "/experiments?search=nothing" },
  "experiments-broken": {
    path: "/experiments",
    server: {
      answer: ({ path }) =>
        path === "/v2/overview" && [
          500,
          { success: false, error: "Something broke.", code: "internal", errors: [], request_id: "0193-7a" },
        ],
    },
  },
  "learnings-none": { path: "/programme", server: NOTHING },
  "learnings-years": {
    path: "/programme",
    server: { many: 116 },
  },
  palette: {
    path: "/experiments",
    async act(page) {
      await page.keyboard.press("Control+k");
      await page.getByRole("option").first().waitFor();
      await page.getByRole("combobox").fill("ch");
      await page
        .getByRole("option", { name: /checkout/i })
        .first()
        .waitFor();
    },
  },
  projects: { path: "/settings/projects" },
  "projects-new": { path: "/settings/projects", act: dialog("New project") },
  "project-settings": { path: `/settings/projects/${SHOP}` },
  "project-settings-read": { path: `/settings/projects/${SHOP}`, as: "mary.somerville@example.com" },
  people: { path: "/settings/people" },
  "people-invite": { path: "/settings/people", act: dialog("Invite") },
  "people-change": {
    path: "/settings/people",
    async act(page) {
      await page.getByRole("button", { name: "Actions for Mary Somerville" }).click();
      await page.getByRole("menuitem", { name: "Change role" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  keys: { path: "/settings/keys" },
  "keys-new": { path: "/settings/keys", act: dialog("New key") },
  "keys-revoke": { path: "/settings/keys", act: dialog("Revoke shop backend") },
  audit: {
    path: "/settings/audit",
    async act(page) {
      await page.getByRole("button", { name: /Shorter checkout form/ }).click();
    },
  },
  account: { path: "/account" },
  "account-authenticator": {
    path: "/account",
    async act(page) {
      await page.getByRole("button", { name: "Enrol one" }).click();
      await page.getByLabel("Your password").fill("correct horse battery");
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByLabel("Code", { exact: true }).waitFor();
    },
  },
  "person-menu": {
    path: "/experiments",
    // Its button is in the navigation, which is closed in a narrow window.
    reopen: true,
    async act(page) {
      const navigation = page.getByRole("button", { name: "Navigation" });
      if (await navigation.isVisible()) await navigation.click();
      await page.getByRole("button", { name: /Grace Hopper/ }).click();
      await page.getByRole("menu").waitFor();
    },
  },
  missing: { path: "/settings/nothing" },
};
