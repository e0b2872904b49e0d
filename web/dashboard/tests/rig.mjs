// A browser, pages of the dashboard in it, and the checks that every page must pass.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { chromium, firefox } from "playwright-core";
import { FILES } from "../dev/page.mjs";
import { start } from "../dev/server.mjs";
import { axeFindings } from "./axe.mjs";

/** Keys of elements and texts that axe has checked on earlier pages of this file (`axe.mjs`). */
const known = { places: [], colors: [] };
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const pictures = fileURLToPath(new URL("../build/pictures/", import.meta.url));
/** True when every variation is kept as a picture: `--pictures` of `run.mjs`. Otherwise only pages that fail are. */
const { pictures: keepsPictures = false, full: isFull = false } = JSON.parse(
  process.env.MURIEL_DASHBOARD_WORKER ?? "{}",
);

/**
 * Options with which Playwright starts Chromium. `MURIEL_CHROMIUM` names another program than Debian's. The headless
 * shell has the whole engine, but no browser window, which would be drawn for each page.
 */
export const CHROMIUM = {
  executablePath: process.env.MURIEL_CHROMIUM ?? "/usr/bin/chromium-headless-shell",
  // The sandbox does not run as root. The pages are our own.
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
};

/** Starts a browser: `chromium`, or `firefox`, whose pages are always light. */
export function launch(engine = "chromium") {
  if (engine === "firefox")
    return firefox.launch({
      channel: "moz-firefox",
      executablePath: fileURLToPath(new URL("firefox.mjs", import.meta.url)),
      timeout: 120_000,
    });
  return chromium.launch(CHROMIUM);
}

/** Timeout for a page, on a machine that is busy with other work. */
export const PATIENCE_MS = 240_000;

/** Sizes of the windows in which pages are examined, in px. */
const WIDE = 1280;
const NARROW = 360;
const HEIGHT = 800;

export const PASSWORD = "correct horse battery";

/**
 * A visit to the dashboard: a browser context that records errors.
 *
 * - `page`: Playwright's page.
 * - `address`: that of the server.
 * - `server`: the development server with its `state`, unless `address` was given. `shared` is one that several visits
 *   use.
 */
export class Visit {
  /** Visits that have not ended. */
  static open = new Set();

  static async begin(browser, { address, theme = "light", width = WIDE, height = HEIGHT, shared, ...server } = {}) {
    const visit = new Visit();
    visit.ownsServer = address === undefined && shared === undefined;
    visit.server = visit.ownsServer ? await start(server) : shared;
    visit.#count();
    visit.address = address ?? visit.server.address;
    visit.context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
    visit.context.setDefaultTimeout(PATIENCE_MS);
    visit.theme = theme;
    visit.width = width;
    /** Violations of the policy, errors of scripts, and errors in the console. */
    visit.wrong = [];
    await visit.context.exposeBinding("violated", (_, what) => visit.wrong.push(`policy: ${what}`));
    await visit.context.addInitScript(() => {
      addEventListener("securitypolicyviolation", (event) => {
        window.violated(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`);
      });
    });
    if (visit.isFirefox) await visit.context.addInitScript(typeAsPeopleDo);
    visit.page = await visit.newPage();
    Visit.open.add(visit);
    return visit;
  }

  /** Content of the page for a person: its address, headings, messages, and the focused element. */
  async inWords() {
    const said = await this.page.evaluate(() => {
      const texts = (selector) =>
        Array.from(document.querySelectorAll(selector), (element) => element.textContent.trim().slice(0, 200)).filter(
          Boolean,
        );
      const { activeElement: focus } = document;
      return {
        headings: texts("h1, h2"),
        told: texts("[role=status], [role=alert], [aria-invalid=true] ~ *"),
        focus: focus && `${focus.tagName} ${focus.id || focus.textContent.trim().slice(0, 50)}`,
      };
    });
    return { address: this.page.url(), ...said, wrong: this.wrong };
  }

  get isFirefox() {
    return this.context.browser()?.browserType().name() === "firefox";
  }

  async newPage() {
    const page = await this.context.newPage();
    page.on("pageerror", (error) => this.wrong.push(`script: ${error.message}`));
    page.on("console", (message) => {
      // The browser reports every answer with an error status. Tests check what the page does with them.
      const isAnswer = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !isAnswer) this.wrong.push(`console: ${message.text()}`);
    });
    // A dialog of the browser means that a hostile script ran.
    page.on("dialog", (dialog) => {
      if (dialog.type() !== "beforeunload") this.wrong.push(`dialog: ${dialog.message()}`);
      dialog.accept();
    });
    return page;
  }

  /**
   * Opens a page in light colours, with only cookies stored and without recorded errors. If it is `loaded`, the
   * application begins anew; otherwise the page is reached from the open one (`go`), if a link can lead there.
   */
  async start(path, { width = WIDE, loaded = true } = {}) {
    await this.resize(width);
    await this.turn("light");
    this.wrong.length = 0;
    this.#count();
    if (!loaded && isAnother(this.page.url(), this.address + path)) return this.go(path);
    // Open a file of the same origin first, so that the previous page is gone when its storage is cleared.
    await this.page.goto(`${this.address}${FILES}style.css`);
    await this.page.evaluate(() => {
      sessionStorage.clear();
      localStorage.clear();
    });
    await this.open(path);
  }

  /** Records the counts that earlier visits have left on a shared server. */
  #count() {
    const { reports, unknown } = this.server?.state ?? {};
    this.before = { reports: reports?.length, unknown: unknown?.length };
  }

  async signIn(email = "grace@example.com", password = PASSWORD) {
    await this.page.goto(`${this.address}/sign-in`);
    await this.page.getByLabel("E-mail").fill(email);
    await this.page.getByLabel("Password").fill(password);
    await this.page.getByRole("button", { name: "Sign in" }).click();
    await this.page.getByRole("heading", { name: "Experiments", level: 1 }).waitFor();
  }

  /** Loads a page, as a bookmark does. */
  async open(path) {
    await this.page.goto(this.address + path);
    await this.settled();
  }

  /**
   * Goes to another page as a link does, without what earlier pages have stored in the tab. Loading it would cost the
   * browser seven times as much. The page must be another one (`isAnother`).
   */
  async go(path) {
    await this.page.evaluate((to) => {
      sessionStorage.clear();
      localStorage.clear();
      const app = document.querySelector("#app");
      const begun = new Promise((resolve) => {
        new MutationObserver(() => app.matches(":not([data-settled])") && resolve()).observe(app, { attributes: true });
      });
      history.pushState(null, "", to);
      return begun;
    }, path);
    await this.settled();
  }

  /** Switches the open page to another theme, at once: fading colours would be drawn many times. */
  async turn(theme) {
    this.theme = theme;
    await this.page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
  }

  /** Changes the width of the window of the open page. */
  async resize(width) {
    this.width = width;
    await this.page.setViewportSize({ width, height: HEIGHT });
  }

  /**
   * Waits until the application is settled (`src/api/settled.ts`) and nothing moves. Content behind a dialog may still
   * wait for the dialog.
   */
  async settled() {
    try {
      await this.page.waitForFunction(isSettled, { why: false });
    } catch (error) {
      // If the page is gone, it cannot report the reason.
      const why = await this.page.evaluate(isSettled, { why: true }).catch(() => error.message);
      throw new Error(`${this.page.url()} has not settled: ${why}`, { cause: error });
    }
  }

  /**
   * Asserts what holds for every page in every state. `rules` are the axe rules that are checked in addition to colours
   * (`axe.mjs`): a page that was examined in another theme or width needs fewer.
   */
  async examine(name, { rules = "all" } = {}) {
    const { page, width } = this;
    await this.settled();
    const look = `${name}-${this.theme}-${width}`;
    if (keepsPictures) await this.picture(look);
    // The policy applies to the page, not to the isolated world of the debugger.
    const isNew = await page.evaluate(() => window.axe === undefined);
    if (isNew) await page.evaluate(axe);
    // A page that was just loaded is checked as a whole, and with `--full` every state.
    const isWhole = isNew || isFull;
    const { findings, known: now } = await page.evaluate(axeFindings, { rules, known, isWhole });
    assert.deepEqual(findings, [], `axe finds something on ${look}`);
    // Rules of colours alone say nothing about places.
    if (rules !== "of colours") known.places.push(...now.places);
    known.colors.push(...now.colors);
    assert.deepEqual(await page.evaluate(tooWide), [], `${look} is wider than the window`);
    assert.equal(await page.locator("h1").count(), 1, `${look} has one h1`);
    this.nothingWrong(look);
  }

  /** Saves a picture of the whole page. In Firefox, Playwright adds a style to take one, which the policy forbids. */
  async picture(name) {
    if (!this.isFirefox) await this.page.screenshot({ path: `${pictures}${name}.png`, fullPage: true });
  }

  nothingWrong(name = "the visit") {
    assert.deepEqual(this.wrong, [], `something went wrong in ${name}`);
    if (this.server === undefined) return;
    const { reports, unknown } = this.server.state;
    assert.deepEqual(reports.slice(this.before.reports), [], `the policy was broken in ${name}`);
    assert.deepEqual(unknown.slice(this.before.unknown), [], `the development server lacks what ${name} asks for`);
  }

  async end() {
    Visit.open.delete(this);
    await this.context.close();
    if (this.ownsServer) await this.server.end();
  }
}

/** Runs in a page. Returns the innermost elements that make it wider than the window. */
function tooWide() {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const isClipped = (element) =>
    element !== document.body &&
    (getComputedStyle(element).overflowX !== "visible" || isClipped(element.parentElement));
  const isWide = (element) => element.getBoundingClientRect().right > clientWidth && !isClipped(element.parentElement);
  const innermost = [...document.body.querySelectorAll("*")].filter(
    (element) => isWide(element) && ![...element.children].some(isWide),
  );
  return [`${scrollWidth} px`, ...innermost.slice(0, 5).map((element) => element.outerHTML.slice(0, 200))];
}

/**
 * True if a link leads from one address to another page of the application. Another query is another state of the same
 * page, with what is open in it, and shared results are a document of their own.
 */
function isAnother(from, to) {
  const [before, after] = [new URL(from), new URL(to)];
  return (
    before.origin === after.origin &&
    before.pathname !== after.pathname &&
    ![before, after].some(({ pathname }) => pathname.startsWith("/share/"))
  );
}

/** Runs in a page. Returns whether it is settled, or with `why` what it waits for. */
function isSettled({ why }) {
  const isOver = ({ playState, effect }) => playState === "finished" || effect?.getTiming().iterations === Infinity;
  const waits = {
    "a request, a chunk or a navigation": document.querySelector("#app[data-settled]") === null,
    "a font": document.fonts.status !== "loaded",
    "something marked as busy": document.querySelector("#app [aria-busy=true]:not([aria-hidden=true] *)") !== null,
    "a skeleton": document.querySelector(".skeleton") !== null,
    "an animation": !document.getAnimations().every(isOver),
  };
  const names = Object.keys(waits).filter((name) => waits[name]);
  return why ? names : names.length === 0;
}

/**
 * Visits for examining states of pages one after the other: one visit for each `who`, in the same tab. A page in a new
 * context costs the browser five times as much. `begin(who)` begins a visit.
 */
export class Tabs {
  #begin;
  #visits = new Map();

  constructor(begin) {
    this.#begin = begin;
  }

  /**
   * Opens a page and calls `work` with the visit. If it fails, a picture of the page is saved under `name`, and the
   * visit is not used again.
   */
  async during(who, path, { name, ...settings }, work) {
    if (!this.#visits.has(who)) this.#visits.set(who, await this.#begin(who));
    const visit = this.#visits.get(who);
    try {
      await visit.start(path, settings);
      return await work(visit);
    } catch (error) {
      this.#visits.delete(who);
      await visit.picture(`${name}-failed`).catch(() => {});
      await visit.end();
      throw error;
    }
  }
}

/**
 * Examines a state of a page in both themes and at both widths. `visiting(settings, work)` opens the page in its state
 * and calls `work(visit)`. With `reopen`, the state is opened again in the narrow window.
 */
export async function inEveryLook(name, { reopen = false }, visiting) {
  const inNarrow = async (visit, first, second) => {
    await visit.turn(first);
    await visit.examine(name, { rules: "of widths" });
    await visit.turn(second);
    await visit.examine(name, { rules: "of colours" });
  };
  await visiting({ name, width: WIDE }, async (visit) => {
    await visit.turn("light");
    await visit.examine(name);
    await visit.turn("dark");
    await visit.examine(name, { rules: "of colours" });
    if (reopen) return;
    await visit.resize(NARROW);
    await inNarrow(visit, "dark", "light");
  });
  if (reopen) await visiting({ name, width: NARROW, loaded: false }, (visit) => inNarrow(visit, "light", "dark"));
}

/** Reads a download. Its bytes come through the connection, because the browser belongs to another process. */
export async function bytesOf(download) {
  const parts = [];
  for await (const part of await download.createReadStream()) parts.push(part);
  return Buffer.concat(parts);
}

/**
 * In Firefox, Playwright sets values in a way that React does not recognise as typing. The browser's own command works.
 */
function typeAsPeopleDo() {
  Object.defineProperty(window, "__pw_bidiInsertText", {
    get: () => (text) => void document.execCommand("insertText", false, text),
    set: () => {},
  });
}

/** Chooses an item of a menu by keyboard: on a slow page, a menu closes again under the pointer that has opened it. */
export async function choose(page, trigger, item) {
  await trigger.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", item).focus();
  await page.keyboard.press("Enter");
  // A closed menu returns the focus, and text that is typed before would go to another element.
  await page.getByRole("menu").waitFor({ state: "detached" });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Opens a page without the browser's cache. Returns the seconds that its main thread worked until it was settled. */
async function workOf(visit, path) {
  await visit.page.close();
  visit.page = await visit.newPage();
  const client = await visit.context.newCDPSession(visit.page);
  await client.send("Network.setCacheDisabled", { cacheDisabled: true });
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  await visit.open(path);
  const { metrics } = await client.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "TaskDuration").value;
}

/**
 * Opens a page, and asserts that its main thread works at most `times` as long as for the inbox, a page with little
 * content. Other work on the machine may slow down either, so the minimum of up to five pairs counts.
 */
export async function opensCheaply(visit, path, times) {
  const least = [Infinity, Infinity];
  for (let pair = 0; pair < 5; pair++) {
    for (const [at, of] of ["/inbox", path].entries()) least[at] = Math.min(least[at], await workOf(visit, of));
    if (least[1] <= times * least[0]) return;
  }
  assert.fail(`the main thread worked for ${least[1]} s until ${path} was there, and for ${least[0]} s for the inbox`);
}

/** Waits until a condition in this process holds. */
export async function until(condition, what = "it") {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw Error(`${what} did not come`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
