// @ts-nocheck: constructors take the fields of their classes from an object.
// Chromium, driven by Playwright.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";
import { Page } from "./page.mjs";
import { PuppeteerPage } from "./puppeteer.mjs";

export const name = "chromium";

// The sandbox refuses to run as root; the pages are our own.
const args = [
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
  "--host-resolver-rules=MAP *.fixture.co.uk 127.0.0.1, MAP fixture.co.uk 127.0.0.1",
];

const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };

/**
 * Starts Chromium without a window. `MURIEL_CHROMIUM` names a program other than Debian's.
 *
 * `newPage({ plain: true })` returns a page that is hidden when it is behind other tabs, and whose speculation rules
 * prerender links. Playwright disables both, so Puppeteer starts a second Chromium for such pages.
 */
export async function launch() {
  const program = process.env.MURIEL_CHROMIUM ?? "/usr/bin/chromium";
  if (!existsSync(program)) throw new Error(`${program} is not there: scripts/tools browsers`);
  const userAgent = await visitors(program);
  const browser = await chromium.launch({
    executablePath: program,
    // Not set for each page: requests that are sent while a page is left would not have it.
    args: [...args, `--user-agent=${userAgent}`],
    // Pages are kept in the back/forward cache, as they are for visitors.
    ignoreDefaultArgs: ["--disable-back-forward-cache"],
    ...signals,
  });
  const contexts = new Contexts(browser);
  let second;
  return {
    name,
    version: `Chromium ${browser.version()}`,
    can: { onInit: true, middleClick: true, backForwardCache: true, prerender: true, hiddenTabs: true, suffixes: true },
    newPage: async ({ viewport = { width: 1024, height: 700 }, plain = false } = {}) => {
      if (!plain) return newTab(await contexts.take(viewport), (context) => contexts.give(context));
      second ??= launchPlain(program, userAgent);
      return PuppeteerPage.inNewContext(await second, { viewport });
    },
    close: async () => {
      await Promise.all([browser.close(), second?.then((other) => other.close())]);
    },
  };
}

/**
 * Contexts, which tests reuse one after the other. Each keeps a blank page, and so its window: opening a window and a
 * profile takes a third of a second of CPU, more than most tests. Tests have their own hosts, so only cookies of fixed
 * hosts could be left.
 */
class Contexts {
  #free = [];
  #sizes = new WeakMap();

  constructor(browser) {
    this.browser = browser;
  }

  async take(viewport) {
    const size = `${viewport.width},${viewport.height}`;
    const at = this.#free.findIndex((each) => each.size === size);
    if (at >= 0) return this.#free.splice(at, 1)[0].context;
    const context = await this.browser.newContext({ viewport });
    this.#sizes.set(context, size);
    await context.newPage();
    return context;
  }

  /** Takes a context back, and closes all of its pages but the first. */
  async give(context) {
    await Promise.all(
      context
        .pages()
        .slice(1)
        .map((page) => page.close()),
    );
    await context.clearCookies();
    this.#free.push({ size: this.#sizes.get(context), context });
  }
}

/** The user agent of a Chromium with a window. Without a window, it identifies itself as headless, as crawlers do. */
async function visitors(program) {
  const { stdout } = await promisify(execFile)(program, ["--version"]);
  const [version] = /\d+/.exec(stdout);
  return `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`;
}

function launchPlain(executablePath, userAgent) {
  const off = puppeteer.defaultArgs().filter((each) => each.startsWith("--disable-features="));
  return puppeteer.launch({
    executablePath,
    args: [...args, `--user-agent=${userAgent}`],
    ignoreDefaultArgs: off,
    ...signals,
  });
}

/** Opens a page. With `release`, the page owns the context and releases it by that function. */
async function newTab(context, release) {
  const page = await context.newPage();
  return new ChromiumPage(context, page, await context.newCDPSession(page), release);
}

class ChromiumPage extends Page {
  constructor(context, page, devtools, release) {
    super();
    Object.assign(this, { context, page, devtools, release });
  }

  // Not by Playwright: its script in the page breaks if the page redefines functions that it uses, and it loses pages
  // that are restored from the back/forward cache.
  async evaluated(text) {
    const options = { expression: text, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails: thrown } = await this.devtools.send("Runtime.evaluate", options);
    if (thrown) throw new Error(thrown.exception?.description ?? thrown.text);
    return result.value;
  }

  async navigate(url) {
    await this.devtools.send("Page.navigate", { url });
  }

  async mouse({ x, y }, button) {
    await (button ? this.page.mouse.click(x, y, { button }) : this.page.mouse.move(x, y));
  }

  async keys(combination) {
    await this.page.keyboard.press(combination.join("+"));
  }

  async wheeled({ x, y }, deltaY) {
    await this.page.mouse.move(x, y);
    await this.page.mouse.wheel(0, deltaY);
  }

  async onInit(script) {
    await this.page.addInitScript(script);
  }

  /** Records a trace of `work` and returns its events, in the Trace Event Format. `also` names further categories. */
  async trace(work, also = []) {
    const browser = this.context.browser();
    await browser.startTracing(this.page, { categories: ["devtools.timeline", "v8", ...also] });
    let told;
    try {
      await work();
    } finally {
      told = await browser.stopTracing();
    }
    return JSON.parse(told).traceEvents;
  }

  screenshot() {
    return this.page.screenshot();
  }

  tab() {
    return newTab(this.context);
  }

  close() {
    return this.release ? this.release(this.context) : this.page.close();
  }
}
