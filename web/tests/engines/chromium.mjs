// Chromium, by Playwright.

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { Page } from "./page.mjs";

export const name = "chromium";

/** Starts Chromium without a window; `MURIEL_CHROMIUM` names another program than Debian's. */
export async function launch() {
  const program = process.env.MURIEL_CHROMIUM ?? "/usr/bin/chromium";
  if (!existsSync(program)) throw new Error(`${program} is not there: scripts/tools browsers`);
  const browser = await chromium.launch({
    executablePath: program,
    // The sandbox refuses to run as root; the pages are our own.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
    // Pages are kept for the way back, as for visitors.
    ignoreDefaultArgs: ["--disable-back-forward-cache"],
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  return {
    name,
    version: `Chromium ${browser.version()}`,
    can: { onInit: true, middleClick: true, backForwardCache: true },
    newPage: async ({ viewport = { width: 1024, height: 700 } } = {}) =>
      newTab(await browser.newContext({ viewport }), true),
    close: () => browser.close(),
  };
}

async function newTab(context, owner) {
  const page = await context.newPage();
  return new ChromiumPage(context, page, await context.newCDPSession(page), owner);
}

class ChromiumPage extends Page {
  constructor(context, page, devtools, owner) {
    super();
    Object.assign(this, { context, page, devtools, owner });
  }

  // Not by Playwright, whose own script in the page breaks with pages that redefine what it uses, and which loses pages
  // that come back from the cache.
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

  screenshot() {
    return this.page.screenshot();
  }

  tab() {
    return newTab(this.context, false);
  }

  close() {
    return this.owner ? this.context.close() : this.page.close();
  }
}
