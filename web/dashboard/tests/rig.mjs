// A browser, pages of the dashboard in it, and what is asked of every page.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { chromium, firefox } from "playwright-core";
import { start } from "../dev/server.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const screenshots = fileURLToPath(new URL("../build/screenshots/", import.meta.url));
mkdirSync(screenshots, { recursive: true });

/** Starts a browser: `chromium`, of which `MURIEL_CHROMIUM` names another program than Debian's, or `firefox`, whose pages are always light. */
export function launch(engine = "chromium") {
  if (engine === "firefox")
    return firefox.launch({
      channel: "moz-firefox",
      executablePath: fileURLToPath(new URL("firefox.mjs", import.meta.url)),
      timeout: 120_000,
    });
  return chromium.launch({
    executablePath: process.env.MURIEL_CHROMIUM ?? "/usr/bin/chromium",
    // The sandbox refuses to run as root; the pages are our own.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
}

/** How long a page is waited for, on a machine that is busy with other things too. */
export const PATIENCE_MS = 60_000;

export const PASSWORD = "correct horse battery";

/**
 * A visit to the dashboard: a context of the browser, in which what goes wrong is kept.
 *
 * - `page`: Playwright's page.
 * - `address`: of the server.
 * - `server`: the development server with its `state`, unless `address` was given.
 */
export class Visit {
  static async begin(browser, { address, theme = "light", width = 1280, height = 800, ...server } = {}) {
    const visit = new Visit();
    visit.server = address === undefined ? await start(server) : undefined;
    visit.address = address ?? visit.server.address;
    visit.context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
    visit.context.setDefaultTimeout(PATIENCE_MS);
    visit.theme = theme;
    visit.width = width;
    /** What the policy forbade, errors of scripts, and errors in the console. */
    visit.wrong = [];
    await visit.context.exposeBinding("violated", (_, what) => visit.wrong.push(`policy: ${what}`));
    await visit.context.addInitScript(() => {
      addEventListener("securitypolicyviolation", (event) => {
        window.violated(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`);
      });
    });
    if (visit.isFirefox) await visit.context.addInitScript(typeAsPeopleDo);
    visit.page = await visit.newPage();
    return visit;
  }

  get isFirefox() {
    return this.context.browser()?.browserType().name() === "firefox";
  }

  async newPage() {
    const page = await this.context.newPage();
    page.on("pageerror", (error) => this.wrong.push(`script: ${error.message}`));
    page.on("console", (message) => {
      // The browser itself says of each answer that it was an error; what the page makes of those is tested.
      const isAnswer = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !isAnswer) this.wrong.push(`console: ${message.text()}`);
    });
    // A dialog of the browser is a script of somebody else's.
    page.on("dialog", (dialog) => {
      if (dialog.type() !== "beforeunload") this.wrong.push(`dialog: ${dialog.message()}`);
      dialog.accept();
    });
    return page;
  }

  async signIn(email = "grace@example.com", password = PASSWORD) {
    await this.page.goto(`${this.address}/sign-in`);
    await this.page.getByLabel("E-mail").fill(email);
    await this.page.getByLabel("Password").fill(password);
    await this.page.getByRole("button", { name: "Sign in" }).click();
    await this.page.getByRole("heading", { name: "Experiments", level: 1 }).waitFor();
  }

  async open(path) {
    await this.page.goto(this.address + path);
    await this.settled();
  }

  /** Shows the page in another theme, as it is. */
  async turn(theme) {
    this.theme = theme;
    await this.page.emulateMedia({ colorScheme: theme });
  }

  /** Waits until nothing is on its way, and nothing moves. What a dialog covers may wait for the dialog. */
  async settled() {
    await this.page.waitForLoadState("networkidle");
    await this.page.waitForFunction(
      () =>
        document.querySelector("#app [aria-busy=true]:not([aria-hidden=true] *), .skeleton") === null &&
        document
          .getAnimations()
          .every((one) => one.playState === "finished" || one.effect?.getTiming().iterations === Infinity),
    );
  }

  /** What is asked of every page, in whatever state it is. */
  async examine(name) {
    const { page, width } = this;
    await this.settled();
    // In Firefox Playwright adds a style to take a picture, which the policy forbids.
    if (!this.isFirefox)
      await page.screenshot({ path: `${screenshots}${name}-${this.theme}-${width}.png`, fullPage: true });
    const found = await this.axe();
    assert.deepEqual(found, [], `axe finds something on ${name}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${name} is ${wide} px wider than the window of ${width} px`);
    assert.equal(await page.locator("h1").count(), 1, `${name} has one h1`);
    this.nothingWrong(name);
  }

  async axe() {
    // The policy of the page is for the page: the debugger's own world is not under it.
    await this.page.evaluate(axe);
    return this.page.evaluate(async () => {
      const { violations } = await window.axe.run(document, {
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
      });
      // Menus and lists that float are no regions of the page, and the guards beside them hand the focus on at once.
      const isFloating = (rule, node) =>
        (rule === "region" && document.querySelector(node.target[0])?.closest("[data-base-ui-portal]")) ||
        (rule === "aria-hidden-focus" && node.html.includes("data-base-ui-focus-guard"));
      return violations
        .map(({ id, nodes }) => ({ id, nodes: nodes.filter((node) => !isFloating(id, node)) }))
        .filter(({ nodes }) => nodes.length > 0)
        .map(
          ({ id, nodes }) =>
            `${id}: ${nodes.map(({ html, any }) => `${html.slice(0, 200)} ${any[0]?.message ?? ""}`).join(" | ")}`,
        );
    });
  }

  nothingWrong(name = "the visit") {
    assert.deepEqual(this.wrong, [], `something went wrong in ${name}`);
    assert.deepEqual(this.server?.state.reports ?? [], [], `the policy was broken in ${name}`);
  }

  async end() {
    await this.context.close();
    await this.server?.end();
  }
}

/** Playwright sets values in Firefox, which React does not take for typing: the browser's own command is. */
function typeAsPeopleDo() {
  Object.defineProperty(window, "__pw_bidiInsertText", {
    get: () => (text) => void document.execCommand("insertText", false, text),
    set: () => {},
  });
}

/** Takes an item of a menu by keyboard: a page that is slow closes a menu again under the pointer that has opened it. */
export async function choose(page, trigger, item) {
  await trigger.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", item).focus();
  await page.keyboard.press("Enter");
  // A menu that has closed gives the focus back, and what is typed by then goes to where the focus is.
  await page.getByRole("menu").waitFor({ state: "detached" });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/**
 * Opens a page, and asserts that its main thread works for less than `most` seconds until it is there. Something else on the
 * machine may make that longer, so that it is opened up to five times, never from the browser's cache.
 */
export async function opensCheaply(visit, path, most) {
  const worked = [];
  do {
    if (worked.length > 0) {
      await visit.page.close();
      visit.page = await visit.newPage();
    }
    const client = await visit.context.newCDPSession(visit.page);
    await client.send("Network.setCacheDisabled", { cacheDisabled: true });
    await client.send("Performance.enable", { timeDomain: "threadTicks" });
    await visit.open(path);
    const { metrics } = await client.send("Performance.getMetrics");
    worked.push(metrics.find(({ name }) => name === "TaskDuration").value);
  } while (worked.at(-1) >= most && worked.length < 5);
  assert.ok(worked.at(-1) < most, `the main thread worked for ${worked} s until ${path} was there`);
}

/** Waits until a condition on this side holds. */
export async function until(condition, what = "it") {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw Error(`${what} did not come`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
